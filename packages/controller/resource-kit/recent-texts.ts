/**
 * Texts that were made of rows, kept for a while: two generations, of which the older one goes when the younger is full.
 * A row that changes is another object, so what is kept never has to be taken back.
 */
import type { Row } from '../state/row.ts'

export class RecentTexts {
  readonly #most: number
  #young = new Map<Row, string>()
  #old = new Map<Row, string>()
  #characters = 0

  /** Keeps up to twice as many characters. */
  constructor(most: number) {
    this.#most = most
  }

  get(row: Row): string | undefined {
    const young = this.#young.get(row)
    if (young !== undefined) return young
    const old = this.#old.get(row)
    if (old !== undefined) this.set(row, old)
    return old
  }

  set(row: Row, text: string): void {
    if (this.#characters + text.length > this.#most) {
      this.#old = this.#young
      this.#young = new Map()
      this.#characters = 0
    }
    this.#young.set(row, text)
    this.#characters += text.length
  }
}
