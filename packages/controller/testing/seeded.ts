/** Random choices that a seed repeats: a failing test names it. */
export class Seeded {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A whole number below another. */
  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    // The low bits of this generator repeat soon.
    return (this.#state >>> 8) % limit
  }

  chance(oneIn: number): boolean {
    return this.below(oneIn) === 0
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }

  /** Some of them, in their order. */
  some<T>(list: readonly T[], oneIn = 2): T[] {
    return list.filter(() => this.chance(oneIn))
  }
}
