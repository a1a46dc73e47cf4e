/**
 * From a list request to its answer: query, page, records, envelope.
 *
 * The rows may come from a table, from below an entity, or from no table at all.
 */
import { refusal } from '../operation/api-error.ts'
import { answerList, streamedList, writtenList } from '../operation/envelope.ts'
import type { Answer, Call } from '../operation/operation.ts'
import { type CompiledQuery, compileListQuery, compileQuery } from '../query/compile.ts'
import { FilterError } from '../query/filter-error.ts'
import { clausePaging, effectivePaging, type Paging, readPagingParameter } from '../query/paging.ts'
import { type RowSource, type Selection, select, selectInTurns } from '../query/select.ts'
import type { SymbolTable } from '../query/symbol.ts'
import type { Turns } from '../turns.ts'

export interface QueriedList<R, Context> {
  readonly source: RowSource<R>
  readonly symbols: SymbolTable<R, Context>
  /** What reading a symbol may look at. */
  readonly context: Context
  /** The names the answer advertises; without them it advertises none. */
  readonly filterableFields?: readonly string[]
  readonly record: (row: R) => unknown
  /** The same record as JSON, where that can be had faster. */
  readonly text?: (row: R) => string
  readonly contentType?: string | undefined
}

/** Answers by `filter`, `sort`, `limit` and `offset`, as all lists of entities do. */
export function answerQuery<R, Context>(call: Call, list: QueriedList<R, Context>): Answer {
  const query = readQuery(call, list)
  const paging = requestedPaging(call, query)
  return answerPage(list, paging, select(list.source, query, paging, list.context))
}

/** The same for lists that may be long: a filter that is asked of many rows is asked in turns. */
export function answerQueryInTurns<R, Context>(
  call: Call,
  list: QueriedList<R, Context>,
  turns: () => Turns,
): Answer | Promise<Answer> {
  const query = readQuery(call, list)
  const paging = requestedPaging(call, query)
  const selection = selectInTurns(list.source, query, paging, list.context, turns)
  if (selection instanceof Promise) return selection.then((selected) => answerPage(list, paging, selected))
  return answerPage(list, paging, selection)
}

function readQuery<R, Context>(call: Call, { symbols }: QueriedList<R, Context>): CompiledQuery<R, Context> {
  const filter = call.query.get('filter') ?? ''
  const sort = call.query.get('sort') ?? ''
  return refusingBadFilters(() => compileListQuery({ filter, sort }, symbols))
}

/** Answers by `filter` alone; what the filter does not bound is listed whole. */
export function answerFilter<R, Context>(call: Call, list: QueriedList<R, Context>): Answer {
  const query = refusingBadFilters(() => compileQuery(call.query.get('filter') ?? '', list.symbols))
  const paging = clausePaging(query)
  return answerPage(list, paging, select(list.source, query, paging, list.context))
}

/** Longer lists are written while they are sent. No page is that long; only a list without a limit is. */
const LONGEST_AT_ONCE = 1_000

function answerPage<R, Context>(
  { record, text, filterableFields, contentType }: QueriedList<R, Context>,
  paging: Paging,
  { rows, totalCount }: Selection<R>,
): Answer {
  const limit = paging.limit === 'none' ? 'unlimited' : paging.limit
  const advertised = filterableFields === undefined ? {} : { filterableFields }
  const meta = { limit, offset: paging.offset, totalCount, ...advertised } as const
  const records = () => rows.map(record)
  if (rows.length > LONGEST_AT_ONCE) {
    const written = text ?? ((row: R) => JSON.stringify(record(row)))
    return streamedList(() => Iterator.from(rows).map(written), records, meta, contentType)
  }
  if (text === undefined) return answerList(records(), meta, contentType)
  return writtenList(rows.map(text), records, meta, contentType)
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
