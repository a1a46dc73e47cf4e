/**
 * What an endpoint reports, one thing at a time. The ids of checks are told, not looked at: an endpoint has one system, one
 * domain and one set of addresses, whichever check asked for them.
 */
interface Told {
  /** The check that asked, as the endpoint says. */
  readonly id: string
}

export type PostureReport =
  | (Told & { readonly typeId: 'OS'; readonly type: string; readonly version: string; readonly build: string })
  | (Told & { readonly typeId: 'DOMAIN'; readonly domain: string })
  | (Told & { readonly typeId: 'MAC'; readonly macAddresses: readonly string[] })
  | (Told & {
      readonly typeId: 'PROCESS'
      readonly path: string
      readonly isRunning: boolean
      readonly hash: string
      /** Null when none were told. */
      readonly signerFingerprints: readonly string[] | null
    })
  | (Told & { readonly typeId: 'ENDPOINT_STATE'; readonly woken?: boolean; readonly unlocked?: boolean })

type Reported<T extends PostureReport['typeId']> = Extract<PostureReport, { readonly typeId: T }>

export type SystemReport = Reported<'OS'>
export type DomainReport = Reported<'DOMAIN'>
export type AddressReport = Reported<'MAC'>
export type ProcessReport = Reported<'PROCESS'>
