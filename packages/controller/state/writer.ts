/**
 * The one writer.
 *
 * Mutations that wait are taken as a batch and run one after another against an overlay of the present: each sees those
 * before it, and one that throws drops out alone. What they changed goes to the store in one durable commit, then to the
 * tables, then to the followers, and only then are the callers answered. While the disk works, the next batch gathers.
 *
 * If the store fails, nothing of the batch is applied, every caller gets the failure, and the writer stays failed: success
 * is never answered for what is not durable.
 */
import { setImmediate } from 'node:timers/promises'
import { type Clock, timestamp } from '../clock.ts'
import { type Store, type StoredChange, type StoredTransaction, StoreError } from '../store/store.ts'
import type { TableSpec } from './index-spec.ts'
import { Overlay } from './overlay.ts'
import type { Row, TableName } from './row.ts'
import type { Tables } from './tables.ts'
import type { RowChange } from './view.ts'

/** Who made a change and how it came in; kept in the journal and shown in events. */
export interface ChangeCause {
  readonly author: { readonly type: string; readonly id: string; readonly name: string }
  readonly source?: {
    readonly type: string
    readonly auth?: string
    readonly method?: string
    readonly localAddr?: string
    readonly remoteAddr?: string
  }
  readonly traceId?: string
}

/** One accepted mutation, durable and applied. */
export interface Commit {
  readonly index: number
  readonly time: string
  readonly cause: ChangeCause
  readonly changes: readonly RowChange[]
}

/**
 * A row of which the store is to hold what is held here, the row or its absence, whatever it holds now. `journal` is for
 * a row that the journal knows differently.
 */
export interface Restated {
  readonly table: string
  readonly id: string
  readonly journal?: { readonly before: string | null; readonly after: string | null }
}

/** Told of every commit in order, before callers are answered. Must be quick and must not throw. */
export type Follower = (commits: readonly Commit[]) => void

/** A mutation runs at once and to its end; what it awaits must be had before. */
export type Mutation<T> = (draft: Overlay, time: string) => T

export interface WriterDeps {
  readonly store: Store
  readonly tables: Tables
  readonly specs: ReadonlyMap<string, TableSpec>
  readonly clock: Clock
  /** A row as the journal may show it: without secrets. */
  readonly journaled: (table: string, row: Row) => Row
  /** Called once when the store has failed; the process must report it and stop. */
  readonly onFailure: (error: unknown) => void
  /** Told how many mutations shared a commit and how long the disk took, for metrics. */
  readonly onCommit?: (mutations: number, milliseconds: number) => void
}

export interface WriterOptions {
  /** Mutations that may wait; the next one is refused. */
  readonly maxWaiting: number
}

/** Refused because too many mutations wait. */
export class WriterBusyError extends Error {
  readonly code = 'WRITER_BUSY'

  constructor() {
    super('too many changes are waiting')
    this.name = 'WriterBusyError'
  }
}

interface Waiting {
  readonly cause: ChangeCause
  readonly mutate: Mutation<unknown>
  readonly isJournaled: boolean
  readonly restated: readonly Restated[]
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Outcome {
  readonly waiting: Waiting
  readonly value: unknown
}

/** How long a batch may run mutations before it is committed: others share the event loop. */
const BATCH_MILLISECONDS = 25
const MAX_BATCH = 1_000

export class Writer implements AsyncDisposable {
  readonly #deps: WriterDeps
  readonly #options: WriterOptions
  readonly #followers = new Set<Follower>()
  #waiting: Waiting[] = []
  #running: Promise<void> | undefined
  #failure: unknown
  #isClosed = false
  #index: number
  #lastTime = 0

  constructor(deps: WriterDeps, options: WriterOptions = { maxWaiting: 5_000 }) {
    this.#deps = deps
    this.#options = options
    this.#index = deps.store.head.index
  }

