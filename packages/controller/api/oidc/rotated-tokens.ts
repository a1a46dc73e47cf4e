/**
 * Refresh tokens that were used a moment ago: a client whose answer got lost may ask once more.
 */
import type { Clock } from '../../clock.ts'

const RETRY_MILLISECONDS = 10_000
const MOST_REMEMBERED = 10_000

/** By their ids; in memory only, so a restart forgives nothing. */
export class RotatedTokens {
  readonly #clock: Clock
  readonly #usedAt = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  used(tokenId: string): void {
    if (this.#usedAt.size >= MOST_REMEMBERED) this.#usedAt.delete(this.#usedAt.keys().next().value!)
    this.#usedAt.set(tokenId, this.#clock.monotonic())
  }

  /** True once, shortly after the first use. */
  mayRetry(tokenId: string): boolean {
    const usedAt = this.#usedAt.get(tokenId)
    if (usedAt === undefined) return false
    this.#usedAt.delete(tokenId)
    return this.#clock.monotonic() - usedAt < RETRY_MILLISECONDS
  }

  /** A token that was revoked on purpose gets no second chance. */
  forget(tokenId: string): void {
    this.#usedAt.delete(tokenId)
  }
}
