/**
 * All links of the router, and those that it wants.
 *
 * Which it wants follows from what controllers say of other routers and from the local dialers. Two routers may dial each
 * other at once: of two links with one key the one with the smaller id stays, which both ends decide alike. What stays of
 * a link that lost is closed later, so that whatever uses it can move.
 */
import type { WireLog } from '@weft/wire'
import type { PeerStateChange } from '@weft/wire/messages'
import type { LinkDialerConfig } from '../config/link-config.ts'
import type { WorkerPool } from '../work/worker-pool.ts'
import { type Destination, matches } from './destination.ts'
import type { LinkDialRequest } from './dial-link.ts'
import type { Link } from './link.ts'
import { LinkGauge } from './link-gauge.ts'
import { newLinkId } from './link-id.ts'
import type { LinkMeters } from './link-meters.ts'
import type { LinkFollower } from './link-reports.ts'
import { LinkState } from './link-state.ts'

export interface LinkRegistryDeps {
  readonly routerId: string
  readonly dial: (request: LinkDialRequest, signal: AbortSignal) => Promise<Link>
  readonly pool: Pick<WorkerPool, 'offer'>
  readonly meters: LinkMeters
  readonly follower: LinkFollower
  readonly clock: { now(): number; monotonic(): number }
  readonly random: () => number
  readonly log: WireLog
}

/** What controllers may tell of; more than any network has. */
const most = { destinations: 10_000, listeners: 16 }
/** How many newcomers a link may turn away: a peer that comes again and again evidently cannot use it. */
const mostRejections = 5
/** Milliseconds until a link that lost is closed. */
const closeDelay = { rejected: 30_000, replacedDialed: 60_000, replacedAccepted: 75_000 }
/** A router that nobody has seen for so long is forgotten. */
const forgetAfter = 48 * 3_600_000
const scanInterval = 60_000

export class LinkRegistry implements AsyncDisposable {
  readonly #deps: LinkRegistryDeps
  readonly #destinations = new Map<string, Destination>()
  /** The links in use, by key and by id. */
  readonly #byKey = new Map<string, Link>()
  readonly #byId = new Map<string, Link>()
  /** Those that lost as well, until they are closed. */
  readonly #open = new Set<Link>()
  readonly #abort = new AbortController()
  #dialers: readonly LinkDialerConfig[]
  #wake: NodeJS.Timeout | undefined
  #isDialSoon = false
  #scan: NodeJS.Timeout | undefined

  constructor(deps: LinkRegistryDeps, dialers: readonly LinkDialerConfig[]) {
    this.#deps = deps
    this.#dialers = dialers
  }

  start(): this {
    this.#scan ??= setInterval(() => this.#forgetTheLost(), scanInterval).unref()
    return this
  }

  /** The links in use. */
  links(): IterableIterator<Link> {
    return this.#byKey.values()
  }

