/**
 * Snapshots of the store, next to its file: `<file>-<date>-<time>`. Callers may ask for one a minute, whichever API they
 * ask.
 */
import type { Clock } from '../clock.ts'
import { fileStamp } from '../store/sqlite/durable-file.ts'
import type { Store } from '../store/store.ts'
import { snapshotPlace } from './snapshot-place.ts'

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

  /**
   * Writes a snapshot for a caller and answers its path. One that failed does not count. Of a place that the caller wants
   * only the file's name is used: every snapshot lies beside the database.
   */
  async take(wanted = ''): Promise<string> {
    const before = this.#last
    const now = this.#deps.clock.monotonic()
    if (now < before + intervalMilliseconds) throw new SnapshotTooSoonError()
    this.#last = now
    try {
      return await this.#write(this.#place(wanted))
    } catch (error) {
      this.#last = before
      throw error
    }
  }

  /** Writes a snapshot for the controller itself, which knows why it needs one. */
  takeNow(): Promise<string> {
    return this.#write(this.#place(''))
  }

  async #write(path: string): Promise<string> {
    await this.#deps.store.snapshot(path)
    return path
  }

  #place(wanted: string): string {
    return snapshotPlace(this.#databaseFile, fileStamp(this.#deps.clock.now()), wanted)
  }
}
