/** Opens a store file the way every part of the store needs it. */
import { DatabaseSync } from 'node:sqlite'

/** Milliseconds to wait for a lock of another thread of ours; none of them is held for long. */
const lockPatience = 5_000

/** Opens the file and changes nothing in it, not even its journal mode: it may turn out not to be ours. */
export function openUntouched(file: string): DatabaseSync {
  return new DatabaseSync(file, {
    timeout: lockPatience,
    enableForeignKeyConstraints: false,
    enableDoubleQuotedStringLiterals: false,
  })
}

/**
 * Makes a commit mean "on the disk". In WAL mode FULL syncs the log at every commit; `fullfsync` is what macOS needs for
 * the same promise and means nothing elsewhere. Checkpoints are the checkpointer's work, never the commit's; a log that one huge batch
 * made long is cut back when it starts afresh.
 */
export function makeDurable(db: DatabaseSync, cacheKibibytes: number): void {
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA journal_size_limit = 134217728;
    PRAGMA cache_size = -${cacheKibibytes};
  `)
}

/** How many pages the log holds and how many of them the database file has taken over. */
export interface LogState {
  readonly pages: number
  readonly moved: number
}

/** Moves what it can from the log to the database file without making any reader or writer wait. */
export function checkpoint(db: DatabaseSync): LogState {
  const result = db.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()
  return { pages: Number(result?.['log']), moved: Number(result?.['checkpointed']) }
}
