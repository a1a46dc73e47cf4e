/**
 * The thread that reads, so that a long journal, a copy or an integrity check never keeps a commit waiting. SQLite's log
 * lets it see one consistent state while the other thread writes.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type JournalEntry, StoreError } from '../store.ts'
import { checkpoint, type LogState, makeDurable, openUntouched } from './connection.ts'
import { writeSnapshot } from './snapshot-file.ts'
import { storeErrorFrom } from './sqlite-error.ts'

/** Rows handed over at once: about a megabyte, a few milliseconds of work for whoever takes them. */
const rowsPerChunk = 2_000

const cacheKibibytes = 4 * 1024

/** Findings after which an integrity check stops. */
const mostFindings = 100

/** A piece of the journal: whole transactions, so that the next piece can start after the last index of this one. */
export interface JournalPage {
  readonly after: number
  readonly upTo: number
  /** Entries wanted at most. The first transaction comes whole even when it alone has more. */
  readonly limit: number
  readonly isReversed: boolean
}

/** Entries, and up to where the journal was pruned when they had been read. */
export interface JournalRead {
  readonly entries: readonly JournalEntry[]
  readonly prunedUpTo: number
}

interface Cursor {
  readonly db: DatabaseSync
  readonly rows: Iterator<unknown>
  /** Node 24 starts again at the first row when an iterator is asked once more after its end. */
  isAtEnd: boolean
}

export class ReadSide {
  #file = ''
  #db: DatabaseSync | undefined
  #statements: ReturnType<typeof prepareStatements> | undefined
  #cursors = new Map<number, Cursor>()
  #lastCursor = 0

  open({ file }: { readonly file: string }): void {
    this.#file = file
    this.#attempt('open', () => {
      this.#db = this.#connect()
      this.#statements = prepareStatements(this.#db)
    })
  }

  /** Starts reading all rows as they are now. A cursor has a connection of its own: other reads must see later writes. */
  openRows(): number {
    return this.#attempt('read', () => {
      const db = this.#connect()
      const select = db.prepare('SELECT tbl, id, data FROM rows')
      select.setReturnArrays(true)
      this.#lastCursor += 1
      this.#cursors.set(this.#lastCursor, { db, rows: select.iterate(), isAtEnd: false })
      return this.#lastCursor
    })
  }

  /** The next rows as table, id, data, table, id, data, …; empty at the end. */
  nextRows(cursor: number): readonly string[] {
    return this.#attempt('read', () => {
      const chunk: string[] = []
      const from = this.#cursors.get(cursor)
      if (!from) throw new StoreError('STORE_CLOSED', `${this.#file} was closed while it was read`)
      while (!from.isAtEnd && chunk.length < rowsPerChunk * 3) {
        const next = from.rows.next()
        if (next.done) from.isAtEnd = true
        else chunk.push(...(next.value as string[]))
      }
      return chunk
    })
  }

  closeRows(cursor: number): void {
    this.#cursors.get(cursor)?.db.close()
    this.#cursors.delete(cursor)
  }

  journal(page: JournalPage): JournalRead {
    return this.#attempt('read the journal of', () => {
      const entries = this.#entries(page)
      // Looked at after the entries: what was pruned while they were read is seen here.
      return { entries, prunedUpTo: Number(this.#use().pruned.get()?.['value']) }
    })
  }

  #entries({ after, upTo, limit, isReversed }: JournalPage): readonly JournalEntry[] {
    const { range, transaction } = this.#use()[isReversed ? 'newestFirst' : 'oldestFirst']
    const found = range.all(after, upTo, limit + 1) as unknown as JournalEntry[]
    const cut = found[limit]?.index
    if (cut === undefined) return found
    const whole = found.filter(({ index }) => index !== cut)
    return whole.length > 0 ? whole : (transaction.all(cut) as unknown as JournalEntry[])
  }

  /** Throws the bare reason when the copy fails: that is no failure of the store. */
  snapshot(path: string): void {
    this.#use().snapshot(path)
  }

  check(): readonly string[] {
    return this.#attempt('check', () => {
      try {
        const findings = this.#use()
          .check.all()
          .map((line) => String(line['integrity_check']))
        return findings[0] === 'ok' ? [] : findings
      } catch (error) {
        const { code, message } = storeErrorFrom(error, 'finish the check of', this.#file)
        if (code === 'STORE_DAMAGED') return [message]
        throw error
      }
    })
  }

  checkpoint(): LogState {
    return this.#attempt('checkpoint', () => this.#use().checkpoint())
  }

  close(): void {
    for (const cursor of this.#cursors.keys()) this.closeRows(cursor)
    this.#statements = undefined
    this.#db?.close()
    this.#db = undefined
  }

  #connect(): DatabaseSync {
    const db = openUntouched(this.#file)
    makeDurable(db, cacheKibibytes)
    return db
  }

  #use(): ReturnType<typeof prepareStatements> {
    if (!this.#statements) throw new StoreError('STORE_CLOSED', `${this.#file} is closed`)
    return this.#statements
  }

  #attempt<Result>(attempt: string, work: () => Result): Result {
    try {
      return work()
    } catch (error) {
      throw storeErrorFrom(error, attempt, this.#file)
    }
  }
}

function prepareStatements(db: DatabaseSync) {
  const columns = 'SELECT idx AS "index", ord AS ordinal, time, cause, tbl AS "table", id, before, after FROM journal'
  const inOrder = (order: 'ASC' | 'DESC'): Record<'range' | 'transaction', StatementSync> => ({
    range: db.prepare(`${columns} WHERE idx > ? AND idx <= ? ORDER BY idx ${order}, seq ${order} LIMIT ?`),
    transaction: db.prepare(`${columns} WHERE idx = ? ORDER BY seq ${order}`),
  })
  return {
    oldestFirst: inOrder('ASC'),
    newestFirst: inOrder('DESC'),
    pruned: db.prepare("SELECT value FROM meta WHERE key = 'pruned'"),
    check: db.prepare(`PRAGMA integrity_check(${mostFindings})`),
    checkpoint: () => checkpoint(db),
    snapshot: (path: string) => writeSnapshot(db, path),
  }
}
