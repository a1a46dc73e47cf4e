/**
 * What the journal says of each row, against what there is.
 *
 * The journal is read from its beginning, and only rows that disagree with the entry at hand are remembered: a session that
 * came and went is forgotten at its end, so memory follows what disagrees, not the length of the journal.
 */
import { readRow } from '../state/load.ts'
import type { Row } from '../state/row.ts'
import type { Tables } from '../state/tables.ts'
import type { JournalEntry, Store } from '../store/store.ts'
import type { Turns } from '../turns.ts'
import { type RowName, rowKey } from './finding.ts'

/** A row and the index of the newest journal entry about it. */
export interface JournaledRow extends RowName {
  readonly index: number
}

export interface JournalVerdict {
  /** Rows that should exist and do not. */
  readonly lost: ReadonlyMap<string, JournaledRow>
  /** Rows that exist and should not. */
  readonly deleted: ReadonlyMap<string, JournaledRow>
  /** Where the newest images of the rows are that were asked for. */
  readonly images: ReadonlyMap<string, JournaledRow>
}

const entriesAtOnce = 1_000

export async function compareJournaledRows(
  { store, tables }: { readonly store: Pick<Store, 'head' | 'journal'>; readonly tables: Tables },
  turns: Turns,
  wanted: ReadonlySet<string>,
): Promise<JournalVerdict> {
  const lost = new Map<string, JournaledRow>()
  const deleted = new Map<string, JournaledRow>()
  const images = new Map<string, JournaledRow>()
  const upTo = store.head.index
  let after = 0
  while (after < upTo) {
    const entries = await store.journal({ after, upTo, limit: entriesAtOnce })
    for (const entry of entries) {
      if (turns.isOver) await turns.next()
      take(entry)
    }
    after = entries.at(-1)?.index ?? upTo
    await turns.next()
  }
  // What was pruned meanwhile may have been read without what came after it.
  for (const rows of [lost, deleted, images]) {
    for (const [key, { index }] of rows) if (index <= store.head.prunedUpTo) rows.delete(key)
  }
  return { lost, deleted, images }

  function take({ table, id, index, after: image }: JournalEntry): void {
    if (!tables.has(table)) return
    const key = rowKey({ table, id })
    const exists = tables.get(table, id) !== undefined
    const shouldExist = image !== null
    if (!exists && shouldExist) lost.set(key, { table, id, index })
    else lost.delete(key)
    if (exists && !shouldExist) deleted.set(key, { table, id, index })
    else deleted.delete(key)
    if (shouldExist && wanted.has(key)) images.set(key, { table, id, index })
  }
}

/** The row as a journal entry shows it, without its secrets; undefined when that is gone or damaged as well. */
export async function readImage(
  store: Pick<Store, 'journal'>,
  { table, id, index }: JournaledRow,
): Promise<Row | undefined> {
  const entries = await store.journal({ after: index - 1, upTo: index })
  const entry = entries.findLast((one) => one.table === table && one.id === id && one.after !== null)
  const image = entry === undefined ? undefined : readRow(entry.after!, id)
  return typeof image === 'string' ? undefined : image
}
