/**
 * Views of what was and of what would be, laid over the present: they cost what differs from it, not what exists.
 *
 * A view of the past puts the before-images of the journal in place of rows that have changed since. It stays what it is
 * while the present moves on, because it follows the writer for as long as it is held. Rows that have changed since come
 * without their secrets, which the journal never saw; changes outside the journal (last activity) are not undone.
 */
import type { Store } from '../store/store.ts'
import type { TableSpec } from './index-spec.ts'
import { readRow } from './load.ts'
import { Overlay } from './overlay.ts'
import type { Row, TableName } from './row.ts'
import type { RowChange, View } from './view.ts'
import type { Commit, Writer } from './writer.ts'

export interface PastDeps {
  readonly store: Pick<Store, 'head' | 'journal'>
  readonly writer: Pick<Writer, 'index' | 'follow'>
  /** The present. */
  readonly tables: View
  readonly specs: ReadonlyMap<string, TableSpec>
}

/** Asked for a state that has not been yet, or that the journal no longer tells of. */
export class PastUnknownError extends Error {
  readonly code = 'PAST_UNKNOWN'

  constructor(message: string) {
    super(message)
    this.name = 'PastUnknownError'
  }
}

/** A view of the past; disposing of it lets the present go on without it. */
export interface PastView extends View, Disposable {}

const ENTRIES_AT_ONCE = 1_000

/** The state as it was after the change with this journal index. */
export async function viewAt(deps: PastDeps, index: number): Promise<PastView> {
  const { store, writer } = deps
  const head = writer.index
  if (!Number.isSafeInteger(index) || index < 0) throw new PastUnknownError(`${index} is no journal index`)
  if (index > head) throw new PastUnknownError(`the newest change has index ${head}, there is no ${index} yet`)
  refuseIfPruned(store, index)
  const past = new FormerState(deps)
  try {
    let after = index
    while (after < head) {
      const entries = await store.journal({ after, upTo: head, limit: ENTRIES_AT_ONCE })
      refuseIfPruned(store, index)
      for (const { table, id, before } of entries) past.keep(table, id, () => imageOf(before, table, id))
      after = entries.at(-1)?.index ?? head
    }
  } catch (error) {
    past[Symbol.dispose]()
    throw error
  }
  past.takeNews()
  return past
}

/** A view with changes laid over it that nobody has made. */
export function proposedView(
  view: View,
  specs: ReadonlyMap<string, TableSpec>,
  changes: Iterable<Pick<RowChange, 'table' | 'id' | 'after'>>,
): View {
  const proposed = new Overlay(view, specs)
  for (const { table, id, after } of changes) proposed.put(table, id, after)
  return proposed
}

function refuseIfPruned({ head }: Pick<Store, 'head'>, index: number): void {
  if (head.prunedUpTo <= index) return
  const message = `the journal begins after index ${head.prunedUpTo}: what was at ${index} is no longer known`
  throw new PastUnknownError(message)
}

function imageOf(before: string | null, table: string, id: string): Row | undefined {
  if (before === null) return undefined
  const row = readRow(before, id)
  if (typeof row === 'string') throw new PastUnknownError(`the journal's image of ${table}/${id} ${row}`)
  return row
}

class FormerState extends Overlay implements PastView {
  readonly #specs: ReadonlyMap<string, TableSpec>
  readonly #kept = new Set<string>()
  readonly #leave: () => void
  /** Commits made while the journal was read: what it tells of a row is older and counts first. */
  #news: Commit[] | undefined = []

  constructor({ tables, specs, writer }: PastDeps) {
    super(tables, specs)
    this.#specs = specs
    this.#leave = writer.follow((commits) => {
      if (this.#news !== undefined) this.#news.push(...commits)
      else this.#keepAll(commits)
    })
  }

  /** Keeps a row as it was before a change, unless an earlier change has told already. */
  keep(table: string, id: string, before: () => Row | undefined): void {
    const key = `${table}\n${id}`
    if (this.#kept.has(key) || !this.#specs.has(table)) return
    this.#kept.add(key)
    this.put(table as TableName, id, before())
  }

  /** From now on commits are held back as they come. */
  takeNews(): void {
    this.#keepAll(this.#news ?? [])
    this.#news = undefined
  }

  [Symbol.dispose](): void {
    this.#leave()
  }

  #keepAll(commits: readonly Commit[]): void {
    for (const { changes } of commits) {
      for (const { table, id, before } of changes) this.keep(table, id, () => before)
    }
  }
}
