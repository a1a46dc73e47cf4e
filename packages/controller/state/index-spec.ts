/**
 * How rows of a table can be found other than by id.
 */
import type { Row } from './row.ts'

export interface IndexSpec {
  readonly name: string
  /** The keys under which a row stands; none when the row has no value. */
  readonly keys: (row: Row) => readonly string[]
  /** Kept in key order as well, so that a list sorted by it need not sort. Its one key is the row's text of its name. */
  readonly isOrdered?: boolean
  /** Parts of its keys can be searched for without reading all rows. */
  readonly isSearched?: boolean
}

export interface TableSpec {
  readonly name: string
  readonly indexes: readonly IndexSpec[]
}
