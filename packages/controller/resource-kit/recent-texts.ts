/**
 * Hot (bench/api.ts): texts that were made of rows, kept for a while, in two generations of which the older one goes when
 * the younger is full. A row that changes is another object, so what is kept never has to be taken back.
 *
 * Where more is asked for than can be kept, keeping everything would cost more than it saves. So while most texts are not
 * found, only some of them are kept.
 */
import type { Row } from '../state/row.ts'

interface Kept {
  readonly maker: object
  readonly text: string
}

/** Which part of the texts is kept while most are not found. */
const SOME = 8

export class RecentTexts {
  readonly #most: number
  #young = new Map<Row, Kept>()
  #old = new Map<Row, Kept>()
  #characters = 0
  #found = 0
  #made = 0
  #keepsAll = true

  /** Keeps up to twice as many characters. */
  constructor(most: number) {
    this.#most = most
  }

  /** What this maker has made of the row. A row has one text: of two makers that share a table, the last one's is kept. */
  get(row: Row, maker: object): string | undefined {
    let kept = this.#young.get(row)
    if (kept === undefined) {
      kept = this.#old.get(row)
      if (kept !== undefined) this.#keep(row, kept)
    }
    if (kept === undefined || kept.maker !== maker) return undefined
    this.#found++
    return kept.text
  }

  set(row: Row, maker: object, text: string): void {
    this.#made++
    if (this.#keepsAll || this.#made % SOME === 0) this.#keep(row, { maker, text })
  }

  #keep(row: Row, kept: Kept): void {
    if (this.#characters + kept.text.length > this.#most) {
      this.#old = this.#young
      this.#young = new Map()
      this.#characters = 0
      this.#keepsAll = this.#found >= this.#made
      this.#found = 0
      this.#made = 0
    }
    this.#young.set(row, kept)
    this.#characters += kept.text.length
  }
}
