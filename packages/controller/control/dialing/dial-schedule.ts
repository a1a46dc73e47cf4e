/**
 * Which routers are to be dialled, and when: a machine without sockets and timers, driven by what happens to routers.
 *
 *   (none)      a router that is connected, or that nobody is to dial
 *   NeedsDial   it is dialled when its time has come
 *   Dialing     a dial is under way; whatever happens meanwhile is looked at when it ends
 *   Connected   the dial succeeded, and the connection has still to prove that it lasts
 *
 * Waits grow with each failure up to a limit. A connection that ends within the window counts as a failure too: a router
 * that takes a channel only to drop it would otherwise be dialled without end. Addresses take turns.
 */

export interface DialScheduleDeps {
  /** Where a router is to be dialled now; nowhere when it is connected, disabled, gone or for other controllers. */
  readonly addressesOf: (routerId: string) => readonly string[]
  readonly monotonic: () => number
  /** From zero to below one. */
  readonly random: () => number
}

/** Milliseconds, except for the factor and the counts. */
export interface DialScheduleOptions {
  readonly minRetryInterval: number
  readonly maxRetryInterval: number
  readonly retryBackoffFactor: number
  readonly fastFailureWindow: number
  /** Dials that may be under way at once. */
  readonly maxWorkers: number
  /** Dials that may wait for one of those to end; others are put off as if they had failed. */
  readonly queueSize: number
}

/** In the words that inspections have for them. */
export type DialStatus = 'NeedsDial' | 'Dialing' | 'Connected'

export interface DialState {
  readonly routerId: string
  readonly addresses: readonly string[]
  readonly currentAddress: string
  readonly status: DialStatus
  readonly attempts: number
  readonly retryDelay: number
  /** When it is looked at next, by the monotonic clock. */
  readonly nextAt: number
}

export interface DueDial {
  readonly routerId: string
  readonly address: string
}

type Entry = { -readonly [K in keyof DialState]: DialState[K] } & { turn: number; connectedAt: number }

/** Whatever the file says, nobody is dialled more often. */
const SHORTEST_WAIT = 100
/** By how much chance changes the factor either way, so that routers lost together do not come back in step. */
const JITTER = 0.5
/** Between the routers of a scan. */
const SPREAD = 50

export class DialSchedule {
  readonly #deps: DialScheduleDeps
  readonly #options: DialScheduleOptions
  readonly #shortest: number
  readonly #longest: number
  readonly #entries = new Map<string, Entry>()
  #dialling = 0

  constructor(deps: DialScheduleDeps, options: DialScheduleOptions) {
    this.#deps = deps
    this.#options = options
    this.#shortest = Math.max(SHORTEST_WAIT, options.minRetryInterval)
    this.#longest = Math.max(this.#shortest, options.maxRetryInterval)
  }

  /** By router id. */
  states(): ReadonlyMap<string, DialState> {
    return this.#entries
  }

  get dialling(): number {
    return this.#dialling
  }

