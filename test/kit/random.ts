/** Random choices that can be made again: a failing test prints its seed, and WEFT_SEED repeats it. */
export interface Random {
  readonly seed: number
  /** From 0 up to, but not including, `below`. */
  integer(below: number): number
  oneOf<T>(values: readonly T[]): T
}

export function seededRandom(seed = Number(process.env.WEFT_SEED ?? Math.trunc(Math.random() * 2 ** 31))): Random {
  let state = seed >>> 0
  const integer = (below: number) => {
    // mulberry32: small, and good enough to choose what to do next.
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
  return { seed, integer, oneOf: (values) => values[integer(values.length)]! }
}

/** The same values in another order. */
export function shuffled<T>(values: readonly T[], random: Random): T[] {
  const left = [...values]
  return values.map(() => left.splice(random.integer(left.length), 1)[0]!)
}