  /** The index of the newest commit that is durable and applied. */
  get index(): number {
    return this.#index
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Subscribes to the change stream; answers how to leave it. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  /** Runs a mutation and answers when its changes are durable and visible. */
  submit<T>(cause: ChangeCause, mutate: Mutation<T>, options: { readonly isJournaled?: boolean } = {}): Promise<T> {
    return this.#enqueue({ cause, mutate, isJournaled: options.isJournaled ?? true, restated: [] })
  }

  /** Writes rows to the store again without changing the state: it had lost or mangled them. */
  restate(cause: ChangeCause, rows: readonly Restated[]): Promise<void> {
    return this.#enqueue({ cause, mutate: () => {}, isJournaled: false, restated: rows })
  }

  #enqueue<T>(waiting: Omit<Waiting, 'mutate' | 'resolve' | 'reject'> & { mutate: Mutation<T> }): Promise<T> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    if (this.#isClosed) return Promise.reject(new StoreError('STORE_CLOSED', 'the controller is stopping'))
    if (this.#waiting.length >= this.#options.maxWaiting) return Promise.reject(new WriterBusyError())
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ ...waiting, resolve: resolve as (value: unknown) => void, reject })
      this.#running ??= this.#run()
    })
  }

  /** Waits until everything submitted so far is answered; refuses what comes later. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    while (this.#running !== undefined) await this.#running
  }

  async #run(): Promise<void> {
    // Yield once, so that requests that have arrived together share the first commit.
    await setImmediate()
    while (this.#waiting.length > 0 && this.#failure === undefined) {
      const hasWaited = await this.#batch()
      // A batch of refusals alone ends without having left the event loop to others.
      if (!hasWaited && this.#waiting.length > 0) await setImmediate()
    }
    this.#running = undefined
  }

  /** Answers whether it had to wait for the store. */
  async #batch(): Promise<boolean> {
    const { store, tables, specs, clock } = this.#deps
    const draft = new Overlay(tables, specs)
    const commits: Commit[] = []
    const outcomes: Outcome[] = []
    const stored: StoredTransaction[] = []
    const deadline = clock.monotonic() + BATCH_MILLISECONDS
    let taken = 0
    while (taken < this.#waiting.length && taken < MAX_BATCH && clock.monotonic() < deadline) {
      const waiting = this.#waiting[taken++]!
      const mark = draft.mark
      const time = this.#time()
      try {
        const value = waiting.mutate(draft, time)
        const changes = draft.changesSince(mark)
        if (changes.length > 0 || waiting.restated.length > 0) {
          const commit = { index: this.#index + commits.length + 1, time, cause: waiting.cause, changes }
          commits.push(commit)
          stored.push(this.#encode(commit, waiting, draft))
        }
        outcomes.push({ waiting, value })
      } catch (error) {
        draft.undo(mark)
        waiting.reject(error)
      }
    }
    this.#waiting.splice(0, taken)
    if (stored.length > 0) {
      const startedAt = clock.monotonic()
      try {
        await store.append(stored)
      } catch (error) {
        this.#fail(error, outcomes)
        return true
      }
      this.#deps.onCommit?.(stored.length, clock.monotonic() - startedAt)
      this.#index += commits.length
      for (const commit of commits) tables.apply(commit.changes)
      for (const follower of this.#followers) follower(commits)
    }
    for (const { waiting, value } of outcomes) waiting.resolve(value)
    return stored.length > 0
  }

  #fail(error: unknown, outcomes: readonly Outcome[]): void {
    this.#failure =
      error instanceof StoreError ? error : new StoreError('STORE_FAILED', String(error), { cause: error })
    for (const { waiting } of outcomes) waiting.reject(this.#failure)
    for (const waiting of this.#waiting) waiting.reject(this.#failure)
    this.#waiting = []
    this.#deps.onFailure(this.#failure)
  }

  /** Times of commits never stand still or go back, so that `updatedAt` always moves. */
  #time(): string {
    this.#lastTime = Math.max(this.#deps.clock.now(), this.#lastTime)
    return timestamp(this.#lastTime)
  }

  #encode(commit: Commit, { isJournaled, restated }: Waiting, draft: Overlay): StoredTransaction {
    const changes: StoredChange[] = []
    for (const { table, id, before, after } of commit.changes) {
      const data = after === undefined ? null : JSON.stringify(after)
      changes.push({
        table,
        id,
        data,
        before: before === undefined || !isJournaled ? null : this.#masked(table, before, null),
        after: after === undefined || !isJournaled ? null : this.#masked(table, after, data),
      })
    }
    for (const { table, id, journal = { before: null, after: null } } of restated) {
      const row = this.#deps.specs.has(table) ? draft.get(table as TableName, id) : undefined
      changes.push({ table, id, data: row === undefined ? null : JSON.stringify(row), ...journal })
    }
    return { index: commit.index, time: commit.time, cause: JSON.stringify(commit.cause), changes }
  }

  /** The row as the journal has it: `whole`, the row's own text, unless it holds secrets. */
  #masked(table: string, row: Row, whole: string | null): string {
    const shown = this.#deps.journaled(table, row)
    return shown === row && whole !== null ? whole : JSON.stringify(shown)
  }
}
