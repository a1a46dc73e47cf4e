/** How long to wait before a controller is dialled again: longer each time, never so long that a return goes unnoticed. */

export interface DialBackoffOptions {
  /** Milliseconds; likewise `max`. */
  readonly first: number
  readonly max: number
  readonly factor: number
  /** The part of a wait by which chance may change it either way, so that many routers do not come back in step. */
  readonly jitter: number
}

/**
 * The Go peer waits up to five minutes. Ours stays at a few seconds: a network whose controller is back is whole again
 * within ten.
 */
export const controllerBackoff: DialBackoffOptions = { first: 50, max: 5_000, factor: 1.5, jitter: 0.5 }

export class DialBackoff {
  readonly #options: DialBackoffOptions
  readonly #random: () => number
  #wait: number

  constructor(options: DialBackoffOptions = controllerBackoff, random: () => number = Math.random) {
    this.#options = options
    this.#random = random
    this.#wait = options.first
  }

  /** The wait after another failure. */
  next(): number {
    const { max, factor, jitter } = this.#options
    const wait = this.#wait * (1 + jitter * (2 * this.#random() - 1))
    this.#wait = Math.min(this.#wait * factor, max)
    return wait
  }

  reset(): void {
    this.#wait = this.#options.first
  }
}
