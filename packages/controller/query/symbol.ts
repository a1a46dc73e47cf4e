/**
 * What a filter may name: the bridge between the filter language and whoever holds rows.
 *
 * The language knows nothing of resources. A list hands over its public symbols; a name that is not among them does
 * not exist, which is how secrets stay out of reach.
 */

/** The types of the filter language. `any` is a tag's value, `other` can be listed but not used. */
export type SymbolType = 'string' | 'int64' | 'float64' | 'bool' | 'datetime' | 'any' | 'other'

/** A value as the evaluator sees it. Datetimes are the API's own text form (UTC, three fraction digits). */
export type Value = string | number | boolean | null

/** One symbol over rows of type `Row`, read with the help of `Context` (the view a list is answered from). */
export interface FilterSymbol<Row, Context> {
  readonly type: SymbolType
  /** The value of a plain symbol; null when the row has none. Absent on set symbols. */
  readonly value?: (row: Row, context: Context) => Value
  /** The elements of a set symbol. Absent on plain symbols. */
  readonly elements?: (row: Row, context: Context) => Iterable<Value>
  /** Whether a set of texts holds one, where that can be told without walking it. Must agree with `elements`. */
  readonly has?: (row: Row, text: string, context: Context) => boolean
  /** For a set of ids of other entities: where a sub-query (`from x where …`) reads them. */
  readonly linked?: (id: string, context: Context) => Row | undefined
  /**
   * The symbols of the rows that `linked` answers; without it they are read with the symbols of this list. A function,
   * because lists refer to each other. A sub-query may use a name only if the outer list knows it too.
   */
  readonly linkedTable?: () => SymbolTable<Row, Context>
  /** The index that answers equality on this symbol, if there is one. Its keys are the symbol's values. */
  readonly index?: string
  /** False refuses to sort by this symbol. Sets, tags and symbols of type `other` are never sortable. */
  readonly isSortable?: boolean
}

/** The public symbols of one list, `id` among them. */
export interface SymbolTable<Row, Context> {
  readonly symbols: ReadonlyMap<string, FilterSymbol<Row, Context>>
  /** Answers `tags.<key>`; a list without it has no tags. */
  readonly tag?: (row: Row, key: string) => Value
  /** How a name that is not in the table is refused, where that differs: links and circuits leave out the quotes. */
  readonly unknownSymbol?: (name: string) => string
}

const tagPrefix = 'tags.'

/** The symbol of that name, a tag's included, or undefined. */
export function findSymbol<Row, Context>(
  table: SymbolTable<Row, Context>,
  name: string,
): FilterSymbol<Row, Context> | undefined {
  const symbol = table.symbols.get(name)
  if (symbol !== undefined) return symbol
  const { tag } = table
  if (tag === undefined || !name.startsWith(tagPrefix)) return undefined
  const key = name.slice(tagPrefix.length)
  return { type: 'any', value: (row) => tag(row, key), isSortable: false }
}
