/** Histories for tests of stores, and what they must leave behind. */
import type { JournalEntry, Store, StoredChange, StoredTransaction } from './store.ts'

/** A transaction at a time that its index gives, so that tests can name times. */
export function transaction(index: number, ...changes: StoredChange[]): StoredTransaction {
  return { index, time: timeOf(index), cause: `{"author":"test","number":${index}}`, changes }
}

/** A creation, or an update of what was there before. */
export function put(table: string, id: string, data: string, before: string | null = null): StoredChange {
  return { table, id, data, before, after: data }
}

/** A deletion of what was there before. */
export function remove(table: string, id: string, before: string): StoredChange {
  return { table, id, data: null, before, after: null }
}

/** All from the first to the last. */
export function numbers(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
}

/** All rows by `table/id`. */
export async function rowsOf(store: Store): Promise<Map<string, string>> {
  const rows = new Map<string, string>()
  await store.load((chunk) => {
    for (const { table, id, data } of chunk) rows.set(`${table}/${id}`, data)
  })
  return rows
}

/** The time of the transaction with this index. */
export function timeOf(index: number): string {
  return new Date(Date.UTC(2026, 0, 1) + index * 1_000).toISOString()
}

/** The rows that a history leaves, by `table/id`. */
export function replay(history: readonly StoredTransaction[]): Map<string, string> {
  const rows = new Map<string, string>()
  for (const { table, id, data } of history.flatMap(({ changes }) => changes)) {
    if (data === null) rows.delete(`${table}/${id}`)
    else rows.set(`${table}/${id}`, data)
  }
  return rows
}

/** The journal that a history leaves when all of it is journaled. */
export function entriesOf(history: readonly StoredTransaction[]): JournalEntry[] {
  return history.flatMap(({ index, time, cause, changes }) =>
    changes.map(({ table, id, before, after }, ordinal) => ({ index, ordinal, time, cause, table, id, before, after })),
  )
}