  *dialedLinks(): Generator<Link> {
    for (const link of this.#byKey.values()) if (link.facts.isDialed) yield link
  }

  get(linkId: string): Link | undefined {
    return this.#byId.get(linkId)
  }

  destinations(): Iterable<Destination> {
    return this.#destinations.values()
  }

  /** Other dialers from now on; what they do not lead to any more is closed. */
  setDialers(dialers: readonly LinkDialerConfig[]): void {
    this.#dialers = dialers
    for (const destination of this.#destinations.values()) this.#match(destination, 'as before')
  }

  /** What a controller says of another router. */
  applyPeerState({ id, version, state, listeners }: PeerStateChange): void {
    if (id === this.#deps.routerId || this.#abort.signal.aborted) return
    if (state === 'Removed') {
      this.#remove(id)
      return
    }
    const destination = this.#destinations.get(id) ?? this.#newDestination(id)
    if (destination === undefined) return
    if (state === 'Unhealthy') {
      destination.isHealthy = false
      destination.unhealthySince ??= this.#deps.clock.now()
      return
    }
    const isBack = !destination.isHealthy
    destination.isHealthy = true
    destination.unhealthySince = undefined
    destination.version = version
    destination.listeners = listeners.slice(0, most.listeners)
    this.#match(destination, isBack ? 'is back' : 'as before')
  }

  /**
   * Dials at once what waits to be dialled again. For a router that was cut off and is back: what failed meanwhile says
   * nothing of the others, and those who cannot dial it would have to wait for it.
   */
  dialWaiting(): void {
    const now = this.#deps.clock.monotonic()
    for (const { isHealthy, states } of this.#destinations.values()) {
      if (isHealthy) for (const state of states.values()) if (state.isWanting) state.dialNow(now)
    }
    this.#dialDue()
  }

  /** A link that another router dialled. */
  accepted(link: Link): void {
    this.#open.add(link)
    void link.closed.then(() => this.#closed(link))
    const { log } = this.#deps
    if (this.#register(link)) return
    log.info('link is one too many', { link: link.id, key: link.key })
    // The dialer has to be able to report it and learn from that.
    closeLater(link, closeDelay.rejected)
  }

  /** A controller says that a link has failed; it may speak of an earlier one of the same id. */
  applyFault(linkId: string, iteration: number): void {
    const link = this.#byId.get(linkId)
    if (link === undefined || (iteration > 0 && iteration < link.facts.iteration)) return
    this.#deps.log.info('link is closed by a controller', { link: linkId })
    link.close()
  }

  /** Closes a link, which is then dialled again; whether there was one. */
  closeLink(linkId: string): boolean {
    const link = this.#byId.get(linkId)
    link?.close()
    return link !== undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort()
    clearTimeout(this.#wake)
    clearInterval(this.#scan)
    const open = [...this.#open]
    for (const link of open) link.close()
    await Promise.all(open.map(({ closed }) => closed))
  }

  #newDestination(id: string): Destination | undefined {
    if (this.#destinations.size >= most.destinations) return undefined
    const destination: Destination = {
      id,
      version: '',
      isHealthy: false,
      unhealthySince: undefined,
      listeners: [],
      states: new Map(),
    }
    this.#destinations.set(id, destination)
    return destination
  }

  #match(destination: Destination, how: 'is back' | 'as before'): void {
    const now = this.#deps.clock.monotonic()
    const wanted = new Set<string>()
    for (const { key, listener, dialer } of matches(destination, this.#dialers)) {
      wanted.add(key)
      const state = destination.states.get(key)
      if (state === undefined) {
        const fresh = new LinkState({ id: newLinkId(), key, listener, dialer }, now, this.#deps.random)
        destination.states.set(key, fresh)
        const link = this.#byKey.get(key)
        if (link !== undefined) fresh.established(link)
        continue
      }
      const hasMoved = state.listener.address !== listener.address
      state.listener = listener
      state.dialer = dialer
      if (hasMoved && state.link?.facts.isDialed) state.link.close()
      if ((hasMoved || how === 'is back') && state.isWanting) state.dialNow(now)
    }
    for (const [key, state] of destination.states) {
      if (wanted.has(key)) continue
      destination.states.delete(key)
      const { link } = state
      state.removed()
      if (link?.facts.isDialed) link.close()
    }
    this.#dialSoon()
  }

  #remove(id: string): void {
    const destination = this.#destinations.get(id)
    this.#destinations.delete(id)
    for (const state of destination?.states.values() ?? []) state.removed()
    for (const link of this.#open) if (link.facts.routerId === id) link.close()
  }

  #forgetTheLost(): void {
    const now = this.#deps.clock.now()
    for (const destination of this.#destinations.values()) {
      const { id, states, unhealthySince = now } = destination
      const isInUse = [...states.values()].some(({ link }) => link !== undefined)
      const isGone = now - unhealthySince > forgetAfter
      if (isInUse || (states.size > 0 && !isGone) || destination.isHealthy) continue
      for (const state of states.values()) state.removed()
      this.#destinations.delete(id)
    }
    this.#dialDue()
  }

  /** Once for all that a controller says in one message. */
  #dialSoon(): void {
    if (this.#isDialSoon) return
    this.#isDialSoon = true
    queueMicrotask(() => {
      this.#isDialSoon = false
      this.#dialDue()
    })
  }

  #dialDue(): void {
    clearTimeout(this.#wake)
    if (this.#abort.signal.aborted) return
    const now = this.#deps.clock.monotonic()
    let next = Number.POSITIVE_INFINITY
    for (const destination of this.#destinations.values()) {
      for (const state of destination.states.values()) {
        if (state.isDue(now)) this.#dial(destination, state)
        if (state.isWanting) next = Math.min(next, state.nextDial)
      }
    }
    if (next === Number.POSITIVE_INFINITY) return
    this.#wake = setTimeout(() => this.#dialDue(), Math.max(10, next - now)).unref()
  }

  #dial(destination: Destination, state: LinkState): void {
    const { pool, dial, clock, log } = this.#deps
    const { id: linkId, key, listener, dialer } = state
    const { address, protocol } = listener
    state.dialing()
    const { iteration } = state
    const { id: routerId, version: routerVersion } = destination
    const request = { linkId, key, iteration, routerId, routerVersion, address, protocol, dialer }
    const isTaken = pool.offer(async () => {
      try {
        this.#dialed(destination, state, await dial(request, this.#abort.signal))
      } catch (err) {
        if (this.#abort.signal.aborted) return
        log.info('link not made', { router: routerId, address, iteration, err })
        // Meanwhile the other router may have come.
        if (state.status === 'dialing') state.failed('dialFailed', destination.isHealthy, clock.monotonic())
        this.#dialDue()
      }
    })
    if (!isTaken) state.failed('queueFailed', destination.isHealthy, clock.monotonic())
  }

  #dialed(destination: Destination, state: LinkState, link: Link): void {
    this.#open.add(link)
    void link.closed.then(() => this.#closed(link))
    const isWanted = this.#destinations.get(destination.id)?.states.get(state.key) === state
    if (this.#abort.signal.aborted || !isWanted) {
      link.close()
      return
    }
    if (this.#register(link)) return
    link.close()
    const existing = this.#byKey.get(link.key)
    if (existing !== undefined) state.established(existing)
    else if (state.status === 'dialing') state.useless(destination.isHealthy, this.#deps.clock.monotonic())
    this.#dialDue()
  }

  /** Puts a link to use; false when it has to give way to another. */
  #register(link: Link): boolean {
    const { follower, log } = this.#deps
    if (link.isClosed || !this.#mayHaveId(link)) return false
    const existing = this.#byKey.get(link.key)
    if (existing !== undefined && existing !== link && !existing.isClosed) {
      if (isBefore(existing.id, link.id)) {
        existing.rejections++
        if (existing.rejections <= mostRejections) return false
      }
      this.#replace(existing, link)
    }
    this.#byKey.set(link.key, link)
    this.#byId.set(link.id, link)
    const gauge = new LinkGauge(link)
    void link.closed.then(() => gauge[Symbol.dispose]())
    link.onChange((state) => {
      if (this.#byKey.get(link.key) === link) follower.changed(link, state)
    })
    this.#destinations.get(link.facts.routerId)?.states.get(link.key)?.established(link)
    const { routerId, isDialed, iteration } = link.facts
    log.info('link established', { link: link.id, router: routerId, isDialed, iteration })
    follower.established(link)
    return true
  }

  /**
   * Controllers know a link by its id, and so do circuits: a router that comes with the id of a link to another one would
   * get what is meant for that. Ids that this router gives are its own to give.
   */
  #mayHaveId(link: Link): boolean {
    const namesake = this.#byId.get(link.id)
    if (namesake === undefined || namesake.key === link.key || namesake.isClosed) return true
    if (!link.facts.isDialed) return false
    namesake.close()
    return true
  }

  /** Takes a link out of use for another of its key. */
  #replace(existing: Link, by: Link): void {
    const { follower, log } = this.#deps
    this.#byKey.delete(existing.key)
    if (this.#byId.get(existing.id) === existing) this.#byId.delete(existing.id)
    log.info('link is replaced', { link: existing.id, key: existing.key })
    if (existing.id === by.id) {
      // The dialer has lost it and come again; only this end has not noticed.
      existing.close()
      return
    }
    follower.duplicate(existing)
    const { replacedDialed, replacedAccepted } = closeDelay
    closeLater(existing, existing.facts.isDialed ? replacedDialed : replacedAccepted)
  }

  #closed(link: Link): void {
    const { meters, follower, clock, log } = this.#deps
    this.#open.delete(link)
    meters.giveBack(link.id)
    if (this.#byKey.get(link.key) !== link) return
    this.#byKey.delete(link.key)
    if (this.#byId.get(link.id) === link) this.#byId.delete(link.id)
    if (this.#abort.signal.aborted) return
    const { routerId, iteration } = link.facts
    log.info('link has ended', { link: link.id, router: routerId, iteration })
    follower.failed(link)
    const destination = this.#destinations.get(routerId)
    const state = destination?.states.get(link.key)
    if (destination === undefined || state?.link !== link) return
    const now = clock.monotonic()
    state.lost(now - link.since, destination.isHealthy, now)
    this.#dialDue()
  }
}

/** Whatever uses a link that lost can move until then. */
function closeLater(link: Link, milliseconds: number): void {
  const timer = setTimeout(() => link.close(), milliseconds).unref()
  void link.closed.then(() => clearTimeout(timer))
}

/** By the bytes of the text, as every router compares. */
function isBefore(id: string, other: string): boolean {
  return Buffer.compare(Buffer.from(id), Buffer.from(other)) < 0
}
