/** What SQLite reports, as the store's own errors. */
import { StoreError } from '../store.ts'

/** SQLITE_BUSY: somebody else holds the lock. */
export const busy = 5

const codes: Readonly<Record<number, StoreError['code']>> = {
  [busy]: 'STORE_BUSY',
  6: 'STORE_BUSY', // SQLITE_LOCKED
  11: 'STORE_DAMAGED', // SQLITE_CORRUPT
  26: 'STORE_DAMAGED', // SQLITE_NOTADB
}

/** The primary result code of an error that came from SQLite, else undefined. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined
  return error.errcode & 0xff
}

/** Says what could not be done to which file, and why. An error that is a `StoreError` already stays as it is. */
export function storeErrorFrom(error: unknown, attempt: string, file: string): StoreError {
  if (error instanceof StoreError) return error
  const code = codes[sqliteCode(error) ?? 0] ?? 'STORE_FAILED'
  const reason = error instanceof Error ? error.message : String(error)
  return new StoreError(code, `cannot ${attempt} ${file}: ${reason}`, { cause: error })
}
