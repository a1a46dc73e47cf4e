/**
 * What a posture check demands of an endpoint, and what is known of the endpoint.
 *
 * The controller keeps both in its tables, a router in its replica; whoever judges sees neither, only these.
 */

export interface SystemDemand {
  readonly type: string
  /** Ranges of which one must hold; null or none: any version, which then need not even be readable. */
  readonly versions: readonly string[] | null
}

/** A process is known by its path. Empty texts in a list demand nothing. */
export interface ProcessDemand {
  readonly path: string
  /** One of them, unless there are none. */
  readonly hashes: readonly string[]
  /** One of them, unless there are none. */
  readonly signerFingerprints: readonly string[]
}

export interface MfaDemand {
  readonly typeId: 'MFA'
  /** Seconds for which a code is good; zero or less: for as long as the session lives. */
  readonly timeoutSeconds: number
  readonly promptOnWake: boolean
  readonly promptOnUnlock: boolean
}

export type PostureDemand =
  | { readonly typeId: 'OS'; readonly operatingSystems: readonly SystemDemand[] }
  | { readonly typeId: 'DOMAIN'; readonly domains: readonly string[] }
  | { readonly typeId: 'MAC'; readonly macAddresses: readonly string[] }
  | { readonly typeId: 'PROCESS'; readonly process: ProcessDemand }
  | {
      readonly typeId: 'PROCESS_MULTI'
      readonly semantic: 'AllOf' | 'AnyOf'
      readonly processes: readonly ProcessDemand[]
    }
  | MfaDemand

export interface ReportedProcess {
  readonly isRunning: boolean
  readonly hash: string
  readonly signerFingerprints: readonly string[]
}

/** Times are milliseconds since the epoch. What has not happened is left out. */
export interface MfaState {
  /** When a code was accepted last. */
  readonly passedAt?: number | undefined
  readonly wokenAt?: number | undefined
  readonly unlockedAt?: number | undefined
}

/** What an endpoint has reported, and what its API session has shown. Nothing of it need be there. */
export interface EndpointPosture {
  readonly system?: { readonly type: string; readonly version: string } | undefined
  readonly domain?: string | undefined
  readonly macAddresses?: readonly string[] | undefined
  process(path: string): ReportedProcess | undefined
  readonly mfa: MfaState
}
