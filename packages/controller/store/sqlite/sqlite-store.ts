/**
 * The embedded store: one SQLite file and two threads, so that neither a slow disk nor a long read stalls the event loop
 * or a commit.
 *
 *   <file>           rows, journal and meta (schema.ts)
 *   <file>-wal       what was committed since the last checkpoint
 *   <file>-shm       SQLite's index of it
 *   <file>-owner     the lock that keeps a second controller out (ownership.ts)
 */
import { SnapshotError } from '../snapshot-error.ts'
import {
  type JournalEntry,
  type JournalRange,
  type Store,
  type StoredRow,
  type StoredTransaction,
  StoreError,
  type StoreHead,
} from '../store.ts'
import { countChanges, packBatch } from './batch.ts'
import { Checkpointer } from './checkpointer.ts'
import { fileStamp, realName } from './durable-file.ts'
import type { ReadSide } from './read-side.ts'
import { migrations as presentMigrations } from './schema.ts'
import { storeErrorFrom } from './sqlite-error.ts'
import { WorkerLink } from './worker-link.ts'
import type { PruneLimits, WriteSide } from './write-side.ts'

/** Chunks of rows asked for ahead of the one being taken: reading and taking overlap, memory stays bounded. */
const chunksAhead = 3

/** Entries fetched from the reading thread at once: some ten milliseconds of the event loop. */
const entriesPerPage = 2_000

export interface SqliteStoreOptions {
  readonly file: string
  readonly clock: { now(): number }
  /** The layout's history; anything but the present one is for tests. */
  readonly migrations?: readonly string[]
}

export class SqliteStore implements Store {
  readonly #writer: WorkerLink<WriteSide>
  readonly #reader: WorkerLink<ReadSide>
  readonly #checkpointer: Checkpointer
  #head: StoreHead
  /** The last index handed to the writing thread: batches may follow each other without waiting. */
  #sent: number
  #failure: StoreError | undefined
  #closing: Promise<void> | undefined

