/**
 * From a list request to its answer: query, page, records, envelope.
 *
 * The rows may come from a table, from below an entity, or from no table at all.
 */
import { refusal } from '../operation/api-error.ts'
import { answerList, writtenList } from '../operation/envelope.ts'
import type { Answer, Call } from '../operation/operation.ts'
import { type CompiledQuery, compileListQuery, compileQuery } from '../query/compile.ts'
import { FilterError } from '../query/filter-error.ts'
import { clausePaging, effectivePaging, type Paging, readPagingParameter } from '../query/paging.ts'
import { type RowSource, select } from '../query/select.ts'
import type { SymbolTable } from '../query/symbol.ts'

export interface QueriedList<R, Context> {
  readonly source: RowSource<R>
  readonly symbols: SymbolTable<R, Context>
  /** What reading a symbol may look at. */
  readonly context: Context
  /** The names the answer advertises. */
  readonly filterableFields: readonly string[]
  readonly record: (row: R) => unknown
  /** The same record as JSON, where that can be had faster. */
  readonly text?: (row: R) => string
  readonly contentType?: string | undefined
}

/** Answers by `filter`, `sort`, `limit` and `offset`, as all lists of entities do. */
export function answerQuery<R, Context>(call: Call, list: QueriedList<R, Context>): Answer {
  const filter = call.query.get('filter') ?? ''
  const sort = call.query.get('sort') ?? ''
  const query = refusingBadFilters(() => compileListQuery({ filter, sort }, list.symbols))
  return answerPage(list, query, requestedPaging(call, query))
}

/** Answers by `filter` alone; what the filter does not bound is listed whole. */
export function answerFilter<R, Context>(call: Call, list: QueriedList<R, Context>): Answer {
  const query = refusingBadFilters(() => compileQuery(call.query.get('filter') ?? '', list.symbols))
  return answerPage(list, query, clausePaging(query))
}

function answerPage<R, Context>(
  { source, context, record, text, filterableFields, contentType }: QueriedList<R, Context>,
  query: CompiledQuery<R, Context>,
  paging: Paging,
): Answer {
  const { rows, totalCount } = select(source, query, paging, context)
  const limit = paging.limit === 'none' ? 'unlimited' : paging.limit
  const meta = { limit, offset: paging.offset, totalCount, filterableFields } as const
  return text === undefined
    ? answerList(rows.map(record), meta, contentType)
    : writtenList(rows.map(text), () => rows.map(record), meta, contentType)
}

function refusingBadFilters<T>(compile: () => T): T {
  try {
    return compile()
  } catch (error) {
    if (error instanceof FilterError) throw refusal(error.code, error.message)
    throw error
  }
}

function requestedPaging<R, Context>(call: Call, query: CompiledQuery<R, Context>): Paging {
  const limit = pagingParameter(call, 'limit')
  const offset = pagingParameter(call, 'offset')
  return effectivePaging(query, { ...(limit !== undefined && { limit }), ...(offset !== undefined && { offset }) })
}

function pagingParameter(call: Call, name: 'limit' | 'offset'): number | undefined {
  const value = readPagingParameter(call.query.get(name) ?? undefined)
  if (value === 'not an integer') throw refusal('INVALID_PAGINATION', `${name} must be an integer`)
  return value
}
