/** The thread that writes: it owns the file and makes batches durable, one commit each. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { StoreError, type StoreHead } from '../store.ts'
import type { Batch } from './batch.ts'
import { checkpoint, type LogState, makeDurable, openUntouched } from './connection.ts'
import { ensurePrivateFile } from './durable-file.ts'
import { takeOwnership } from './ownership.ts'
import { migrate, readMeta, recogniseStore } from './schema.ts'
import { writeSnapshot } from './snapshot-file.ts'
import { storeErrorFrom } from './sqlite-error.ts'

/** Entries that one step of pruning looks at: about ten milliseconds during which appends wait. */
const pruneStep = 1_000

/** Enough for the inner pages of the indexes; leaves are in the operating system's cache anyway. */
const cacheKibibytes = 16 * 1024

export interface WriteOptions {
  readonly file: string
  readonly migrations: readonly string[]
  /** Names the copy that precedes a migration. */
  readonly stamp: string
}

export interface PruneLimits {
  readonly olderThan?: string
  readonly maxBytes?: number
}

/** What one step of pruning did, and whether another may find more. */
export interface PruneProgress {
  readonly removed: number
  readonly isDone: boolean
  /** The last index that went, if any did. */
  readonly prunedUpTo?: number
}

export class WriteSide {
  #file = ''
  #ownership: Disposable | undefined
  #db: DatabaseSync | undefined
  #statements: ReturnType<typeof prepareStatements> | undefined
  /** Changes only when somebody else commits to the file. */
  #dataVersion: unknown
  /** Bytes of all journal entries ever written. */
  #journalEnd = 0
  #failure: StoreError | undefined

  /** Takes ownership and brings the file to the present layout. Throws with nothing left open. */
  open({ file, migrations, stamp }: WriteOptions): StoreHead {
    this.#file = file
    try {
      this.#ownership = takeOwnership(file)
      ensurePrivateFile(file)
      const db = openUntouched(file)
      this.#db = db
      const version = recogniseStore(db, file, migrations.length)
      makeDurable(db, cacheKibibytes)
      if (version > 0 && version < migrations.length) writeSnapshot(db, `${file}-schema-${version}-${stamp}`)
      if (version < migrations.length) migrate(db, version, migrations)
      const statements = prepareStatements(db)
      this.#statements = statements
      // A file that cannot be written is refused now, not at the first mutation.
      statements.begin.run()
      this.#dataVersion = statements.dataVersion.get()?.['data_version']
      statements.commit.run()
      this.#journalEnd = readJournalEnd(db)
      return { ...readMeta(db, file), schemaVersion: migrations.length }
    } catch (error) {
      this.close()
      throw storeErrorFrom(error, 'open', file)
    }
  }

  /** Makes the batch durable. After one failure nothing is tried again: what the disk holds is unknown until reopened. */
  append(batch: Batch): void {
    if (this.#failure) throw this.#failure
    try {
      this.#commit((statements) => this.#write(statements, batch))
    } catch (error) {
      throw this.#fail(error, 'write')
    }
  }

  /** Removes whole transactions from the start of the journal, few enough that appends need not wait for long. */
  prune({ olderThan, maxBytes }: PruneLimits): PruneProgress {
    if (this.#failure) throw this.#failure
    try {
      return this.#commit((statements) => {
        const first = Number(statements.firstEntry.get()?.['seq'])
        if (!first) return { removed: 0, isDone: true }
        const end = first + pruneStep
        const start = maxBytes === undefined ? 0 : this.#journalEnd - maxBytes
        const kept = statements.firstKept.get(first, end, olderThan ?? '', start)?.['seq']
        const last = statements.lastBefore.get(Number(kept ?? end))?.['idx']
        if (last === undefined) return { removed: 0, isDone: true }
        const removed = Number(statements.removeEntries.run(Number(last)).changes)
        statements.setMeta.run(Number(last), 'pruned')
        return { removed, isDone: kept !== undefined, prunedUpTo: Number(last) }
      })
    } catch (error) {
      throw this.#fail(error, 'prune the journal of')
    }
  }

