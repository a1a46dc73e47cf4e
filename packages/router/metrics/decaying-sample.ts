/**
 * A sample of what was measured lately: a value's chance to be in it halves about every 46 seconds. Each value gets a
 * priority that grows exponentially with time and is divided by a random number; those with the highest stay (forward
 * decay). The priorities are kept as a heap in two flat arrays, the lowest on top: it is updated for each message of a
 * link, and allocates nothing.
 */

/** What the peers keep, so that their numbers and ours mean the same. */
const size = 128
const alpha = 0.015
/** Priorities grow by e^(alpha * seconds); an hour is far from the end of a double. */
const rescaleSeconds = 3_600

export interface SampleDeps {
  /** Milliseconds that never go back. */
  readonly monotonic: () => number
  /** From 0 to 1, without 1. */
  readonly random: () => number
}

export class DecayingSample {
  readonly #deps: SampleDeps
  readonly #priorities = new Float64Array(size)
  readonly #values = new Float64Array(size)
  #length = 0
  #start: number

  constructor(deps: SampleDeps) {
    this.#deps = deps
    this.#start = deps.monotonic()
  }

  get length(): number {
    return this.#length
  }

  add(value: number): void {
    const age = (this.#deps.monotonic() - this.#start) / 1_000
    if (age > rescaleSeconds) {
      this.#rescale(age)
      this.add(value)
      return
    }
    // 1 - random is never 0.
    const priority = Math.exp(alpha * age) / (1 - this.#deps.random())
    if (this.#length < size) {
      this.#place(this.#length++, priority, value)
    } else if (priority > this.#priorities[0]!) {
      this.#sink(priority, value)
    }
  }

  clear(): void {
    this.#length = 0
    this.#start = this.#deps.monotonic()
  }

  /** The values in ascending order, in an array of the caller's own. */
  sorted(): Float64Array {
    return this.#values.slice(0, this.#length).sort()
  }

  /** Moves up from the last place. */
  #place(from: number, priority: number, value: number): void {
    let at = from
    while (at > 0) {
      const above = (at - 1) >> 1
      if (this.#priorities[above]! <= priority) break
      this.#priorities[at] = this.#priorities[above]!
      this.#values[at] = this.#values[above]!
      at = above
    }
    this.#priorities[at] = priority
    this.#values[at] = value
  }

  /** Takes the place of the lowest and moves down. */
  #sink(priority: number, value: number): void {
    let at = 0
    for (let below = 1; below < this.#length; below = 2 * at + 1) {
      if (below + 1 < this.#length && this.#priorities[below + 1]! < this.#priorities[below]!) below++
      if (this.#priorities[below]! >= priority) break
      this.#priorities[at] = this.#priorities[below]!
      this.#values[at] = this.#values[below]!
      at = below
    }
    this.#priorities[at] = priority
    this.#values[at] = value
  }

  /** One factor for all keeps their order, and so the heap. */
  #rescale(age: number): void {
    const factor = Math.exp(-alpha * age)
    for (let at = 0; at < this.#length; at++) this.#priorities[at]! *= factor
    this.#start = this.#deps.monotonic()
  }
}
