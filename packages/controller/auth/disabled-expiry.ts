/**
 * Ends what was disabled for a while when the while is over. Whoever asks here judges by the clock and needs no help, but
 * routers are told by the change stream only: the end must be a change like the beginning.
 */
import type { Clock } from '../clock.ts'
import type { Logger } from '../log/logger.ts'
import type { Kit } from '../resource-kit/kit.ts'
import type { TableRows } from '../state/row.ts'
import type { Writer } from '../state/writer.ts'
import { isDisabled } from './disabled.ts'

export interface DisabledExpiryDeps {
  readonly kit: Kit
  readonly writer: Pick<Writer, 'follow'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
}

/** Longer than a timer can wait; what ends later is looked at again then. */
const LONGEST_WAIT = 2 ** 31 - 1
const RETRY_MILLISECONDS = 10_000

export class DisabledExpiry implements Disposable {
  readonly #deps: DisabledExpiryDeps
  readonly #unfollow: () => void
  /** By identity, when it is enabled again. */
  readonly #ends = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(deps: DisabledExpiryDeps) {
    this.#deps = deps
    for (const identity of deps.kit.view.rows('identities')) this.#note(identity)
    this.#unfollow = deps.writer.follow((commits) => {
      for (const { changes } of commits) {
        for (const { table, id, after } of changes) {
          if (table !== 'identities') continue
          this.#ends.delete(id)
          if (after !== undefined) this.#note(after as TableRows['identities'])
        }
      }
      this.#schedule()
    })
    this.#schedule()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#unfollow()
  }

  #note({ id, disabledUntil }: TableRows['identities']): void {
    if (disabledUntil !== null) this.#ends.set(id, Date.parse(disabledUntil))
  }

  #schedule(pause = 0): void {
    clearTimeout(this.#timer)
    if (this.#ends.size === 0) return
    const next = Math.min(...this.#ends.values()) - this.#deps.clock.now()
    this.#timer = setTimeout(() => this.#enable(), Math.min(LONGEST_WAIT, Math.max(pause, next, 1)))
    this.#timer.unref()
  }

  #enable(): void {
    const { kit, clock, log } = this.#deps
    const due = [...this.#ends].filter(([, end]) => end <= clock.now()).map(([id]) => id)
    if (due.length === 0) {
      this.#schedule()
      return
    }
    kit
      .writeAsController((change) => {
        for (const id of due) {
          const identity = change.view.get('identities', id)
          // It may have been disabled anew while the change waited.
          if (identity === undefined || identity.disabledUntil === null || isDisabled(identity, clock.now())) continue
          change.update('identities', id, { disabledAt: null, disabledUntil: null })
        }
      })
      .catch((err) => {
        log.error('identities stay disabled for longer than they should', { err })
        this.#schedule(RETRY_MILLISECONDS)
      })
  }
}
