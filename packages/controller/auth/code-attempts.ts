/**
 * Wrong one-time codes in a row, per identity.
 *
 * A code has six digits and several are valid at a time, so guessing must be slow: after ten wrong ones nothing is looked at
 * for half a minute, and for twice as long after each further ten, up to a quarter of an hour.
 */
import type { Clock } from '../clock.ts'

const FREE_FAILURES = 10
const FIRST_WAIT_MILLISECONDS = 30_000
const LONGEST_WAIT_MILLISECONDS = 15 * 60_000
/** The oldest count makes room for a new one. */
const MOST_COUNTS = 100_000

interface Failures {
  readonly count: number
  /** On the monotonic clock. */
  readonly blockedUntil: number
}

export class CodeAttempts {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #failures = new Map<string, Failures>()

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** Seconds until the next code is looked at; zero when it is looked at now. */
  secondsToWait(identityId: string): number {
    const failures = this.#failures.get(identityId)
    if (failures === undefined) return 0
    return Math.max(0, Math.ceil((failures.blockedUntil - this.#clock.monotonic()) / 1_000))
  }

  failed(identityId: string): void {
    const count = (this.#failures.get(identityId)?.count ?? 0) + 1
    const rounds = Math.floor(count / FREE_FAILURES)
    const isRoundFull = count % FREE_FAILURES === 0
    const wait = isRoundFull ? Math.min(FIRST_WAIT_MILLISECONDS * 2 ** (rounds - 1), LONGEST_WAIT_MILLISECONDS) : 0
    this.#failures.delete(identityId)
    if (this.#failures.size >= MOST_COUNTS) this.#failures.delete(this.#failures.keys().next().value!)
    this.#failures.set(identityId, { count, blockedUntil: this.#clock.monotonic() + wait })
  }

  succeeded(identityId: string): void {
    this.#failures.delete(identityId)
  }
}
