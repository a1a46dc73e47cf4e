/**
 * When API sessions were last used.
 *
 * Every authenticated call counts, so it is kept in memory and written to the rows only now and then, outside the
 * journal: a restart forgets at most one interval.
 */
import type { Clock } from '../clock.ts'

export class SessionActivity {
  readonly #clock: Clock
  readonly #lastUsed = new Map<string, number>()
  readonly #unsaved = new Set<string>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  touch(sessionId: string): void {
    this.#lastUsed.set(sessionId, this.#clock.now())
    this.#unsaved.add(sessionId)
  }

  /** The newest use known, in milliseconds; `stored` is what the row says. */
  lastUsed(sessionId: string, stored: string): number {
    return Math.max(this.#lastUsed.get(sessionId) ?? 0, Date.parse(stored))
  }

  forget(sessionId: string): void {
    this.#lastUsed.delete(sessionId)
    this.#unsaved.delete(sessionId)
  }

  /** Takes what must be saved, at most so many at a time. */
  takeUnsaved(most: number): ReadonlyMap<string, number> {
    const taken = new Map<string, number>()
    for (const id of this.#unsaved) {
      if (taken.size >= most) break
      this.#unsaved.delete(id)
      const at = this.#lastUsed.get(id)
      if (at !== undefined) taken.set(id, at)
    }
    return taken
  }
}
