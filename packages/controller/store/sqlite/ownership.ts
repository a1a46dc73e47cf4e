/**
 * One owner per store. The tables in memory are the truth only as long as nobody else writes the file, so whoever opens
 * a store holds a write transaction on a small database beside it for as long as it lives. The operating system lets
 * go of that lock however the process ends: there is no stale lock to remove by hand.
 */
import { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../store.ts'
import { ensurePrivateFile } from './durable-file.ts'
import { busy, sqliteCode, storeErrorFrom } from './sqlite-error.ts'

/** How long to wait for an owner that is just ending, in milliseconds. */
const patience = 1_000

/** Holds the store until disposed of. Throws `STORE_BUSY` and names the process when somebody else does. */
export function takeOwnership(file: string): Disposable {
  const lockFile = `${file}-owner`
  try {
    ensurePrivateFile(lockFile)
    const lock = new DatabaseSync(lockFile, { timeout: patience })
    try {
      lock.exec('CREATE TABLE IF NOT EXISTS owner (pid INTEGER NOT NULL)')
      lock.exec(`BEGIN IMMEDIATE; DELETE FROM owner; INSERT INTO owner (pid) VALUES (${process.pid}); COMMIT`)
      // Committed first, so that others can read who it is. Whoever slips in between is the owner then.
      lock.exec('BEGIN IMMEDIATE')
      return lock
    } catch (error) {
      const refusal = sqliteCode(error) === busy ? inUse(lock, file, error) : error
      lock.close()
      throw refusal
    }
  } catch (error) {
    throw storeErrorFrom(error, 'take ownership of', file)
  }
}

function inUse(lock: DatabaseSync, file: string, cause: unknown): StoreError {
  const owner = lock.prepare('SELECT pid FROM owner').get()
  return new StoreError('STORE_BUSY', `${file} is in use by process ${owner?.['pid']}: stop it first`, { cause })
}
