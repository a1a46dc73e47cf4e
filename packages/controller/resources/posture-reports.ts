/**
 * What endpoints have reported of their posture, as identities and services show it.
 *
 * It is volatile: kept where reports arrive, never stored. Resources only see this side of it.
 */
import type { PostureCheck } from './posture-checks.ts'

/** One kind of report, and the check it was made for. */
export interface Reported {
  readonly postureCheckId: string
  readonly timedOut: boolean
  /** Null until data arrives. */
  readonly lastUpdatedAt: string | null
}

export interface PostureData {
  readonly os: Reported & {
    readonly type: string | null
    readonly version: string | null
    readonly build: string | null
  }
  readonly domain: Reported & { readonly domain: string | null }
  readonly mac: Reported & { readonly addresses: readonly string[] | null }
  readonly processes: readonly (Reported & {
    /** Left out when it does not run. */
    readonly isRunning?: boolean
    readonly binaryHash?: string
    readonly signerFingerprints: readonly string[] | null
  })[]
  readonly apiSessionPostureData: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** A session that was refused because checks failed; the newest hundred of an identity are remembered. */
export interface FailedServiceRequest {
  readonly when: string
  readonly apiSessionId: string
  readonly serviceId: string
  readonly serviceName: string
  readonly sessionType: string
  readonly policyFailures: readonly Readonly<Record<string, unknown>>[]
}

/** How a check stands for one API session. */
export interface Standing {
  readonly isPassing: boolean
  /** Seconds until what passed must be shown again; 0 when that is now, -1 when it need not be. */
  readonly remaining: number
  /** When the endpoint last woke or was unlocked, if that counts for the check. */
  readonly changedAt?: string
}

export interface PostureReports {
  dataOf(identityId: string): PostureData
  failedRequestsOf(identityId: string): readonly FailedServiceRequest[]
  standing(check: PostureCheck, identityId: string, sessionId: string | undefined): Standing
}

const never = { postureCheckId: '', timedOut: false, lastUpdatedAt: null }

const noData: PostureData = {
  os: { ...never, type: null, version: null, build: null },
  domain: { ...never, domain: null },
  mac: { ...never, addresses: null },
  processes: [],
  apiSessionPostureData: {},
}

/** A controller to which nobody reports. What is unknown does not pass. */
export const nothingReported: PostureReports = {
  dataOf: () => noData,
  failedRequestsOf: () => [],
  standing: ({ timeoutSeconds }) => ({ isPassing: false, remaining: timeoutSeconds > 0 ? 0 : -1 }),
}
