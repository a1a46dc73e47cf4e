/**
 * Dials routers that listen for controllers: all that are not connected, and no other. What happens to routers drives the
 * schedule; this class keeps its time, and makes the dials it asks for.
 */

import type { Clock } from '../../clock.ts'
import type { ConnectedRouters, PresenceEvent } from '../../fabric/connected-routers.ts'
import type { Logger } from '../../log/logger.ts'
import type { View } from '../../state/view.ts'
import type { Writer } from '../../state/writer.ts'
import { DialSchedule, type DialScheduleOptions, type DialState, type DueDial } from './dial-schedule.ts'
import { dialledAddresses } from './dialled-addresses.ts'

export interface RouterDialerDeps {
  readonly view: View
  readonly writer: Pick<Writer, 'follow'>
  readonly routers: Pick<ConnectedRouters, 'isOnline' | 'follow'>
  /** Makes the channel of a router and puts it to use, or rejects; settles soon when the signal fires. */
  readonly dial: (routerId: string, address: string, signal: AbortSignal) => Promise<void>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly random: () => number
  readonly log: Logger
}

/** `ctrl.dialer`. Milliseconds. */
export interface RouterDialerOptions extends DialScheduleOptions {
  /** The groups of listeners that this controller dials. */
  readonly groups: readonly string[]
  /** Before the first dial: most routers come by themselves. */
  readonly dialDelay: number
}

/** The longest that a timer of the platform can wait. */
const LONGEST_TIMER = 2 ** 31 - 1

export class RouterDialer implements AsyncDisposable {
  readonly options: RouterDialerOptions
  readonly #deps: RouterDialerDeps
  readonly #schedule: DialSchedule
  readonly #abort = new AbortController()
  readonly #unfollow: (() => void)[] = []
  readonly #dials = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY
  #startsAt: number | undefined

  constructor(deps: RouterDialerDeps, options: RouterDialerOptions) {
    this.#deps = deps
    this.options = options
    const { clock, random } = deps
    this.#schedule = new DialSchedule(
      { addressesOf: (routerId) => this.#addressesOf(routerId), monotonic: () => clock.monotonic(), random },
      options,
    )
  }

  /** Begins after the delay. */
  start(): void {
    const { writer, routers, clock } = this.#deps
    this.#startsAt = clock.monotonic() + this.options.dialDelay
    this.#wakeBy(this.#startsAt)
    this.#unfollow.push(
      routers.follow((event) => this.#presence(event)),
      writer.follow((commits) => {
        for (const { changes } of commits) {
          for (const { table, id, after } of changes) if (table === 'routers') this.#rowChanged(id, after !== undefined)
        }
      }),
    )
  }

  /** What is known of routers that are to be dialled, by router id. */
  states(): ReadonlyMap<string, DialState> {
    return this.#schedule.states()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const unfollow of this.#unfollow) unfollow()
    clearTimeout(this.#timer)
    this.#abort.abort()
    await Promise.all(this.#dials)
  }

  get #hasStarted(): boolean {
    return this.#startsAt === undefined
  }

  #addressesOf(routerId: string): readonly string[] {
    const { view, routers } = this.#deps
    const router = view.get('routers', routerId)
    if (router === undefined || router.disabled || router.fingerprint === null || routers.isOnline(routerId)) return []
    return dialledAddresses(router, this.options.groups)
  }

  #presence({ type, routerId }: PresenceEvent): void {
    if (!this.#hasStarted || type === 'changed') return
    if (type === 'connected') this.#schedule.connected(routerId)
    else this.#schedule.lost(routerId)
    this.#wakeFor(routerId)
  }

  #rowChanged(routerId: string, isThere: boolean): void {
    if (!this.#hasStarted) return
    if (isThere) this.#schedule.changed(routerId)
    else this.#schedule.forget(routerId)
    this.#wakeFor(routerId)
  }

  #wakeFor(routerId: string): void {
    const state = this.#schedule.states().get(routerId)
    if (state !== undefined && state.status !== 'Dialing') this.#wakeBy(state.nextAt)
  }

  #wakeBy(at: number): void {
    if (at >= this.#timerAt || this.#abort.signal.aborted) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    const wait = Math.min(LONGEST_TIMER, Math.max(0, at - this.#deps.clock.monotonic()))
    this.#timer = setTimeout(() => this.#awake(), Math.ceil(wait)).unref()
  }

  #awake(): void {
    this.#timerAt = Number.POSITIVE_INFINITY
    if (this.#startsAt !== undefined && this.#startsAt <= this.#deps.clock.monotonic()) {
      this.#startsAt = undefined
      this.#schedule.scan(this.#deps.view.rows('routers').map(({ id }) => id))
    }
    for (const due of this.#schedule.takeDue()) this.#dial(due)
    const next = this.#startsAt ?? this.#schedule.nextAt
    if (next !== undefined) this.#wakeBy(next)
  }

  #dial(due: DueDial): void {
    const dialling: Promise<void> = this.#outcome(due).finally(() => {
      this.#dials.delete(dialling)
      this.#wakeBy(this.#deps.clock.monotonic())
    })
    this.#dials.add(dialling)
  }

  async #outcome({ routerId, address }: DueDial): Promise<void> {
    const { dial, log } = this.#deps
    const { signal } = this.#abort
    try {
      await dial(routerId, address, signal)
      this.#schedule.succeeded(routerId)
    } catch (err) {
      this.#schedule.failed(routerId)
      const { retryDelay } = this.#schedule.states().get(routerId) ?? {}
      if (!signal.aborted) log.info('router not reached', { router: routerId, address, retryDelay, err })
    }
  }
}
