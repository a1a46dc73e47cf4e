/** Runs a bounded number of dials at once, lets a bounded number wait, and refuses the rest. */
export interface DialPoolOptions {
  readonly workers: number
  readonly queue: number
}

export class DialPool {
  readonly #options: DialPoolOptions
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(options: DialPoolOptions) {
    this.#options = options
  }

  /** The dial's outcome, or undefined when too many wait already. */
  run<T>(dial: () => Promise<T>): Promise<T> | undefined {
    const { workers, queue } = this.#options
    if (this.#running < workers) return this.#now(dial)
    if (this.#waiting.length >= queue) return undefined
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    return promise.then(() => this.#now(dial))
  }

  async #now<T>(dial: () => Promise<T>): Promise<T> {
    this.#running++
    try {
      return await dial()
    } finally {
      this.#running--
      this.#waiting.shift()?.()
    }
  }
}
