/**
 * Sessions end when what allowed them ends: a policy no longer grants the access, or its posture checks no longer pass.
 *
 * Those of an identity are looked at when it reports its posture. All are looked at soon after a change on which access
 * depends, and every five seconds where a check can fail by time alone. A round yields to requests between slices, and the
 * longer rounds take, the longer the next one waits.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Logger } from '../log/logger.ts'
import type { Kit } from '../resource-kit/kit.ts'
import type { PostureReports } from '../resources/posture-reports.ts'
import type { Session } from '../resources/sessions.ts'
import type { RowChange } from '../state/view.ts'
import type { Writer } from '../state/writer.ts'
import { isGranted, policyVerdicts } from './policy-verdicts.ts'

export interface SessionEnforcementDeps {
  readonly kit: Kit
  readonly writer: Pick<Writer, 'follow'>
  readonly posture: Pick<PostureReports, 'standing'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Logger
}

const TIMED_ROUND_MILLISECONDS = 5_000
/** Changes that come together are answered by one round. */
const GATHER_MILLISECONDS = 200
/** At most one part in ten of the time goes into rounds. */
const REST_PER_ROUND = 10
/** Sessions judged, and sessions ended, without letting anybody else run. */
const SLICE = 200

export class SessionEnforcement implements AsyncDisposable {
  readonly #deps: SessionEnforcementDeps
  readonly #timer: NodeJS.Timeout
  readonly #unfollow: () => void
  #next: NodeJS.Timeout | undefined
  #round: Promise<void> | undefined
  #lastRoundTook = 0
  #isStopped = false

  private constructor(deps: SessionEnforcementDeps) {
    this.#deps = deps
    this.#unfollow = deps.writer.follow((commits) => {
      if (commits.some(({ changes }) => changes.some(mayEndAccess))) this.#roundSoon()
    })
    this.#timer = setInterval(() => this.#failsByTime() && this.#roundSoon(), TIMED_ROUND_MILLISECONDS)
    this.#timer.unref()
  }

  /** Begins with a round: what was reported before the controller started is not known any more. */
  static start(deps: SessionEnforcementDeps): SessionEnforcement {
    const enforcement = new SessionEnforcement(deps)
    enforcement.#roundSoon()
    return enforcement
  }

  /** Ends those sessions of an identity that are no longer allowed; answers when they have ended. */
  async enforce(identityId: string): Promise<void> {
    await this.#endUnallowed([...this.#deps.kit.view.find('sessions', 'identityId', identityId)])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true
    this.#unfollow()
    clearInterval(this.#timer)
    clearTimeout(this.#next)
    await this.#round
  }

  #roundSoon(): void {
    if (this.#next !== undefined || this.#isStopped) return
    const wait = Math.max(GATHER_MILLISECONDS, this.#lastRoundTook * REST_PER_ROUND)
    this.#next = setTimeout(() => {
      this.#round = this.#runRound()
    }, wait)
    this.#next.unref()
  }

  async #runRound(): Promise<void> {
    await this.#round
    this.#next = undefined
    const { clock, log } = this.#deps
    const startedAt = clock.monotonic()
    try {
      await this.#enforceAll()
    } catch (err) {
      log.error('enforcing sessions failed', { err })
    }
    this.#lastRoundTook = clock.monotonic() - startedAt
  }

  async #enforceAll(): Promise<void> {
    const { view } = this.#deps.kit
    const ids = [...view.rows('sessions').map(({ id }) => id)]
    for (let start = 0; start < ids.length && !this.#isStopped; start += SLICE) {
      const slice = ids.slice(start, start + SLICE).flatMap((id) => view.get('sessions', id) ?? [])
      await this.#endUnallowed(slice)
      await nextTurn()
    }
  }

  /** A second factor runs out without anybody changing anything. */
  #failsByTime(): boolean {
    return this.#deps.kit.view.rows('postureChecks').some(({ typeId }) => typeId === 'MFA')
  }

  async #endUnallowed(sessions: readonly Session[]): Promise<void> {
    const { kit, posture } = this.#deps
    const isAllowed = (session: Session) => isGranted(policyVerdicts(kit.view, posture, session))
    const ended = sessions.filter((session) => !isAllowed(session)).map(({ id }) => id)
    if (ended.length === 0) return
    await kit.writeAsController((change) => {
      for (const id of ended) change.remove('sessions', id)
    })
  }
}

/** Access depends on policies, on checks, and on the roles of whom they select. Sessions go with what they are for. */
function mayEndAccess({ table, before, after }: RowChange): boolean {
  if (table === 'postureChecks') return true
  if (table === 'servicePolicies') return before !== undefined
  if (table !== 'identities' && table !== 'services') return false
  return before !== undefined && after !== undefined && rolesOf(before) !== rolesOf(after)
}

function rolesOf(row: unknown): unknown {
  return (row as { readonly roleAttributes: readonly string[] }).roleAttributes
}
