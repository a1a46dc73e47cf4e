/**
 * The `health-checks` binding: open to anyone, always 200, so that a caller must read `healthy`. Load balancers that can
 * only look at a status ask below `/controller/raft`, where a member that does not lead answers 429.
 */
import type { RequestHandler } from './request-handler.ts'

/** The state of one check as peers know it; times are RFC 3339, the duration is text such as `1.2ms`. */
export interface HealthCheck {
  readonly id: string
  readonly healthy: boolean
  readonly lastCheckDuration: string
  readonly lastCheckTime: string
  readonly err?: string
  readonly consecutiveFailures?: number
  readonly failingSince?: string
  readonly details?: unknown
}

export interface HealthChecksOptions {
  readonly checks: () => readonly HealthCheck[]
  /** What a member of a cluster says of itself. */
  readonly cluster: () => { readonly isRaftEnabled: boolean; readonly isLeader: boolean }
}

/** Builds the handler of the binding. */
export function createHealthChecks({ checks, cluster }: HealthChecksOptions): RequestHandler {
  return (_request, response, { path, search }) => {
    const results = checks()
    const isShort = new URLSearchParams(search).get('type') === 'short'
    const data = {
      checks: isShort ? results.map(({ id, healthy }) => ({ id, healthy })) : results,
      healthy: results.every(({ healthy }) => healthy),
    }
    const isAboutCluster = path.endsWith('/controller/raft')
    const raft = cluster()
    const isFollower = raft.isRaftEnabled && !raft.isLeader
    const body = `${JSON.stringify({ data, meta: {}, ...(isAboutCluster ? { raft } : {}) }, undefined, 4)}\n`
    response.writeHead(isAboutCluster && isFollower ? 429 : 200, [
      'content-type',
      'application/json',
      'content-length',
      String(Buffer.byteLength(body)),
    ])
    response.end(body)
  }
}
