/**
 * The present: every table in memory. Only the writer changes it, and only by whole transactions that are durable.
 */
import type { TableSpec } from './index-spec.ts'
import type { Row, TableName, TableRows } from './row.ts'
import { Table } from './table.ts'
import type { RowChange, View } from './view.ts'

export class Tables implements View {
  readonly #tables = new Map<string, Table>()
  #version = 0

  constructor(specs: Iterable<TableSpec>) {
    for (const spec of specs) this.#tables.set(spec.name, new Table(spec, { isSearched: true }))
  }

  /** Grows with every applied batch: what a cached answer is valid for. */
  get version(): number {
    return this.#version
  }

  has(table: string): table is TableName {
    return this.#tables.has(table)
  }

  get names(): readonly TableName[] {
    return [...this.#tables.keys()] as TableName[]
  }

  fill(table: TableName, rows: Iterable<Row>): void {
    this.#table(table).fill(rows)
  }

  apply(changes: Iterable<RowChange>): void {
    this.#version++
    for (const change of changes) this.#table(change.table).replace(change.id, change.after)
  }

  get<T extends TableName>(table: T, id: string): TableRows[T] | undefined {
    return this.#table(table).rows.get(id) as TableRows[T] | undefined
  }

  size(table: TableName): number {
    return this.#table(table).rows.size
  }

  rows<T extends TableName>(table: T): IteratorObject<TableRows[T]> {
    return this.#table(table).inIdOrder() as IteratorObject<TableRows[T]>
  }

  /** All rows in no particular order, for whoever takes its time: rows may come and go between two steps. */
  unordered<T extends TableName>(table: T): IteratorObject<TableRows[T]> {
    return this.#table(table).rows.values() as IteratorObject<TableRows[T]>
  }

  find<T extends TableName>(table: T, index: string, key: string): IteratorObject<TableRows[T]> {
    return this.#table(table).find(index, key) as IteratorObject<TableRows[T]>
  }

  containing<T extends TableName>(table: T, index: string, part: string): IteratorObject<TableRows[T]> | undefined {
    return this.#table(table).containing(index, part) as IteratorObject<TableRows[T]> | undefined
  }

  countOf(table: TableName, index: string, key: string): number {
    return this.#table(table).countOf(index, key)
  }

  keys(table: TableName, index: string): IteratorObject<string> {
    return this.#table(table).keys(index)
  }

  ordered<T extends TableName>(table: T, index: string): IteratorObject<TableRows[T]> {
    return this.#table(table).inKeyOrder(index) as IteratorObject<TableRows[T]>
  }

  #table(name: string): Table {
    const table = this.#tables.get(name)
    if (table === undefined) throw new Error(`there is no table ${name}`)
    return table
  }
}
