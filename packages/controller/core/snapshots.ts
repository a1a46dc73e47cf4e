/**
 * Snapshots of the store, next to its file: `<file>-<date>-<time>`. Callers may ask for one a minute, whichever API they
 * ask.
 */
import type { Clock } from '../clock.ts'
import { fileStamp } from '../store/sqlite/durable-file.ts'
import type { Store } from '../store/store.ts'

const intervalMilliseconds = 60_000

/** Refused because there was a snapshot a moment ago, or one is being written. */
export class SnapshotTooSoonError extends Error {
  readonly code = 'SNAPSHOT_TOO_SOON'

  constructor() {
    super('there is at most one snapshot a minute')
    this.name = 'SnapshotTooSoonError'
  }
}

export interface SnapshotsDeps {
  readonly store: Pick<Store, 'snapshot'>
  readonly clock: Clock
}

export class Snapshots {
  readonly #deps: SnapshotsDeps
  readonly #databaseFile: string
  #last = Number.NEGATIVE_INFINITY

  constructor(deps: SnapshotsDeps, { databaseFile }: { readonly databaseFile: string }) {
    this.#deps = deps
    this.#databaseFile = databaseFile
  }

  /** Writes a snapshot for a caller and answers its path. One that failed does not count. */
  async take(): Promise<string> {
    const before = this.#last
    const now = this.#deps.clock.monotonic()
    if (now < before + intervalMilliseconds) throw new SnapshotTooSoonError()
    this.#last = now
    try {
      return await this.takeNow()
    } catch (error) {
      this.#last = before
      throw error
    }
  }

  /** Writes a snapshot for the controller itself, which knows why it needs one. */
  async takeNow(): Promise<string> {
    const { store, clock } = this.#deps
    const path = `${this.#databaseFile}-${fileStamp(clock.now())}`
    await store.snapshot(path)
    return path
  }
}
