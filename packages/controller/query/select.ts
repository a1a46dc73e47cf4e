/**
 * Runs a query over rows in memory, with the least that answers it: an index where the filter implies a key, a walk of
 * the page alone where everything matches and the order exists already, one pass otherwise. Measured by the scan of
 * 27,000 rows in `select.test.ts`.
 */
import type { Turns } from '../turns.ts'
import type { CompiledQuery } from './compile.ts'
import type { Paging } from './paging.ts'
import type { IndexProbe, PartProbe } from './probes.ts'
import { compareBy, type SortField } from './sort.ts'
import { TopRows } from './top-rows.ts'

/**
 * Rows and the ways to reach them. An array is served faster than another iterable, and backwards too; an iterator whose
 * `drop` leaps is served faster from the middle.
 */
export interface RowSource<Row> {
  readonly size: number
  /** Every row, in ascending order of ids (by bytes). */
  all(): Iterable<Row>
  /** The rows under a key of an index, each once. Undefined when there is no such index: then all rows are searched. */
  lookup(index: string, key: string): Iterable<Row> | undefined
  /**
   * Rows among which all are that have a part in the key of an index, in upper or lower case. Undefined when it could be
   * any row.
   */
  containing?(index: string, part: string): Iterable<Row> | undefined
  /** Every row in ascending order of a symbol and, where equal, of ids. Undefined when that order is not kept. */
  ordered?(symbol: string): Iterable<Row> | undefined
}

export interface Selection<Row> {
  readonly rows: Row[]
  /** How many rows match, whatever the page. */
  readonly totalCount: number
}

/** The page of matching rows, and how many match. */
export function select<Row, Context>(
  source: RowSource<Row>,
  query: CompiledQuery<Row, Context>,
  paging: Paging,
  context: Context,
): Selection<Row> {
  const page = pageOf(paging)
  const candidates = candidatesOf(source, query)
  if (candidates !== undefined) return selectSorting(candidates, query, page, context)
  const walk = inOrder(source, query.sort)
  if (walk === undefined) return selectSorting(source.all(), query, page, context)
  if (query.isUnconditional) return { rows: takePage(walk, page, context), totalCount: source.size }
  return selectWalking(walk, query, page, context)
}

/** Rows that are asked in one go: with the costliest filter that is accepted, a tenth of a second. */
const MOST_AT_ONCE = 2_000
const ROWS_BETWEEN_LOOKS = 64

/**
 * The same in short turns, when there are many rows to ask: others go on in between. The rows are those of the moment at
 * which it was called.
 */
export function selectInTurns<Row, Context>(
  source: RowSource<Row>,
  query: CompiledQuery<Row, Context>,
  paging: Paging,
  context: Context,
  turns: () => Turns,
): Selection<Row> | Promise<Selection<Row>> {
  if (query.isUnconditional || source.size <= MOST_AT_ONCE) return select(source, query, paging, context)
  const page = pageOf(paging)
  const candidates = candidatesOf(source, query)
  if (candidates !== undefined && sizeOf(candidates) <= MOST_AT_ONCE) {
    return selectSorting(candidates, query, page, context)
  }
  const walk = candidates === undefined ? inOrder(source, query.sort) : undefined
  const rows = [...(candidates ?? walk?.rows ?? source.all())]
  return matchingInTurns(rows, query, context, turns()).then((matching) => {
    const { length: totalCount } = matching
    if (walk !== undefined) return { rows: takePage({ ...walk, rows: matching }, page, context), totalCount }
    return selectSorting(matching, { ...query, matches: () => true }, page, context)
  })
}

async function matchingInTurns<Row, Context>(
  rows: readonly Row[],
  { matches }: CompiledQuery<Row, Context>,
  context: Context,
  turns: Turns,
): Promise<Row[]> {
  const matching: Row[] = []
  for (const [at, row] of rows.entries()) {
    if (at % ROWS_BETWEEN_LOOKS === 0 && turns.isOver) await turns.next()
    if (matches(row, context)) matching.push(row)
  }
  return matching
}

function candidatesOf<Row, Context>(
  source: RowSource<Row>,
  { probes, partProbes }: CompiledQuery<Row, Context>,
): Counted<Row> | undefined {
  return fewestCandidates(source, probes) ?? fewestContaining(source, partProbes)
}

interface Page {
  readonly offset: number
  readonly end: number
}

function pageOf({ offset, limit }: Paging): Page {
  return { offset, end: limit === 'none' ? Number.POSITIVE_INFINITY : offset + limit }
}

function selectSorting<Row, Context>(
  candidates: Iterable<Row>,
  { matches, sort }: CompiledQuery<Row, Context>,
  page: Page,
  context: Context,
): Selection<Row> {
  const top = new TopRows(page.end, compareBy(sort, context))
  let totalCount = 0
  for (const row of candidates) {
    if (!matches(row, context)) continue
    totalCount++
    top.add(row)
  }
  return { rows: top.from(page.offset), totalCount }
}