  private constructor(writer: WorkerLink<WriteSide>, reader: WorkerLink<ReadSide>, head: StoreHead) {
    this.#writer = writer
    this.#reader = reader
    this.#head = head
    this.#sent = head.index
    this.#checkpointer = new Checkpointer({
      besideCommits: () => reader.call('checkpoint'),
      betweenCommits: () => writer.call('checkpoint'),
      failed: (error) => this.#judge(error),
    })
  }

  /**
   * Opens the file, creates it or migrates it (after a copy to `<file>-schema-<version>-<time>`). Throws a `StoreError`
   * with nothing left open when somebody uses it, when a newer Weft wrote it, or when it is no sound store.
   */
  static async open({ file, clock, migrations = presentMigrations }: SqliteStoreOptions): Promise<SqliteStore> {
    const real = locate(file)
    await using started = new AsyncDisposableStack()
    const writer = started.use(WorkerLink.start<WriteSide>('write'))
    const reader = started.use(WorkerLink.start<ReadSide>('read'))
    const head = await writer.call('open', { file: real, migrations, stamp: fileStamp(clock.now()) })
    await reader.call('open', { file: real })
    started.move()
    return new SqliteStore(writer, reader, head)
  }

  get head(): StoreHead {
    return this.#head
  }

  async load(take: (rows: readonly StoredRow[]) => void | Promise<void>): Promise<void> {
    this.#ensureUsable()
    const cursor = await this.#ask(this.#reader.call('openRows'))
    const ahead: Promise<readonly string[]>[] = []
    try {
      for (;;) {
        while (ahead.length < chunksAhead) ahead.push(this.#reader.call('nextRows', cursor))
        const chunk = await this.#ask(ahead.shift()!)
        if (chunk.length === 0) return
        await take(rowsFrom(chunk))
      }
    } finally {
      await Promise.allSettled(ahead)
      await this.#ask(this.#reader.call('closeRows', cursor))
    }
  }

  async append(transactions: readonly StoredTransaction[]): Promise<void> {
    this.#ensureUsable()
    const last = transactions.at(-1)
    if (!last) return
    const batch = packBatch(transactions, this.#sent)
    this.#sent = last.index
    await this.#ask(this.#writer.call('append', batch))
    this.#head = { ...this.#head, index: last.index }
    this.#checkpointer.note(countChanges(transactions))
  }

  async journal({ after, upTo, limit = Number.MAX_SAFE_INTEGER, isReversed = false }: JournalRange) {
    this.#ensureUsable()
    ensureCounts({ after, upTo, limit })
    const found: JournalEntry[] = []
    let low = after
    let high = Math.min(upTo ?? this.#head.index, this.#head.index)
    while (low < high && found.length < limit) {
      const wanted = Math.min(entriesPerPage, limit - found.length)
      const range = { after: low, upTo: high, limit: wanted, isReversed }
      const { entries, prunedUpTo } = await this.#ask(this.#reader.call('journal', range))
      this.#notePruned(prunedUpTo)
      const last = entries.at(-1)
      if (!last || (found.length > 0 && found.length + entries.length > limit)) break
      for (const entry of entries) found.push(entry)
      if (isReversed) high = last.index - 1
      else low = last.index
    }
    return found
  }

  async prune(limits: PruneLimits): Promise<number> {
    this.#ensureUsable()
    const { olderThan, maxBytes } = limits
    if (olderThan === undefined && maxBytes === undefined) return 0
    ensureCounts({ maxBytes })
    if (olderThan !== undefined) ensureTime(olderThan)
    let total = 0
    for (;;) {
      const { removed, isDone, prunedUpTo = 0 } = await this.#ask(this.#writer.call('prune', limits))
      this.#notePruned(prunedUpTo)
      total += removed
      this.#checkpointer.note(removed)
      if (isDone) return total
    }
  }

  async snapshot(path: string): Promise<void> {
    this.#ensureUsable()
    try {
      await this.#reader.call('snapshot', path)
    } catch (error) {
      if (error instanceof StoreError) throw this.#judge(error)
      const reason = error instanceof Error ? error.message : String(error)
      throw new SnapshotError(`cannot write the snapshot ${path}: ${reason}`, { cause: error })
    }
  }

  async check(): Promise<readonly string[]> {
    this.#ensureUsable()
    return await this.#ask(this.#reader.call('check'))
  }

  async acceptForeignWrites(): Promise<void> {
    this.#ensureUsable()
    await this.#ask(this.#writer.call('acceptForeignWrites'))
  }

  /** Lets what was asked finish, moves the log into the file and gives the file free. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#checkpointer.settle()
    await using _last = this.#writer
    await using _first = this.#reader
  }

  /** Both threads tell; whichever is heard first, the mark only rises. */
  #notePruned(prunedUpTo: number): void {
    if (prunedUpTo > this.#head.prunedUpTo) this.#head = { ...this.#head, prunedUpTo }
  }

  #ensureUsable(): void {
    if (this.#closing) throw new StoreError('STORE_CLOSED', 'the store is closed')
    if (this.#failure) throw this.#failure
  }

  async #ask<Result>(answer: Promise<Result>): Promise<Result> {
    try {
      return await answer
    } catch (error) {
      throw this.#judge(error)
    }
  }

  /** Damage found by a read leaves the store open for a check and a snapshot; anything else ends it for good. */
  #judge(error: unknown): StoreError {
    const known = storeErrorFrom(error, 'use', 'the store')
    if (known.code !== 'STORE_DAMAGED') this.#failure ??= known
    return known
  }
}

function rowsFrom(chunk: readonly string[]): readonly StoredRow[] {
  const rows: StoredRow[] = []
  for (let at = 0; at < chunk.length; at += 3)
    rows.push({ table: chunk[at]!, id: chunk[at + 1]!, data: chunk[at + 2]! })
  return rows
}

/** A number that is none would match everything or nothing, and a fraction would end the store with an engine error. */
function ensureCounts(counts: Readonly<Record<string, number | undefined>>): void {
  for (const [name, count] of Object.entries(counts)) {
    if (count === undefined || (Number.isSafeInteger(count) && count >= 0)) continue
    throw new RangeError(`${name} is ${count}, wanted a whole number`)
  }
}

/** Times are compared as text, which is right for exactly one way to write them. */
function ensureTime(text: string): void {
  if (new Date(text).toISOString() !== text) throw new RangeError(`${text} is not UTC with three fraction digits`)
}

function locate(file: string): string {
  try {
    return realName(file)
  } catch (error) {
    throw storeErrorFrom(error, 'open', file)
  }
}
