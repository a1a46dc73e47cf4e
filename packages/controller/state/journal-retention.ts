/**
 * Keeps the journal within the operator's limits of age and size. The rows are not touched.
 */
import { type Clock, timestamp } from '../clock.ts'
import type { Logger } from '../log/logger.ts'
import type { Store } from '../store/store.ts'

export interface RetentionLimits {
  /** Milliseconds. */
  readonly maxAge: number
  readonly maxBytes: number
}

const EVERY = 10 * 60_000

export class JournalRetention implements Disposable {
  readonly #timer: NodeJS.Timeout

  private constructor(timer: NodeJS.Timeout) {
    this.#timer = timer
  }

  static start(
    { store, clock, log }: { readonly store: Store; readonly clock: Clock; readonly log: Logger },
    limits: RetentionLimits,
  ): JournalRetention {
    const prune = async () => {
      try {
        const olderThan = timestamp(clock.now() - limits.maxAge)
        const pruned = await store.prune({ olderThan, maxBytes: limits.maxBytes })
        if (pruned > 0) log.info('journal pruned', { entries: pruned })
      } catch (err) {
        log.error('journal could not be pruned', { err })
      }
    }
    const timer = setInterval(prune, EVERY)
    timer.unref()
    return new JournalRetention(timer)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}
