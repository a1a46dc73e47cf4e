/**
 * The truth on disk: current rows and the journal of how they came to be.
 *
 * A store knows tables, ids and JSON text; it knows nothing of what the rows mean. Every implementation (SQLite now,
 * PostgreSQL later) passes the same suite, `store.suite.ts`.
 */

/** A row as it is kept: its JSON text is opaque here, but like all text it holds no bare NUL and no half character. */
export interface StoredRow {
  readonly table: string
  readonly id: string
  readonly data: string
}

/**
 * One change of one row. `data` is the new row, or null when it is deleted. `before` and `after` are what the journal
 * shows (without secrets); a change with neither is not journaled (last activity of a session, for example).
 */
export interface StoredChange {
  readonly table: string
  readonly id: string
  readonly data: string | null
  readonly before: string | null
  readonly after: string | null
}

/** What one accepted mutation did: all of it becomes visible, or none. */
export interface StoredTransaction {
  /** The journal index: one higher than the transaction before it. */
  readonly index: number
  /** UTC, three fraction digits. */
  readonly time: string
  /** Who and why, as JSON text. */
  readonly cause: string
  readonly changes: readonly StoredChange[]
}

/** One line of the journal, as read back. */
export interface JournalEntry {
  readonly index: number
  /** Position among the changes of its transaction. */
  readonly ordinal: number
  readonly time: string
  readonly cause: string
  readonly table: string
  readonly id: string
  readonly before: string | null
  readonly after: string | null
}

export interface JournalRange {
  /** Exclusive. */
  readonly after: number
  /** Inclusive; absent: up to the head. */
  readonly upTo?: number
  /** Entries at most, in whole transactions: the first comes whole even when it alone has more. */
  readonly limit?: number
  /** Newest first, which is how a view of the past is built. */
  readonly isReversed?: boolean
}

/** What a store is and how far it has come. */
export interface StoreHead {
  /** Changes when a snapshot is restored: followers then take the full state instead of a difference. */
  readonly timeline: string
  readonly index: number
  /** The journal holds every entry after this index; 0 when nothing was ever pruned. */
  readonly prunedUpTo: number
  readonly schemaVersion: number
}

export interface Store extends AsyncDisposable {
  readonly head: StoreHead
  /** Hands over all rows as of one instant, in chunks, in no particular order. */
  load(take: (rows: readonly StoredRow[]) => void): Promise<void>
  /**
   * Makes all transactions durable in one commit, or throws having changed nothing. Input no store can keep is a
   * `RangeError` and harmless; after a `StoreError` every later call fails too.
   */
  append(transactions: readonly StoredTransaction[]): Promise<void>
  /** What is left of a stretch of the journal. Once it has answered, `head.prunedUpTo` tells whether that was all. */
  journal(range: JournalRange): Promise<readonly JournalEntry[]>
  /** Drops journal entries older than a time or beyond a size; the rows stay. Answers how many went. */
  prune(limits: { readonly olderThan?: string; readonly maxBytes?: number }): Promise<number>
  /** Writes a consistent copy while work goes on. Throws a `SnapshotError` when only the copy failed. */
  snapshot(path: string): Promise<void>
  /** What the storage engine itself finds wrong with its file; empty when sound. */
  check(): Promise<readonly string[]>
  /**
   * Goes on although another program has written to the storage, which an append would otherwise refuse. For whoever has
   * compared all rows with what they should be and is about to put them right.
   */
  acceptForeignWrites(): Promise<void>
}

/** Raised when the store can no longer promise durability. Whoever gets it must stop answering success. */
export class StoreError extends Error {
  readonly code: 'STORE_FAILED' | 'STORE_NEWER' | 'STORE_DAMAGED' | 'STORE_BUSY' | 'STORE_CLOSED'

  constructor(code: StoreError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreError'
    this.code = code
  }
}
