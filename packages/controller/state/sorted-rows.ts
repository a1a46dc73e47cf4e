/**
 * Hot (bench/api.ts, the lists): rows in the order of one of their texts and then of their ids. They stand in chunks, so
 * that an insert into a hundred thousand moves a few hundred, and a walk can begin anywhere without walking there.
 */
import type { Row } from './row.ts'
import { compareText } from './text-order.ts'

const CHUNK = 512

/** The texts stand beside the rows, because following a hundred thousand rows to their texts misses the cache each time. */
interface Chunk {
  readonly texts: string[]
  readonly rows: Row[]
}

export class SortedRows {
  readonly #textOf: (row: Row) => string
  #chunks: Chunk[] = []

  constructor(textOf: (row: Row) => string) {
    this.#textOf = textOf
  }

  /** Takes rows in any order at once: what loading does. */
  fill(rows: Iterable<Row>): void {
    const textOf = this.#textOf
    const all = [...rows].sort((a, b) => compareText(textOf(a), textOf(b)) || compareText(a.id, b.id))
    this.#chunks = []
    for (let at = 0; at < all.length; at += CHUNK) {
      const some = all.slice(at, at + CHUNK)
      this.#chunks.push({ texts: some.map(textOf), rows: some })
    }
  }

  /** Puts a row in the place of another; either may be absent. What is to go must be there. */
  exchange(before: Row | undefined, after: Row | undefined): void {
    if (before !== undefined && after !== undefined && before.id === after.id) {
      const text = this.#textOf(before)
      if (text === this.#textOf(after)) {
        const chunk = this.#chunks[this.#chunkFor(text, before.id)]!
        chunk.rows[placeIn(chunk, text, before.id)] = after
        return
      }
    }
    if (before !== undefined) this.#delete(before)
    if (after !== undefined) this.#add(after)
  }

  walk(): RowWalk {
    return new RowWalk(this.#chunks)
  }

  #add(row: Row): void {
    const text = this.#textOf(row)
    const chunks = this.#chunks
    if (chunks.length === 0) {
      chunks.push({ texts: [text], rows: [row] })
      return
    }
    const at = this.#chunkFor(text, row.id)
    const chunk = chunks[at]!
    const place = placeIn(chunk, text, row.id)
    chunk.texts.splice(place, 0, text)
    chunk.rows.splice(place, 0, row)
    if (chunk.rows.length > CHUNK * 2) {
      chunks.splice(at + 1, 0, { texts: chunk.texts.splice(CHUNK), rows: chunk.rows.splice(CHUNK) })
    }
  }

  #delete(row: Row): void {
    const text = this.#textOf(row)
    const at = this.#chunkFor(text, row.id)
    const chunk = this.#chunks[at]!
    const place = placeIn(chunk, text, row.id)
    chunk.texts.splice(place, 1)
    chunk.rows.splice(place, 1)
    if (chunk.rows.length === 0) this.#chunks.splice(at, 1)
  }

  /** The last chunk whose first row is not after the one of this text and id, or the first chunk. */
  #chunkFor(text: string, id: string): number {
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (compareAt(this.#chunks[middle]!, 0, text, id) <= 0) low = middle
      else high = middle - 1
    }
    return low
  }
}

/** Where the row of this text and id stands in a chunk, or where it would. */
function placeIn(chunk: Chunk, text: string, id: string): number {
  let low = 0
  let high = chunk.texts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareAt(chunk, middle, text, id) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function compareAt({ texts, rows }: Chunk, at: number, text: string, id: string): number {
  return compareText(texts[at]!, text) || compareText(rows[at]!.id, id)
}

/** A walk over rows that do not change meanwhile. Unlike a generator's, its `drop` leaps. */
export class RowWalk extends Iterator<Row> {
  readonly #chunks: readonly Chunk[]
  #rows: readonly Row[] | undefined
  #next = 1
  #at = 0

  constructor(chunks: readonly Chunk[]) {
    super()
    this.#chunks = chunks
    this.#rows = chunks[0]?.rows
  }

  next(): IteratorResult<Row, undefined> {
    let rows = this.#rows
    if (rows !== undefined && this.#at === rows.length) {
      rows = this.#rows = this.#chunks[this.#next++]?.rows
      this.#at = 0
    }
    return rows === undefined ? { value: undefined, done: true } : { value: rows[this.#at++]!, done: false }
  }

  override drop(count: number): this {
    let left = count
    while (this.#rows !== undefined) {
      const taken = Math.min(left, this.#rows.length - this.#at)
      left -= taken
      this.#at += taken
      if (left === 0) break
      this.#rows = this.#chunks[this.#next++]?.rows
      this.#at = 0
    }
    return this
  }
}
