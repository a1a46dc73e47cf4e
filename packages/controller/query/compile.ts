/**
 * The door of the filter language: text in, a query out that can be asked of any number of rows.
 *
 * Compiling refuses everything that could fail later; asking never throws. Text, tokens, nesting and sub-queries are
 * bounded, so what a caller sends costs little before it is refused.
 */
import { checkNames } from './check-names.ts'
import { parseFilter } from './parser.ts'
import { compilePredicate, everything, type Predicate } from './predicate.ts'
import { type IndexProbe, type PartProbe, partProbesOf, probesOf } from './probes.ts'
import { Scope } from './scope.ts'
import { parseSort, resolveSort, type SortField } from './sort.ts'
import type { SymbolTable } from './symbol.ts'

export interface CompiledQuery<Row, Context> {
  readonly matches: Predicate<Row, Context>
  /** Whether every row matches. */
  readonly isUnconditional: boolean
  /** Each holds for every row that can match: any one of them may be used to find the candidates. */
  readonly probes: readonly IndexProbe[]
  /** The same for parts of texts. */
  readonly partProbes: readonly PartProbe[]
  /** The whole order; without one in the filter, by id. */
  readonly sort: readonly SortField<Row, Context>[]
  /** Whether the filter itself gives the order, which then wins over the `sort` parameter. */
  readonly hasSort: boolean
  readonly skip?: number
  readonly limit?: number | 'none'
}

/** Compiles a filter; empty text matches everything. Throws a `FilterError` for what cannot be used. */
export function compileQuery<Row, Context>(
  text: string,
  table: SymbolTable<Row, Context>,
): CompiledQuery<Row, Context> {
  const query = parseFilter(text === '' ? 'true' : text)
  const scope = new Scope(table)
  checkNames(query, scope)
  const matches = compilePredicate(query, scope)
  return {
    matches,
    isUnconditional: matches === everything,
    probes: probesOf(query.predicate, scope),
    partProbes: partProbesOf(query.predicate, scope),
    sort: resolveSort(query.sort, table),
    hasSort: query.sort.length > 0,
    skip: query.skip,
    limit: query.limit === -1 ? 'none' : query.limit,
  }
}

/** Compiles the `filter` and `sort` parameters of a list. A filter with an order of its own leaves `sort` unread. */
export function compileListQuery<Row, Context>(
  parameters: { readonly filter?: string; readonly sort?: string },
  table: SymbolTable<Row, Context>,
): CompiledQuery<Row, Context> {
  const query = compileQuery(parameters.filter ?? '', table)
  if (query.hasSort || !parameters.sort) return query
  return { ...query, sort: parseSort(parameters.sort, table) }
}
