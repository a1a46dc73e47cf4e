/**
 * What API sessions need while nobody calls: idle ones end, and last activity reaches the rows now and then.
 */
import { type Clock, timestamp } from '../clock.ts'
import type { Logger } from '../log/logger.ts'
import type { Kit } from '../resource-kit/kit.ts'
import type { SessionActivity } from './session-activity.ts'

export interface SessionUpkeepOptions {
  /** Milliseconds without a call after which a session ends. */
  readonly sessionTimeout: number
  /** Milliseconds between writes of last activity. */
  readonly activityInterval: number
  /** Sessions written at once. */
  readonly activityBatch: number
}

const ENFORCE_MILLISECONDS = 5_000
const ENDED_AT_ONCE = 500

export class SessionUpkeep implements AsyncDisposable {
  readonly #kit: Kit
  readonly #activity: SessionActivity
  readonly #clock: Clock
  readonly #log: Logger
  readonly #options: SessionUpkeepOptions
  readonly #timers: NodeJS.Timeout[] = []

  constructor(deps: { kit: Kit; activity: SessionActivity; clock: Clock; log: Logger }, options: SessionUpkeepOptions) {
    this.#kit = deps.kit
    this.#activity = deps.activity
    this.#clock = deps.clock
    this.#log = deps.log
    this.#options = options
  }

  start(): void {
    this.#every(ENFORCE_MILLISECONDS, () => this.endIdle())
    this.#every(this.#options.activityInterval, () => this.save())
  }

  /** Ends sessions that were idle for too long. */
  async endIdle(): Promise<void> {
    const limit = this.#clock.now() - this.#options.sessionTimeout
    const idle: string[] = []
    for (const session of this.#kit.view.rows('apiSessions')) {
      const lastUsed = this.#activity.lastUsed(session.id, session.lastActivityAt ?? session.createdAt)
      if (lastUsed < limit) idle.push(session.id)
      if (idle.length === ENDED_AT_ONCE) break
    }
    if (idle.length === 0) return
    await this.#kit.writeAsController((change) => {
      for (const id of idle) change.remove('apiSessions', id)
    })
  }

  /** Writes last activity into the rows, outside the journal. */
  async save(): Promise<void> {
    for (;;) {
      const used = this.#activity.takeUnsaved(this.#options.activityBatch)
      if (used.size === 0) return
      await this.#kit.writeAsController(
        (change) => {
          for (const [id, at] of used) {
            if (change.view.get('apiSessions', id) === undefined) continue
            change.update('apiSessions', id, { lastActivityAt: timestamp(at) })
          }
        },
        { isJournaled: false },
      )
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    await this.save()
  }

  #every(milliseconds: number, work: () => Promise<void>): void {
    const run = () => work().catch((err: unknown) => this.#log.error('session upkeep failed', { err }))
    const timer = setInterval(run, milliseconds)
    timer.unref()
    this.#timers.push(timer)
  }
}
