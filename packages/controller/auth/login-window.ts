/**
 * How many sessions may be being opened at once (`edge.authRateLimiter`); what comes on top is told to come back.
 *
 * A place is taken once the primary factor was accepted, so that nobody without credentials can fill the window, and is
 * left when the answer is with the client. Answers that nobody waits for any more mean that clients give up and try again:
 * then the window shrinks, so that those who are let in are served in time.
 */
import type { Clock } from '../clock.ts'
import { tooManyRequests } from '../operation/api-error.ts'
import type { Answer } from '../operation/operation.ts'

export interface LoginWindowOptions {
  readonly enabled: boolean
  /** The smallest window, and the largest, with which it starts. */
  readonly minSize: number
  readonly maxSize: number
}

/** So many answers are judged together. */
const JUDGED = 10
/** Of those, so many must have been taken for the window to grow. */
const ENOUGH = 9
const GROWTH = 1.02
const SHRINKAGE = 0.9
/** An administrator is let in at least this often: somebody must be able to look what is going on. */
const ADMIN_INTERVAL = 10_000

/** A place in the window; `leave` counts once. */
export interface LoginPlace {
  /** Told whether the client has taken its answer. */
  leave(isTaken: boolean): void
}

const beside: LoginPlace = { leave: () => {} }

export class LoginWindow {
  readonly #options: LoginWindowOptions
  readonly #clock: Pick<Clock, 'monotonic'>
  #size: number
  #inside = 0
  #taken = 0
  #missed = 0
  #lastAdmin = Number.NEGATIVE_INFINITY

  constructor(options: LoginWindowOptions, clock: Pick<Clock, 'monotonic'>) {
    this.#options = options
    this.#clock = clock
    this.#size = options.maxSize
  }

  /** The present size. */
  get size(): number {
    return this.#size
  }

  /** Takes a place, or throws that there are too many. */
  enter({ isAdmin }: { readonly isAdmin: boolean }): LoginPlace {
    if (!this.#options.enabled || (isAdmin && this.#isAdminsTurn())) return beside
    if (this.#inside >= this.#size) throw tooManyRequests()
    this.#inside++
    let hasLeft = false
    return {
      leave: (isTaken) => {
        if (hasLeft) return
        hasLeft = true
        this.#inside--
        this.#judge(isTaken)
      },
    }
  }

  /** Has a place while an answer is made and until it is taken. */
  async hold(who: { readonly isAdmin: boolean }, makeAnswer: () => Promise<Answer>): Promise<Answer> {
    const { leave } = this.enter(who)
    try {
      return { ...(await makeAnswer()), onEnd: leave }
    } catch (error) {
      leave(true)
      throw error
    }
  }

  #isAdminsTurn(): boolean {
    const now = this.#clock.monotonic()
    if (now - this.#lastAdmin < ADMIN_INTERVAL) return false
    this.#lastAdmin = now
    return true
  }

  #judge(isTaken: boolean): void {
    if (isTaken) this.#taken++
    else this.#missed++
    if (this.#taken + this.#missed < JUDGED) return
    const { minSize, maxSize } = this.#options
    this.#size =
      this.#taken >= ENOUGH
        ? Math.min(maxSize, Math.max(this.#size + 1, Math.floor(this.#size * GROWTH)))
        : Math.max(minSize, Math.floor(this.#size * SHRINKAGE))
    this.#taken = 0
    this.#missed = 0
  }
}
