/**
 * What endpoints have reported of their posture, per identity, in memory.
 *
 * It is volatile on purpose: endpoints report again, and a controller that has just started trusts nobody's old word. What
 * belongs to an identity or an API session goes with it; the change stream says when.
 */
import { type EndpointPosture, meetsDemand, mfaStanding } from '@weft/model'
import { type Clock, timestamp } from '../clock.ts'
import type { PostureCheck } from '../resources/posture-checks.ts'
import {
  type FailedServiceRequest,
  nothingReported,
  type PostureData,
  type PostureReports,
  type Standing,
} from '../resources/posture-reports.ts'
import type { View } from '../state/view.ts'
import type { Commit, Writer } from '../state/writer.ts'
import { demandOf } from './demand-of.ts'
import { isLegacyEndpoint } from './legacy-endpoint.ts'
import type { PostureReport } from './posture-report.ts'
import { ReportedPosture } from './reported-posture.ts'

/** Of one identity. */
const MOST_FAILURES = 100
/** Characters of all reports and failures; past that, who reported longest ago must report again. */
const MOST_CHARACTERS = 256_000_000

interface Known {
  readonly posture: ReportedPosture
  readonly failures: FailedServiceRequest[]
  failuresWeight: number
  weight: number
  revision: number
}

export interface PostureStoreOptions {
  readonly mostCharacters?: number
}

export class PostureStore implements PostureReports {
  readonly #clock: Clock
  readonly #mostCharacters: number
  /** By identity; who reported last stands last. */
  readonly #known = new Map<string, Known>()
  #weight = 0
  #revision = 0
  #view: View | undefined

  constructor({ clock }: { readonly clock: Clock }, { mostCharacters = MOST_CHARACTERS }: PostureStoreOptions = {}) {
    this.#clock = clock
    this.#mostCharacters = mostCharacters
  }

  /** From now on sessions and identities are looked up here, and what is known of those that end is forgotten. */
  follow({ tables, writer }: { readonly tables: View; readonly writer: Pick<Writer, 'follow'> }): void {
    this.#view = tables
    writer.follow((commits) => this.#forgetEnded(commits))
  }

  accept(identityId: string, sessionId: string, reports: readonly PostureReport[]): void {
    const known = this.#newest(identityId)
    const now = this.#clock.now()
    const passedAt = this.#passedAt(sessionId)
    for (const report of reports) known.posture.accept(report, sessionId, passedAt, now)
    known.revision = ++this.#revision
    this.#weigh(known)
  }

  /** Remembers that a session was refused. */
  addFailure(identityId: string, failure: FailedServiceRequest): void {
    const known = this.#newest(identityId)
    known.failures.push(failure)
    if (known.failures.length > MOST_FAILURES) known.failures.shift()
    known.failuresWeight = JSON.stringify(known.failures).length
    this.#weigh(known)
  }

  /** Moves with every report of an identity, and when its reports are forgotten. */
  revisionOf(identityId: string): number {
    return this.#known.get(identityId)?.revision ?? 0
  }

  dataOf(identityId: string): PostureData {
    const posture = this.#known.get(identityId)?.posture
    if (posture === undefined) return nothingReported.dataOf(identityId)
    const sdkInfo = this.#view?.get('identities', identityId)?.sdkInfo ?? {}
    const sessions = [...posture.sessions()].map((id) => {
      const { wokenAt, unlockedAt } = posture.eventsOf(id)
      const endpointState = { wokenAt: timeOf(wokenAt), unlockedAt: timeOf(unlockedAt) }
      const passedMfa = this.#passedAt(id) !== undefined
      const mfa = { apiSessionId: id, passedMfa, passedAt: null, passedOnWake: null, passedOnUnlock: null }
      return [id, { endpointState, mfa, sdkInfo }] as const
    })
    return { ...posture.data(), apiSessionPostureData: Object.fromEntries(sessions) }
  }

  failedRequestsOf(identityId: string): readonly FailedServiceRequest[] {
    return this.#known.get(identityId)?.failures ?? []
  }

  standing(check: PostureCheck, identityId: string, sessionId: string | undefined): Standing {
    const now = this.#clock.now()
    const demand = demandOf(check)
    const endpoint = this.endpointOf(identityId, sessionId)
    if (demand.typeId !== 'MFA') return { isPassing: meetsDemand(demand, endpoint, now), remaining: -1 }
    const { isPassing, dueAt } = mfaStanding(demand, endpoint.mfa, now)
    const { wokenAt = 0, unlockedAt = 0 } = endpoint.mfa
    const changedAt = Math.max(demand.promptOnWake ? wokenAt : 0, demand.promptOnUnlock ? unlockedAt : 0)
    const isTimed =
      dueAt !== undefined && (isPassing || demand.timeoutSeconds > 0) && !this.#isSpared(check, identityId)
    const remaining = isTimed ? Math.max(0, Math.ceil((dueAt - now) / 1000)) : -1
    return { isPassing, remaining, ...(changedAt > 0 && { changedAt: timestamp(changedAt) }) }
  }

  /** Everything known of the endpoint behind a session. */
  endpointOf(identityId: string, sessionId: string | undefined): EndpointPosture {
    const passedAt = this.#passedAt(sessionId)
    const posture = this.#known.get(identityId)?.posture
    return posture?.endpoint(sessionId, passedAt) ?? { process: () => undefined, mfa: { passedAt } }
  }

  #isSpared({ ignoreLegacyEndpoints }: PostureCheck, identityId: string): boolean {
    return ignoreLegacyEndpoints && isLegacyEndpoint(this.#view?.get('identities', identityId)?.sdkInfo ?? {})
  }

  #passedAt(sessionId: string | undefined): number | undefined {
    const session = sessionId === undefined ? undefined : this.#view?.get('apiSessions', sessionId)
    if (session === undefined || !session.isMfaComplete || session.mfaPassedAt === null) return undefined
    return Date.parse(session.mfaPassedAt)
  }

  #newest(identityId: string): Known {
    const unknown = { posture: new ReportedPosture(), failures: [], failuresWeight: 0, weight: 0, revision: 0 }
    const known: Known = this.#known.get(identityId) ?? unknown
    this.#known.delete(identityId)
    this.#known.set(identityId, known)
    return known
  }

  /** Makes room, but never by forgetting who has just reported. */
  #weigh(known: Known): void {
    const weight = known.posture.weight + known.failuresWeight
    this.#weight += weight - known.weight
    known.weight = weight
    for (const [identityId, oldest] of this.#known) {
      if (this.#weight <= this.#mostCharacters || oldest === known) break
      this.#forget(identityId)
    }
  }

  #forget(identityId: string): void {
    this.#weight -= this.#known.get(identityId)?.weight ?? 0
    this.#known.delete(identityId)
  }

  #forgetEnded(commits: readonly Commit[]): void {
    for (const { changes } of commits) {
      for (const { table, id, before, after } of changes) {
        if (after !== undefined) continue
        if (table === 'identities') this.#forget(id)
        if (table === 'apiSessions') {
          const { identityId } = before as unknown as { readonly identityId: string }
          this.#known.get(identityId)?.posture.forgetSession(id)
        }
      }
    }
  }
}

function timeOf(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : timestamp(milliseconds)
}
