/**
 * How many requests may be under way at a controller: a window that starts wide, shrinks when answers fail and grows
 * again when they do not. Names and numbers are those of the `ctrl.rateLimiter` section.
 */
import { DecayingMean } from './decaying-mean.ts'

export interface AdaptiveWindowOptions {
  readonly enabled: boolean
  readonly minSize: number
  readonly maxSize: number
  /** Milliseconds after which a request without an answer counts as failed. */
  readonly timeout: number
  readonly successThreshold: number
  readonly increaseFactor: number
  readonly decreaseFactor: number
  readonly increaseCheckInterval: number
  readonly decreaseCheckInterval: number
}

/** A place in the window. It is given back once, by whichever comes first. */
export interface WindowPlace {
  /** There was an answer. */
  succeed(): void
  /** The other side is too busy, or said nothing. */
  backOff(): void
  /** It came to nothing for another reason, which says nothing about the window. */
  fail(): void
}

const freePlace: WindowPlace = { succeed() {}, backOff() {}, fail() {} }

export class AdaptiveWindow {
  readonly #options: AdaptiveWindowOptions
  readonly #monotonic: () => number
  readonly #successes: DecayingMean
  /** When each place was taken, in that order. */
  readonly #taken = new Map<Place, number>()
  #size: number
  #sinceIncrease = 0
  #sinceDecrease = 0

  constructor(options: AdaptiveWindowOptions, monotonic: () => number) {
    this.#options = options
    this.#monotonic = monotonic
    this.#successes = new DecayingMean()
    this.#size = options.maxSize
  }

  get size(): number {
    return this.#size
  }

  get underWay(): number {
    return this.#taken.size
  }

  /** Undefined when there is no room. */
  take(): WindowPlace | undefined {
    if (!this.#options.enabled) return freePlace
    if (this.#taken.size >= this.#size) return undefined
    const place = new Place((outcome) => this.#giveBack(place, outcome))
    this.#taken.set(place, this.#monotonic())
    return place
  }

  /** Counts what has waited for too long as failed; called every half minute or so. */
  expire(): void {
    const latest = this.#monotonic() - this.#options.timeout
    for (const [place, since] of this.#taken) {
      if (since > latest) return
      place.backOff()
    }
  }

  #giveBack(place: Place, outcome: 'success' | 'backoff' | 'failure'): void {
    if (!this.#taken.delete(place) || outcome === 'failure') return
    const { minSize, maxSize, successThreshold } = this.#options
    this.#successes.add(outcome === 'success' ? 1 : 0)
    const mean = this.#successes.mean
    if (outcome === 'success' && ++this.#sinceIncrease >= this.#options.increaseCheckInterval) {
      this.#sinceIncrease = 0
      const grown = Math.max(this.#size + 1, Math.trunc(this.#size * this.#options.increaseFactor))
      if (mean > successThreshold) this.#size = Math.min(maxSize, grown)
    }
    if (outcome === 'backoff' && ++this.#sinceDecrease >= this.#options.decreaseCheckInterval) {
      this.#sinceDecrease = 0
      const shrunk = Math.min(this.#size - 1, Math.trunc(this.#size * this.#options.decreaseFactor))
      if (mean < successThreshold) this.#size = Math.max(minSize, shrunk)
    }
  }
}

class Place implements WindowPlace {
  readonly #giveBack: (outcome: 'success' | 'backoff' | 'failure') => void

  constructor(giveBack: (outcome: 'success' | 'backoff' | 'failure') => void) {
    this.#giveBack = giveBack
  }

  succeed(): void {
    this.#giveBack('success')
  }

  backOff(): void {
    this.#giveBack('backoff')
  }

  fail(): void {
    this.#giveBack('failure')
  }
}