  /** Takes what other programs have committed as it is. */
  acceptForeignWrites(): void {
    if (this.#failure) throw this.#failure
    try {
      const statements = this.#use()
      statements.begin.run()
      this.#dataVersion = statements.dataVersion.get()?.['data_version']
      statements.commit.run()
    } catch (error) {
      throw this.#fail(error, 'read')
    }
  }

  /** Moves the last pages of the log, so that the next commit starts it afresh. */
  checkpoint(): LogState {
    if (this.#failure) throw this.#failure
    try {
      return checkpoint(this.#openDatabase())
    } catch (error) {
      throw this.#fail(error, 'checkpoint')
    }
  }

  /** Ends an open transaction without effect, closes the file and gives it free. */
  close(): void {
    this.#statements = undefined
    this.#db?.close()
    this.#db = undefined
    this.#ownership?.[Symbol.dispose]()
    this.#ownership = undefined
  }

  #commit<Result>(work: (statements: ReturnType<typeof prepareStatements>) => Result): Result {
    const statements = this.#use()
    statements.begin.run()
    if (statements.dataVersion.get()?.['data_version'] !== this.#dataVersion) {
      throw new StoreError('STORE_FAILED', `${this.#file} was changed by another program`)
    }
    const result = work(statements)
    statements.commit.run()
    return result
  }

  #use(): ReturnType<typeof prepareStatements> {
    if (!this.#statements) throw new StoreError('STORE_CLOSED', `${this.#file} is closed`)
    return this.#statements
  }

  #write(statements: ReturnType<typeof prepareStatements>, batch: Batch): void {
    const { putRow, removeRow, addEntry, setMeta } = statements
    let at = 0
    const next = <Kind>() => batch[at++] as Kind
    let index = 0
    for (let transactions = next<number>(); transactions > 0; transactions -= 1) {
      index = next<number>()
      const time = next<string>()
      const cause = next<string>()
      const changes = next<number>()
      for (let ordinal = 0; ordinal < changes; ordinal += 1) {
        const table = next<string>()
        const id = next<string>()
        const data = next<string | null>()
        const before = next<string | null>()
        const after = next<string | null>()
        if (data === null) removeRow.run(table, id)
        else putRow.run(table, id, data)
        if (before === null && after === null) continue
        addEntry.run(index, ordinal, time, cause, table, id, before, after, this.#journalEnd)
        this.#journalEnd += entrySize(time, cause, table, id, before, after)
      }
    }
    setMeta.run(index, 'head')
  }

  #openDatabase(): DatabaseSync {
    if (!this.#db) throw new StoreError('STORE_CLOSED', `${this.#file} is closed`)
    return this.#db
  }

  /** The transaction is left to `close`, which rolls it back: nothing more is written here. */
  #fail(error: unknown, attempt: string): StoreError {
    const { message } = storeErrorFrom(error, attempt, this.#file)
    this.#failure = new StoreError('STORE_FAILED', message, { cause: error })
    return this.#failure
  }
}

function prepareStatements(db: DatabaseSync) {
  return {
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    dataVersion: db.prepare('PRAGMA data_version'),
    putRow: db.prepare(
      `INSERT INTO rows (tbl, id, data) VALUES (?, ?, ?) ON CONFLICT (tbl, id) DO UPDATE SET data = excluded.data`,
    ),
    removeRow: db.prepare('DELETE FROM rows WHERE tbl = ? AND id = ?'),
    addEntry: db.prepare(
      `INSERT INTO journal (idx, ord, time, cause, tbl, id, before, after, start) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    setMeta: db.prepare('UPDATE meta SET value = CAST(? AS INTEGER) WHERE key = ?'),
    firstEntry: db.prepare('SELECT min(seq) AS seq FROM journal'),
    firstKept: db.prepare(
      'SELECT seq FROM journal WHERE seq >= ? AND seq < ? AND time >= ? AND start >= ? ORDER BY seq LIMIT 1',
    ),
    lastBefore: db.prepare('SELECT idx FROM journal WHERE seq < ? ORDER BY seq DESC LIMIT 1'),
    removeEntries: db.prepare('DELETE FROM journal WHERE idx <= ?'),
  } satisfies Record<string, StatementSync>
}

function entrySize(...texts: readonly (string | null | undefined)[]): number {
  return texts.reduce((sum, text) => sum + (text ? Buffer.byteLength(text) : 0), 0)
}

function readJournalEnd(db: DatabaseSync): number {
  const last = db.prepare('SELECT * FROM journal ORDER BY seq DESC LIMIT 1').get() as
    | (Record<'time' | 'cause' | 'tbl' | 'id' | 'before' | 'after', string> & { start: number })
    | undefined
  if (!last) return 0
  return last.start + entrySize(last.time, last.cause, last.tbl, last.id, last.before, last.after)
}
