/**
 * Sort orders. Rows sort by at most five symbols and then by id, so that an order is always total and pages never
 * overlap; missing values come first, or last when descending; text sorts by its bytes.
 */
import { compareBytes } from './byte-order.ts'
import { checkNames } from './check-names.ts'
import { FilterError } from './filter-error.ts'
import { parseFilter } from './parser.ts'
import { compilePredicate } from './predicate.ts'
import { Scope } from './scope.ts'
import { findSymbol, type SymbolTable, type SymbolType, type Value } from './symbol.ts'
import type { SortNode } from './syntax-tree.ts'

export const maxSortFields = 5

/** One step of an order. */
export interface SortField<Row, Context> {
  readonly name: string
  readonly isAscending: boolean
  readonly type: SymbolType
  readonly value: (row: Row, context: Context) => Value
}

/** Reads the `sort` parameter of a list, e.g. `name desc, createdAt`. Empty text gives the default order. */
export function parseSort<Row, Context>(
  text: string,
  table: SymbolTable<Row, Context>,
): readonly SortField<Row, Context>[] {
  if (text === '') return resolveSort([], table)
  try {
    // The peers put the text behind these words, and count columns from their beginning.
    const query = parseFilter(`true sort by ${text}`)
    const scope = new Scope(table)
    checkNames(query, scope)
    compilePredicate(query, scope)
    return resolveSort(query.sort, table)
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    const { line, column } = error
    const place = line === undefined || column === undefined ? undefined : { line, column }
    throw new FilterError(error.message, place, 'INVALID_SORT_IDENTIFIER')
  }
}

/** The whole order that a list of sort fields means: what follows `id` cannot matter, and `id` always ends it. */
export function resolveSort<Row, Context>(
  nodes: readonly SortNode[],
  table: SymbolTable<Row, Context>,
): readonly SortField<Row, Context>[] {
  const fields: SortField<Row, Context>[] = []
  for (const node of nodes.slice(0, maxSortFields)) {
    fields.push(resolveField(node, table))
    if (node.name === 'id') return fields
  }
  return [...fields, resolveField({ name: 'id', isAscending: true }, table)]
}

function resolveField<Row, Context>(
  { name, isAscending }: SortNode,
  table: SymbolTable<Row, Context>,
): SortField<Row, Context> {
  const symbol = findSymbol(table, name)
  if (symbol?.value === undefined || symbol.isSortable === false) {
    throw new FilterError(`no such sort field: ${name}`)
  }
  return { name, isAscending, type: symbol.type, value: symbol.value }
}

/** Compares rows by these fields. */
export function compareBy<Row, Context>(
  fields: readonly SortField<Row, Context>[],
  context: Context,
): (a: Row, b: Row) => number {
  const [first, ...others] = fields.map((field) => compareField(field, context))
  if (first === undefined) return () => 0
  const [second] = others
  if (second === undefined) return first
  if (others.length === 1) return (a, b) => first(a, b) || second(a, b)
  return (a, b) => {
    const order = first(a, b)
    if (order !== 0) return order
    for (const other of others) {
      const next = other(a, b)
      if (next !== 0) return next
    }
    return 0
  }
}

function compareField<Row, Context>(
  { type, value, isAscending }: SortField<Row, Context>,
  context: Context,
): (a: Row, b: Row) => number {
  const compare = type === 'string' ? compareText : comparePlain
  return isAscending
    ? (a, b) => compare(value(a, context), value(b, context))
    : (a, b) => compare(value(b, context), value(a, context))
}

function compareText(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return compareBytes(a, b)
  return comparePlain(a, b)
}

/** Numbers, flags (false before true) and times (whose text form sorts as they do); missing values first. */
function comparePlain(a: Value, b: Value): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1
  if (typeof a !== typeof b) return typeof a < typeof b ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}
