/** A mean in which what is long ago counts less: the last hundred or so values make most of it. */
export class DecayingMean {
  readonly #weight: number
  #sum = 0
  #count = 0

  /** `values` is about how many make up the mean. */
  constructor(values = 128) {
    this.#weight = 1 - 1 / values
  }

  add(value: number): void {
    this.#sum = this.#sum * this.#weight + value
    this.#count = this.#count * this.#weight + 1
  }

  /** Zero while there is nothing. */
  get mean(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count
  }
}
