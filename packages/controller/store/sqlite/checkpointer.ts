/**
 * Keeps the log short without making commits wait: the reading thread moves pages into the database file while the
 * writing thread goes on, and only when the log never gets a pause does the writing thread move the few pages that are
 * left, so that its next commit starts the log afresh.
 */
import type { LogState } from './connection.ts'

/** Pages of 4 KiB to gather before a checkpoint: more save work on pages that change often, fewer save space. */
const pagesBetween = 4_000

/** Pages in the log that call for the writing thread: 64 MiB, a fraction of a second to read back after a crash. */
const longestLog = 16_000

/** A change touches a leaf of the rows, of their index and of the journal; the last is shared by most of a batch. */
const pagesPerChange = 2
const pagesPerCommit = 3

export interface CheckpointerDeps {
  readonly besideCommits: () => Promise<LogState>
  readonly betweenCommits: () => Promise<LogState>
  readonly failed: (error: unknown) => void
}

export class Checkpointer {
  readonly #deps: CheckpointerDeps
  #gathered = 0
  #running: Promise<void> | undefined

  constructor(deps: CheckpointerDeps) {
    this.#deps = deps
  }

  /** Called after each commit. */
  note(changes: number): void {
    this.#gathered += changes * pagesPerChange + pagesPerCommit
    if (this.#gathered < pagesBetween || this.#running) return
    this.#gathered = 0
    this.#running = this.#run().finally(() => {
      this.#running = undefined
    })
  }

  /** Waits for a checkpoint that is under way. */
  async settle(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    try {
      const log = await this.#deps.besideCommits()
      if (log.pages <= longestLog) return
      // Once more for what was committed meanwhile, so that commits wait for a few pages only.
      await this.#deps.besideCommits()
      await this.#deps.betweenCommits()
    } catch (error) {
      this.#deps.failed(error)
    }
  }
}
