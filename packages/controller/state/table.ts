/**
 * One table in memory: rows by id, kept in id order, and its indexes.
 *
 * Ids under a key are held as a single string while there is one and as a set from the second on: most keys of most
 * indexes (names, tokens, fingerprints) have exactly one, and a hundred thousand sets of one would cost more than the rows.
 */
import type { IndexSpec, TableSpec } from './index-spec.ts'
import type { Row } from './row.ts'
import { SortedKeys } from './sorted-keys.ts'

type Holders = string | Set<string>

interface Index {
  readonly spec: IndexSpec
  readonly holders: Map<string, Holders>
  readonly order: SortedKeys | undefined
}

const nothing: readonly string[] = []

export class Table {
  readonly rows = new Map<string, Row>()
  readonly #ids = new SortedKeys()
  readonly #indexes = new Map<string, Index>()

  constructor(spec: TableSpec) {
    for (const index of spec.indexes) {
      const order = index.isOrdered ? new SortedKeys() : undefined
      this.#indexes.set(index.name, { spec: index, holders: new Map(), order })
    }
  }

  get indexes(): Iterable<IndexSpec> {
    return [...this.#indexes.values()].map((index) => index.spec)
  }

  /** Takes many rows into an empty table; sorts once at the end. */
  fill(rows: Iterable<Row>): void {
    for (const row of rows) {
      this.rows.set(row.id, row)
      for (const index of this.#indexes.values()) {
        for (const key of index.spec.keys(row)) hold(index.holders, key, row.id)
      }
    }
    this.#ids.fill(this.rows.keys())
    for (const index of this.#indexes.values()) index.order?.fill(index.holders.keys())
  }

  /** Puts `after` in place of what stands under its id, or removes the row. */
  replace(id: string, after: Row | undefined): void {
    const before = this.rows.get(id)
    for (const index of this.#indexes.values()) {
      const old = before === undefined ? nothing : index.spec.keys(before)
      const now = after === undefined ? nothing : index.spec.keys(after)
      if (sameKeys(old, now)) continue
      for (const key of old) {
        release(index.holders, key, id)
        if (!index.holders.has(key)) index.order?.delete(key)
      }
      for (const key of now) {
        hold(index.holders, key, id)
        index.order?.add(key)
      }
    }
    if (after === undefined) {
      if (this.rows.delete(id)) this.#ids.delete(id)
    } else {
      this.rows.set(id, after)
      if (before === undefined) this.#ids.add(id)
    }
  }

  *inIdOrder(): Generator<Row> {
    for (const id of this.#ids) yield this.rows.get(id)!
  }

  *find(index: string, key: string): Generator<Row> {
    const holders = this.#index(index).holders.get(key)
    if (holders === undefined) return
    if (typeof holders === 'string') yield this.rows.get(holders)!
    else for (const id of holders) yield this.rows.get(id)!
  }

  countOf(index: string, key: string): number {
    const holders = this.#index(index).holders.get(key)
    return holders === undefined ? 0 : typeof holders === 'string' ? 1 : holders.size
  }

  keys(index: string): IteratorObject<string> {
    return this.#index(index).holders.keys()
  }

  *inKeyOrder(index: string): Generator<Row> {
    const { order, holders } = this.#index(index)
    if (order === undefined) throw new Error(`index ${index} is not ordered`)
    for (const key of order) {
      const ids = holders.get(key)!
      if (typeof ids === 'string') yield this.rows.get(ids)!
      else for (const id of ids) yield this.rows.get(id)!
    }
  }

  #index(name: string): Index {
    const index = this.#indexes.get(name)
    if (index === undefined) throw new Error(`there is no index ${name}`)
    return index
  }
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
