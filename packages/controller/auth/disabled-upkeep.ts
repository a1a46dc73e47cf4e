/**
 * Identities that were disabled for a while are enabled again when it is over. Whoever judges by the time knows it without
 * this; routers know what rows say, and are told by the change.
 */
import type { Clock } from '../clock.ts'
import type { Logger } from '../log/logger.ts'
import type { Kit } from '../resource-kit/kit.ts'
import type { TableRows } from '../state/row.ts'
import type { Writer } from '../state/writer.ts'
import { enableIdentity } from './disable-identity.ts'
import { isDisabled } from './disabled.ts'

export interface DisabledUpkeepDeps {
  readonly kit: Kit
  readonly writer: Pick<Writer, 'follow'>
  readonly clock: Clock
  readonly log: Logger
}

const INTERVAL_MILLISECONDS = 1_000
const ENABLED_AT_ONCE = 500

export class DisabledUpkeep implements Disposable {
  readonly #deps: DisabledUpkeepDeps
  /** Those that are disabled until a time. */
  readonly #waiting = new Set<string>()
  readonly #unfollow: () => void
  readonly #timer: NodeJS.Timeout
  #isWriting = false

  private constructor(deps: DisabledUpkeepDeps) {
    this.#deps = deps
    for (const row of deps.kit.view.rows('identities')) this.#note(row.id, row)
    this.#unfollow = deps.writer.follow((commits) => {
      for (const { changes } of commits) {
        for (const { table, id, after } of changes) {
          if (table === 'identities') this.#note(id, after as TableRows['identities'] | undefined)
        }
      }
    })
    const run = () => this.enable().catch((err: unknown) => deps.log.error('identities were not enabled', { err }))
    this.#timer = setInterval(run, INTERVAL_MILLISECONDS).unref()
  }

  static start(deps: DisabledUpkeepDeps): DisabledUpkeep {
    return new DisabledUpkeep(deps)
  }

  /** Enables those whose time is over, a bounded number at a time. */
  async enable(): Promise<void> {
    if (this.#waiting.size === 0 || this.#isWriting) return
    const { kit, clock } = this.#deps
    const isOver = (row: TableRows['identities'] | undefined) =>
      row !== undefined && row.disabledAt !== null && !isDisabled(row, clock.now())
    const over = [...this.#waiting].filter((id) => isOver(kit.view.get('identities', id))).slice(0, ENABLED_AT_ONCE)
    if (over.length === 0) return
    this.#isWriting = true
    try {
      await kit.writeAsController((change) => {
        for (const id of over) if (isOver(change.view.get('identities', id))) enableIdentity(change, id)
      })
    } finally {
      this.#isWriting = false
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#unfollow()
  }

  #note(id: string, row: TableRows['identities'] | undefined): void {
    if (row !== undefined && row.disabledAt !== null && row.disabledUntil !== null) this.#waiting.add(id)
    else this.#waiting.delete(id)
  }
}
