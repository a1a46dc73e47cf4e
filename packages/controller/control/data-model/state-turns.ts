/**
 * Few routers at a time are sent the whole state, in the order in which they ask: when all come back at once, the memory
 * for it is that of a few copies, however many routers there are.
 */
const MOST_AT_ONE_TIME = 8

export class StateTurns {
  readonly #waiting: (() => void)[] = []
  #free = MOST_AT_ONE_TIME

  /** Does the work when it is its turn. It has to have an end. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.push(resolve)
      await promise
    }
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}
