/** How often something happens: a count, and rates a second over the last minute, five and fifteen. */

/** How often `tick` is due, in milliseconds. */
export const tickInterval = 5_000

export interface Rates {
  readonly count: number
  readonly m1Rate: number
  readonly m5Rate: number
  readonly m15Rate: number
  readonly meanRate: number
}

const decay = (minutes: number) => 1 - Math.exp(-tickInterval / (minutes * 60_000))
const decays = { m1: decay(1), m5: decay(5), m15: decay(15) }

export class Meter {
  readonly #monotonic: () => number
  readonly #start: number
  #count = 0
  #countAtTick = 0
  #m1 = 0
  #m5 = 0
  #m15 = 0
  #hasRates = false

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
    this.#start = monotonic()
  }

  get count(): number {
    return this.#count
  }

  mark(count = 1): void {
    this.#count += count
  }

  /** Called every five seconds by whoever keeps the meters. */
  tick(): void {
    const rate = ((this.#count - this.#countAtTick) * 1_000) / tickInterval
    this.#countAtTick = this.#count
    if (!this.#hasRates) {
      this.#hasRates = true
      this.#m1 = this.#m5 = this.#m15 = rate
      return
    }
    this.#m1 += decays.m1 * (rate - this.#m1)
    this.#m5 += decays.m5 * (rate - this.#m5)
    this.#m15 += decays.m15 * (rate - this.#m15)
  }

  rates(): Rates {
    const seconds = (this.#monotonic() - this.#start) / 1_000
    return {
      count: this.#count,
      m1Rate: this.#m1,
      m5Rate: this.#m5,
      m15Rate: this.#m15,
      meanRate: seconds > 0 ? this.#count / seconds : 0,
    }
  }
}
