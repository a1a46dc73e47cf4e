/**
 * Hot (bench/api.ts, the lists): rows in the order of one of their texts and then of their ids. They stand in chunks, so
 * that an insert into a hundred thousand moves a few hundred, and a walk can begin anywhere without walking there.
 */
import type { Row } from './row.ts'
import { compareText } from './text-order.ts'

const CHUNK = 512

export class SortedRows {
  readonly #textOf: (row: Row) => string
  #chunks: Row[][] = []

  constructor(textOf: (row: Row) => string) {
    this.#textOf = textOf
  }

  /** Takes rows in any order at once: what loading does. */
  fill(rows: Iterable<Row>): void {
    const all = [...rows].sort((a, b) => this.#compare(a, b))
    this.#chunks = []
    for (let at = 0; at < all.length; at += CHUNK) this.#chunks.push(all.slice(at, at + CHUNK))
  }

  /** Puts a row in the place of another; either may be absent. What is to go must be there. */
  exchange(before: Row | undefined, after: Row | undefined): void {
    if (before !== undefined && after !== undefined && this.#compare(before, after) === 0) {
      const chunk = this.#chunks[this.#chunkFor(before)]!
      chunk[this.#placeIn(chunk, before)] = after
      return
    }
    if (before !== undefined) this.#delete(before)
    if (after !== undefined) this.#add(after)
  }

  walk(): RowWalk {
    return new RowWalk(this.#chunks)
  }

  #add(row: Row): void {
    const chunks = this.#chunks
    if (chunks.length === 0) {
      chunks.push([row])
      return
    }
    const at = this.#chunkFor(row)
    const chunk = chunks[at]!
    chunk.splice(this.#placeIn(chunk, row), 0, row)
    if (chunk.length > CHUNK * 2) chunks.splice(at, 1, chunk.slice(0, CHUNK), chunk.slice(CHUNK))
  }

  #delete(row: Row): void {
    const at = this.#chunkFor(row)
    const chunk = this.#chunks[at]!
    chunk.splice(this.#placeIn(chunk, row), 1)
    if (chunk.length === 0) this.#chunks.splice(at, 1)
  }

  /** The last chunk whose first row is not after this one, or the first chunk. */
  #chunkFor(row: Row): number {
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#compare(this.#chunks[middle]![0]!, row) <= 0) low = middle
      else high = middle - 1
    }
    return low
  }

  /** Where the row stands, or where it would. */
  #placeIn(chunk: readonly Row[], row: Row): number {
    let low = 0
    let high = chunk.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#compare(chunk[middle]!, row) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  #compare(a: Row, b: Row): number {
    return compareText(this.#textOf(a), this.#textOf(b)) || compareText(a.id, b.id)
  }
}

/** A walk over rows that do not change meanwhile. Unlike a generator's, its `drop` leaps. */
export class RowWalk extends Iterator<Row> {
  readonly #chunks: readonly (readonly Row[])[]
  #chunk: readonly Row[] | undefined
  #next = 1
  #at = 0

  constructor(chunks: readonly (readonly Row[])[]) {
    super()
    this.#chunks = chunks
    this.#chunk = chunks[0]
  }

  next(): IteratorResult<Row, undefined> {
    let chunk = this.#chunk
    if (chunk !== undefined && this.#at === chunk.length) {
      chunk = this.#chunk = this.#chunks[this.#next++]
      this.#at = 0
    }
    return chunk === undefined ? { value: undefined, done: true } : { value: chunk[this.#at++]!, done: false }
  }

  override drop(count: number): this {
    let left = count
    while (this.#chunk !== undefined && left > 0) {
      const taken = Math.min(left, this.#chunk.length - this.#at)
      left -= taken
      this.#at += taken
      if (left === 0) break
      this.#chunk = this.#chunks[this.#next++]
      this.#at = 0
    }
    return this
  }
}
