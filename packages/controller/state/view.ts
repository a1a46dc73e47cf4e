/**
 * What can be asked of the state, whichever state it is: the present, a past journal index, or the present with a
 * proposed batch laid over it. Whoever judges access asks a view and nothing else, so "what if" and "last Tuesday" are
 * the same code as "now".
 */
import type { Row, TableName, TableRows } from './row.ts'

export interface View {
  get<T extends TableName>(table: T, id: string): TableRows[T] | undefined
  size(table: TableName): number
  /** All rows, by id in byte order. */
  rows<T extends TableName>(table: T): IteratorObject<TableRows[T]>
  /** The rows that stand under a key of an index, in no particular order. */
  find<T extends TableName>(table: T, index: string, key: string): IteratorObject<TableRows[T]>
  /** Rows among which all are that have the part in a key, in upper or lower case; undefined when it could be any. */
  containing<T extends TableName>(table: T, index: string, part: string): IteratorObject<TableRows[T]> | undefined
  /** How many rows `find` would give; cheap. An upper bound is good enough for planning. */
  countOf(table: TableName, index: string, key: string): number
  /** The keys of an index that have at least one row, in no particular order. */
  keys(table: TableName, index: string): IteratorObject<string>
  /** All rows in key order of an ordered index. */
  ordered<T extends TableName>(table: T, index: string): IteratorObject<TableRows[T]>
}

/** The first row under a key: what a unique index answers. */
export function findOne<T extends TableName>(view: View, table: T, index: string, key: string) {
  for (const row of view.find(table, index, key)) return row
  return undefined
}

/** One row put in place of another; a create has no `before`, a delete no `after`. */
export interface RowChange {
  readonly table: TableName
  readonly id: string
  readonly before: Row | undefined
  readonly after: Row | undefined
}
