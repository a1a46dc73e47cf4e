/**
 * A validation compares what the controller believes with what routers say. It begins with how many results there will be;
 * they come in any order, a few at a time.
 */

import type { ConnectedRouters } from '../../fabric/connected-routers.ts'
import { FilterError } from '../../query/filter-error.ts'
import type { TableRows } from '../../state/row.ts'
import type { View } from '../../state/view.ts'
import type { ControlConnection } from '../control-connection.ts'

export type RouterRow = TableRows['routers']

export interface Validation<Result> {
  readonly count: number
  /** Resolves when all results are told; what was not begun when the signal comes is left out. */
  run(tell: (result: Result) => Promise<void>, signal: AbortSignal): Promise<void>
}

export interface ValidationDeps {
  readonly view: View
  readonly routers: ConnectedRouters
  /** Throws `FilterError`. */
  readonly select: RowSelection
}

export interface RowSelection {
  routers(filter: string): Promise<readonly RouterRow[]>
  terminators(filter: string): Promise<readonly TableRows['terminators'][]>
  identities(filter: string): Promise<readonly TableRows['identities'][]>
}

/** How a router is asked. */
export interface RouterCheck<Result> {
  connected(router: RouterRow, connection: ControlConnection, signal: AbortSignal): Promise<Result>
  /** Of a router that is not connected, or whose answer failed. */
  failed(router: RouterRow, error: Error): Result
}

/** Routers that are asked at one time. */
const AT_ONCE = 10

/** Milliseconds: a router may have much to look at. */
export const ANSWER_LIMIT = 60_000

export class NotConnectedError extends Error {
  override readonly name = 'NotConnectedError'

  constructor() {
    super('router not connected')
  }
}

/** One result for each router that a filter selects. */
export async function ofRouters<Result>(
  { select, routers }: Pick<ValidationDeps, 'select' | 'routers'>,
  filter: string,
  check: RouterCheck<Result>,
): Promise<Validation<Result>> {
  const rows = await select.routers(filter)
  const checkOne = async (row: RouterRow, signal: AbortSignal): Promise<Result> => {
    const connection = routers.get(row.id)?.connection as ControlConnection | undefined
    if (connection === undefined) return check.failed(row, new NotConnectedError())
    try {
      return await check.connected(row, connection, signal)
    } catch (error) {
      return check.failed(row, error as Error)
    }
  }
  return {
    count: rows.length,
    run: (tell, signal) => inParallel(rows, async (row) => tell(await checkOne(row, signal)), signal),
  }
}

/** A few at a time, in order. */
export async function inParallel<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const remaining = items.values()
  const worker = async () => {
    for (const item of remaining) {
      if (signal.aborted) return
      await work(item)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** What an operator is told of a filter that is none. */
export function filterProblem(error: unknown): string {
  if (error instanceof FilterError) return error.message
  throw error
}