/** Rows in the order of the answer, or an array to be walked backwards by this field. */
type Walk<Row, Context> =
  | { readonly rows: Iterable<Row>; readonly descendingBy?: undefined }
  | { readonly rows: readonly Row[]; readonly descendingBy: SortField<Row, Context> }

function selectWalking<Row, Context>(
  walk: Walk<Row, Context>,
  { matches }: CompiledQuery<Row, Context>,
  page: Page,
  context: Context,
): Selection<Row> {
  if (walk.descendingBy !== undefined) {
    const rows = walk.rows.filter((row) => matches(row, context))
    return { rows: takePage({ ...walk, rows }, page, context), totalCount: rows.length }
  }
  const rows: Row[] = []
  let totalCount = 0
  for (const row of walk.rows) {
    if (!matches(row, context)) continue
    if (totalCount >= page.offset && totalCount < page.end) rows.push(row)
    totalCount++
  }
  return { rows, totalCount }
}

function takePage<Row, Context>(walk: Walk<Row, Context>, { offset, end }: Page, context: Context): Row[] {
  const ordered = walk.descendingBy === undefined ? walk.rows : descending(walk.rows, walk.descendingBy, context)
  if (Array.isArray(ordered)) return ordered.slice(offset, end)
  if (ordered instanceof Iterator)
    return ordered
      .drop(offset)
      .take(end - offset)
      .toArray()
  const rows: Row[] = []
  let at = 0
  for (const row of ordered) {
    if (at >= end) break
    if (at++ >= offset) rows.push(row)
  }
  return rows
}

/** The rows in the order asked for, if the source keeps it. */
function inOrder<Row, Context>(
  source: RowSource<Row>,
  sort: readonly SortField<Row, Context>[],
): Walk<Row, Context> | undefined {
  const [first, second] = sort
  if (first === undefined) return { rows: source.all() }
  const isById = first.name === 'id'
  if (!isById && !(second?.name === 'id' && second.isAscending)) return undefined
  const rows = isById ? source.all() : source.ordered?.(first.name)
  if (rows === undefined) return undefined
  if (first.isAscending) return { rows }
  return Array.isArray(rows) ? { rows, descendingBy: first } : undefined
}

/** An ascending order backwards, except that rows with equal values stay as they are: those are ordered by id. */
function* descending<Row, Context>(
  rows: readonly Row[],
  { value }: SortField<Row, Context>,
  context: Context,
): Generator<Row> {
  for (let end = rows.length; end > 0; ) {
    const shared = value(rows[end - 1]!, context)
    let start = end - 1
    while (start > 0 && value(rows[start - 1]!, context) === shared) start--
    for (let at = start; at < end; at++) yield rows[at]!
    end = start
  }
}

/** The smallest set of rows that an index leaves to be searched, or undefined when none is smaller than all. */
function fewestCandidates<Row>(source: RowSource<Row>, probes: readonly IndexProbe[]): Counted<Row> | undefined {
  let fewest: Counted<Row>[] | undefined
  let fewestSize = source.size
  for (const { index, keys } of probes) {
    const found = lookupAll(source, index, keys)
    const size = found?.reduce((sum, rows) => sum + sizeOf(rows), 0) ?? Number.POSITIVE_INFINITY
    if (size < fewestSize) [fewest, fewestSize] = [found, size]
  }
  if (fewest === undefined) return undefined
  return fewest.length === 1 ? fewest[0] : united(fewest)
}

function fewestContaining<Row>(source: RowSource<Row>, probes: readonly PartProbe[]): Counted<Row> | undefined {
  let fewest: readonly Row[] | undefined
  for (const { index, part } of probes) {
    const rows = source.containing?.(index, part)
    if (rows === undefined) continue
    const found = [...rows]
    if (fewest === undefined || found.length < fewest.length) fewest = found
  }
  return fewest
}

function lookupAll<Row>(source: RowSource<Row>, index: string, keys: readonly string[]): Counted<Row>[] | undefined {
  const found: Counted<Row>[] = []
  for (const key of keys) {
    const rows = source.lookup(index, key)
    if (rows === undefined) return undefined
    found.push(Array.isArray(rows) || rows instanceof Set ? rows : [...rows])
  }
  return found
}

type Counted<Row> = readonly Row[] | ReadonlySet<Row>

function sizeOf(rows: Counted<unknown>): number {
  return 'size' in rows ? rows.size : rows.length
}

function united<Row>(parts: readonly Iterable<Row>[]): Set<Row> {
  const rows = new Set<Row>()
  for (const part of parts) for (const row of part) rows.add(row)
  return rows
}
