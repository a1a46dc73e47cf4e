/**
 * Hot (bench/api.ts, `name contains`): finds the rows whose text may contain a part, without reading all of them, by
 * every three characters in a row that the texts hold.
 *
 * Letters count in upper case, so that one index serves searches of either kind. Threes that many rows share say nothing
 * (`identity-` in the names of all identities); they are given up, which also bounds the memory.
 */
const PART = 3

/** A three is given up when more rows than this hold it, and more than a fiftieth of all. */
const COMMON = 2_000
const COMMON_SHARE = 50

type Holders = Set<string> | 'common'

export class TextParts {
  readonly #holders = new Map<string, Holders>()
  #size = 0

  add(id: string, text: string): void {
    this.#size++
    for (const part of threesOf(text)) {
      const held = this.#holders.get(part)
      if (held === undefined) this.#holders.set(part, new Set([id]))
      else if (held === 'common') continue
      else if (held.size > COMMON && held.size > this.#size / COMMON_SHARE) this.#holders.set(part, 'common')
      else held.add(id)
    }
  }

  delete(id: string, text: string): void {
    this.#size--
    for (const part of threesOf(text)) {
      const held = this.#holders.get(part)
      if (held === undefined || held === 'common') continue
      held.delete(id)
      if (held.size === 0) this.#holders.delete(part)
    }
  }

  /** The ids among which all are whose text contains the part, in any case; undefined when it could be any. */
  candidates(part: string): ReadonlySet<string> | undefined {
    let fewest: ReadonlySet<string> | undefined
    for (const three of threesOf(part)) {
      const held = this.#holders.get(three)
      if (held === undefined) return none
      if (held !== 'common' && (fewest === undefined || held.size < fewest.size)) fewest = held
    }
    return fewest
  }
}

const none: ReadonlySet<string> = new Set()

function* threesOf(text: string): Generator<string> {
  const upper = text.toUpperCase()
  for (let at = 0; at + PART <= upper.length; at++) yield upper.slice(at, at + PART)
}
