/**
 * Hot (bench/api.ts): one table in memory, rows by id, kept in id order, and its indexes.
 *
 * Ids under a key are held as a single string while there is one and as a set from the second on: most keys of most
 * indexes (names, tokens, fingerprints) have exactly one, and a hundred thousand sets of one would cost more than the rows.
 */
import type { IndexSpec, TableSpec } from './index-spec.ts'
import type { Row } from './row.ts'
import { SortedRows } from './sorted-rows.ts'
import { TextParts } from './text-parts.ts'

type Holders = string | Set<string>

interface Index {
  readonly spec: IndexSpec
  readonly holders: Map<string, Holders>
  readonly order: SortedRows | undefined
  readonly parts: TextParts | undefined
}

const nothing: readonly string[] = []

/** Always at its end, so that everybody can have the same. */
const noRows: IteratorObject<Row> = (() => {
  const rows = ([] as Row[]).values()
  rows.next()
  return rows
})()

export interface TableOptions {
  /** Keeps what a search for parts of texts needs; what lives for one batch does without. */
  readonly isSearched: boolean
}

export class Table {
  readonly rows = new Map<string, Row>()
  readonly #inIdOrder = new SortedRows((row) => row.id)
  readonly #indexes = new Map<string, Index>()

  constructor(spec: TableSpec, { isSearched }: TableOptions = { isSearched: false }) {
    for (const index of spec.indexes) {
      this.#indexes.set(index.name, {
        spec: index,
        holders: new Map(),
        order: index.isOrdered ? new SortedRows(textUnder(index.name)) : undefined,
        parts: index.isSearched && isSearched ? new TextParts() : undefined,
      })
    }
  }

  get indexes(): Iterable<IndexSpec> {
    return [...this.#indexes.values()].map((index) => index.spec)
  }

  /** Takes many rows into an empty table; sorts once at the end. */
  fill(rows: Iterable<Row>): void {
    for (const row of rows) this.rows.set(row.id, row)
    this.#inIdOrder.fill(this.rows.values())
    for (const { spec, holders, order, parts } of this.#indexes.values()) {
      const ordered: Row[] = []
      for (const row of this.rows.values()) {
        const keys = spec.keys(row)
        for (const key of keys) {
          hold(holders, key, row.id)
          parts?.add(row.id, key)
        }
        if (order !== undefined && keys.length > 0) ordered.push(row)
      }
      order?.fill(ordered)
    }
  }

  /** Puts `after` in place of what stands under its id, or removes the row. */
  replace(id: string, after: Row | undefined): void {
    const before = this.rows.get(id)
    if (before === after) return
    for (const index of this.#indexes.values()) this.#reindex(index, id, before, after)
    this.#inIdOrder.exchange(before, after)
    if (after === undefined) this.rows.delete(id)
    else this.rows.set(id, after)
  }

  #reindex({ spec, holders, order, parts }: Index, id: string, before: Row | undefined, after: Row | undefined): void {
    const old = before === undefined ? nothing : spec.keys(before)
    const now = after === undefined ? nothing : spec.keys(after)
    order?.exchange(old.length > 0 ? before : undefined, now.length > 0 ? after : undefined)
    if (sameKeys(old, now)) return
    for (const key of old) {
      release(holders, key, id)
      parts?.delete(id, key)
    }
    for (const key of now) {
      hold(holders, key, id)
      parts?.add(id, key)
    }
  }

  inIdOrder(): IteratorObject<Row> {
    return this.#inIdOrder.walk()
  }

  find(index: string, key: string): IteratorObject<Row> {
    const holders = this.#index(index).holders.get(key)
    if (holders === undefined) return noRows
    if (typeof holders === 'string') return [this.rows.get(holders)!].values()
    return holders.values().map((id) => this.rows.get(id)!)
  }

  /** Rows among which all are that have the part in a key, in upper or lower case; undefined when it could be any. */
  containing(index: string, part: string): IteratorObject<Row> | undefined {
    return this.#index(index)
      .parts?.candidates(part)
      ?.values()
      .map((id) => this.rows.get(id)!)
  }

  countOf(index: string, key: string): number {
    const holders = this.#index(index).holders.get(key)
    return holders === undefined ? 0 : typeof holders === 'string' ? 1 : holders.size
  }

  keys(index: string): IteratorObject<string> {
    return this.#index(index).holders.keys()
  }

  inKeyOrder(index: string): IteratorObject<Row> {
    const { order } = this.#index(index)
    if (order === undefined) throw new Error(`index ${index} is not ordered`)
    return order.walk()
  }

  #index(name: string): Index {
    const index = this.#indexes.get(name)
    if (index === undefined) throw new Error(`there is no index ${name}`)
    return index
  }
}

/** What an ordered index orders by: the text of the name it has. Making its keys for every comparison costs too much. */
function textUnder(name: string): (row: Row) => string {
  return (row) => (row as unknown as Readonly<Record<string, string>>)[name]!
}

function hold(holders: Map<string, Holders>, key: string, id: string): void {
  const current = holders.get(key)
  if (current === undefined) holders.set(key, id)
  else if (typeof current === 'string') {
    if (current !== id) holders.set(key, new Set([current, id]))
  } else current.add(id)
}

function release(holders: Map<string, Holders>, key: string, id: string): void {
  const current = holders.get(key)
  if (current === id) holders.delete(key)
  else if (current instanceof Set && current.delete(id) && current.size === 1) {
    const [last] = current
    holders.set(key, last!)
  }
}

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}
