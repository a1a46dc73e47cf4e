/**
 * The first rows of an order without sorting all: a buffer of twice as many is sorted and halved whenever it is full,
 * and what sorts after its last row is not taken in at all.
 */
export class TopRows<Row> {
  readonly #wanted: number
  readonly #compare: (a: Row, b: Row) => number
  readonly #rows: Row[] = []
  #last: Row | undefined

  /** Keeps the first `wanted` rows by `compare`; with infinitely many wanted, all of them. */
  constructor(wanted: number, compare: (a: Row, b: Row) => number) {
    this.#wanted = wanted
    this.#compare = compare
  }

  add(row: Row): void {
    if (this.#last !== undefined && this.#compare(row, this.#last) >= 0) return
    this.#rows.push(row)
    if (this.#rows.length >= Math.max(this.#wanted * 2, 64)) this.#shrink()
  }

  /** The rows from `offset` on, in order. */
  from(offset: number): Row[] {
    this.#shrink()
    return this.#rows.slice(offset)
  }

  #shrink(): void {
    this.#rows.sort(this.#compare)
    if (this.#rows.length <= this.#wanted) return
    this.#rows.length = this.#wanted
    this.#last = this.#rows.at(-1)
  }
}
