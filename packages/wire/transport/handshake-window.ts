/**
 * How many handshakes may be under way at once, by what became of those before: the window shrinks when peers are not
 * served in time, and grows again when they are. Whoever is let in is served then, and the others come back later.
 */
export interface HandshakeWindowOptions {
  readonly minSize: number
  /** With which it starts. */
  readonly maxSize: number
  /** Above this part of successes the window grows. */
  readonly successThreshold: number
  readonly increaseFactor: number
  readonly decreaseFactor: number
  /** Successes between two looks at growing, and failures between two looks at shrinking. */
  readonly increaseCheckInterval: number
  readonly decreaseCheckInterval: number
}

export class HandshakeWindow {
  readonly #options: HandshakeWindowOptions
  #size: number
  /** Since the window changed last. */
  #succeeded = 0
  #failed = 0

  constructor(options: HandshakeWindowOptions) {
    this.#options = options
    this.#size = options.maxSize
  }

  get size(): number {
    return Math.floor(this.#size)
  }

  succeeded(): void {
    const { maxSize, successThreshold, increaseFactor, increaseCheckInterval } = this.#options
    if (++this.#succeeded % increaseCheckInterval !== 0) return
    const isServing = this.#succeeded / (this.#succeeded + this.#failed) > successThreshold
    if (isServing) this.#become(Math.min(maxSize, Math.max(this.#size + 1, this.#size * increaseFactor)))
  }

  /** A peer was not served in time. */
  failed(): void {
    const { minSize, decreaseFactor, decreaseCheckInterval } = this.#options
    if (++this.#failed % decreaseCheckInterval === 0) this.#become(Math.max(minSize, this.#size * decreaseFactor))
  }

  #become(size: number): void {
    this.#size = size
    this.#succeeded = 0
    this.#failed = 0
  }
}
