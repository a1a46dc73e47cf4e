/**
 * Work over everything there is, done again whenever somebody wants it: in turns, one round at a time. Wishes that come
 * while a round runs are answered together by the next one.
 */
import type { Clock } from './clock.ts'
import type { Logger } from './log/logger.ts'
import { Turns } from './turns.ts'

export interface WantedRoundsDeps {
  readonly clock: Clock
  readonly log: Logger
}

export class WantedRounds implements AsyncDisposable {
  readonly #deps: WantedRoundsDeps
  readonly #what: string
  readonly #round: (turns: Turns) => Promise<void>
  readonly #stopped = new AbortController()
  #running: Promise<void> | undefined
  #isWanted = false

  /** `what` is what logs call the work. */
  constructor(deps: WantedRoundsDeps, what: string, round: (turns: Turns) => Promise<void>) {
    this.#deps = deps
    this.#what = what
    this.#round = round
  }

  want(): void {
    this.#isWanted = true
    this.#running ??= this.#runWhileWanted()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort()
    await this.#running
  }

  async #runWhileWanted(): Promise<void> {
    const { clock, log } = this.#deps
    const turns = new Turns(clock, this.#stopped.signal)
    try {
      while (this.#isWanted) {
        await turns.next()
        this.#isWanted = false
        await this.#round(turns)
      }
    } catch (err) {
      if (!this.#stopped.signal.aborted) log.error(`${this.#what} failed`, { err })
    } finally {
      // In the turn in which nothing more is wanted, so that no wish falls between.
      this.#running = undefined
    }
  }
}
