/**
 * Long work in short turns: whoever goes through everything there is asks now and then whether its turn is over, and lets
 * requests and timers go first.
 */
import { setImmediate } from 'node:timers/promises'
import type { Clock } from './clock.ts'

const turnMilliseconds = 10

export class Turns {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #signal: AbortSignal | undefined
  #end: number

  constructor(clock: Pick<Clock, 'monotonic'>, signal?: AbortSignal) {
    this.#clock = clock
    this.#signal = signal
    this.#end = clock.monotonic() + turnMilliseconds
  }

  get isOver(): boolean {
    return this.#clock.monotonic() >= this.#end
  }

  /** Waits for the next turn; throws when there is none to come. */
  async next(): Promise<void> {
    this.#signal?.throwIfAborted()
    await setImmediate()
    this.#signal?.throwIfAborted()
    this.#end = this.#clock.monotonic() + turnMilliseconds
  }
}