  /** Looks at all of them, one after the other. */
  scan(routerIds: Iterable<string>): void {
    let wait = 0
    for (const routerId of routerIds) {
      if (!this.#entries.has(routerId) && this.#look(routerId, wait)) wait += SPREAD
    }
  }

  /** What is known of the router has changed. */
  changed(routerId: string): void {
    this.#look(routerId, 0)
  }

  /** The router has a channel, whoever has dialled. */
  connected(routerId: string): void {
    if (this.#entries.get(routerId)?.status === 'NeedsDial') this.#entries.delete(routerId)
  }

  /** The router has no channel any more. It may be about to come back by itself, so it is not dialled at once. */
  lost(routerId: string): void {
    const entry = this.#entries.get(routerId)
    if (entry?.status !== 'Connected') {
      this.#look(routerId, this.#shortest)
      return
    }
    if (this.#deps.monotonic() - entry.connectedAt < this.#options.fastFailureWindow) {
      this.#backOff(entry)
      return
    }
    this.#entries.delete(routerId)
    this.#look(routerId, this.#shortest)
  }

  /** The router no longer exists. */
  forget(routerId: string): void {
    if (this.#entries.get(routerId)?.status !== 'Dialing') this.#entries.delete(routerId)
  }

  /** The dials to begin now; each must be answered by `succeeded` or `failed`. */
  takeDue(): readonly DueDial[] {
    const now = this.#deps.monotonic()
    const due = [...this.#entries.values()]
      .filter(({ status, nextAt }) => status !== 'Dialing' && nextAt <= now)
      .sort((a, b) => a.nextAt - b.nextAt)
    const taken: DueDial[] = []
    let waiting = 0
    for (const entry of due) {
      if (!this.#isStillWanted(entry)) continue
      if (this.#dialling < this.#options.maxWorkers) {
        entry.status = 'Dialing'
        this.#dialling++
        taken.push({ routerId: entry.routerId, address: entry.currentAddress })
      } else if (++waiting > this.#options.queueSize) this.#backOff(entry)
    }
    return taken
  }

  /** A channel was made. It may have ended already. */
  succeeded(routerId: string): void {
    const entry = this.#ended(routerId)
    if (this.#deps.addressesOf(routerId).length > 0) {
      this.#backOff(entry)
      return
    }
    entry.status = 'Connected'
    entry.connectedAt = this.#deps.monotonic()
    entry.nextAt = entry.connectedAt + this.#options.fastFailureWindow
  }

  failed(routerId: string): void {
    const entry = this.#ended(routerId)
    this.#backOff(entry)
    this.#isStillWanted(entry)
  }

  /** When `takeDue` has something to do next, of itself; undefined for never. */
  get nextAt(): number | undefined {
    const isFull = this.#dialling >= this.#options.maxWorkers
    const now = this.#deps.monotonic()
    let next: number | undefined
    for (const { status, nextAt } of this.#entries.values()) {
      // What waits for a dial to end is looked at then.
      if (status === 'Dialing' || (isFull && nextAt <= now)) continue
      if (next === undefined || nextAt < next) next = nextAt
    }
    return next
  }

  /** Whether the router is to be dialled, and not noted yet; what is noted of it is made to fit. */
  #look(routerId: string, wait: number): boolean {
    const entry = this.#entries.get(routerId)
    if (entry !== undefined) {
      if (entry.status === 'NeedsDial') this.#isStillWanted(entry)
      return false
    }
    const addresses = this.#deps.addressesOf(routerId)
    if (addresses.length === 0) return false
    this.#entries.set(routerId, {
      routerId,
      addresses,
      currentAddress: addresses[0]!,
      status: 'NeedsDial',
      attempts: 0,
      retryDelay: 0,
      nextAt: this.#deps.monotonic() + wait,
      turn: 0,
      connectedAt: 0,
    })
    return true
  }

  /** Takes in where the router is now, or forgets it. */
  #isStillWanted(entry: Entry): boolean {
    const addresses = this.#deps.addressesOf(entry.routerId)
    if (addresses.length === 0) {
      this.#entries.delete(entry.routerId)
      return false
    }
    entry.addresses = addresses
    entry.currentAddress = addresses[entry.turn % addresses.length]!
    return true
  }

  #ended(routerId: string): Entry {
    const entry = this.#entries.get(routerId)
    if (entry?.status !== 'Dialing') throw new Error(`no dial of router ${routerId} is under way`)
    this.#dialling--
    return entry
  }

  #backOff(entry: Entry): void {
    const { retryBackoffFactor } = this.#options
    const factor = Math.max(1, retryBackoffFactor + JITTER * (2 * this.#deps.random() - 1))
    entry.status = 'NeedsDial'
    entry.attempts++
    entry.retryDelay = Math.min(this.#longest, Math.max(this.#shortest, entry.retryDelay * factor))
    entry.nextAt = this.#deps.monotonic() + entry.retryDelay
    entry.turn++
    entry.currentAddress = entry.addresses[entry.turn % entry.addresses.length]!
  }
}
