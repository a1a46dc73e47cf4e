/**
 * The fabric at work: what happens to one live fact when another changes.
 *
 *   router connects     it becomes part of paths; a process that has just started has none of its old circuits
 *   router disconnects  it leaves the paths before anything looks for a new one; circuits through it move; those that
 *                       cannot, and those that end at it, wait a while: bytes flow without its channel, which may come
 *                       back, and if the router itself is gone, its neighbours report their links
 *   link goes           circuits over it move
 *   row changes         routers weigh differently, terminators are forgotten, circuits lose what allowed them
 */
import type { TokenTimes } from '../auth/tokens/token-times.ts'
import type { Clock } from '../clock.ts'
import type { Logger } from '../log/logger.ts'
import { newId } from '../resource-kit/ids.ts'
import type { TableRows } from '../state/row.ts'
import type { RowChange, View } from '../state/view.ts'
import type { Writer } from '../state/writer.ts'
import { type Circuit, type CircuitRequest, isEndOf } from './circuit.ts'
import { CircuitCreation } from './circuit-creation.ts'
import { CircuitEnforcement } from './circuit-enforcement.ts'
import { CircuitRemoval } from './circuit-removal.ts'
import { CircuitReports } from './circuit-reports.ts'
import type { LiveRouter, PresenceEvent } from './connected-routers.ts'
import type { FabricState } from './fabric-state.ts'
import type { ConnectReport } from './identity-connections.ts'
import type { LinkEvent } from './links.ts'
import type { NetworkOptions } from './network-options.ts'
import { type Necessity, Rerouting } from './rerouting.ts'
import type { RouterConnection } from './router-connection.ts'
import { runSmartCycle } from './smart-cycle.ts'
import type { TerminatorFaults } from './terminator-faults.ts'

export interface FabricDeps {
  readonly state: FabricState
  readonly view: View
  readonly writer: Pick<Writer, 'follow'>
  readonly terminatorFaults: TerminatorFaults
  /** Until when tokens are good by which circuits were asked for. */
  readonly times: Pick<TokenTimes, 'isOver'>
  readonly clock: Clock
  readonly log: Logger
  /** At least 0 and below 1. */
  readonly random?: () => number
}

const CREDIT_MILLISECONDS = 60_000
/** How long circuits wait for a router. */
const RETURN_MILLISECONDS = 20_000

export class Fabric implements AsyncDisposable {
  readonly state: FabricState
  readonly removal: CircuitRemoval
  readonly reports: CircuitReports
  readonly #deps: FabricDeps
  readonly #options: NetworkOptions
  readonly #creation: CircuitCreation
  readonly #rerouting: Rerouting
  /** Routers that were connected a moment ago. */
  readonly #awaited = new Map<string, NodeJS.Timeout>()
  readonly #timers: NodeJS.Timeout[] = []
  readonly #unfollow: (() => void)[] = []
  readonly #stopped = new AbortController()
  #cycle: Promise<void> | undefined
  #enforcement: CircuitEnforcement | undefined

  private constructor(deps: FabricDeps, options: NetworkOptions) {
    const { state } = deps
    this.state = state
    this.#deps = deps
    this.#options = options
    const shared = { ...deps, ...state, random: deps.random ?? Math.random, newId: () => newId('uuid') }
    this.removal = new CircuitRemoval(shared)
    this.#rerouting = new Rerouting({ ...shared, removal: this.removal }, options)
    const moving = { ...shared, removal: this.removal, rerouting: this.#rerouting }
    this.#creation = new CircuitCreation(moving, options)
    this.reports = new CircuitReports(moving)
  }

  static start(deps: FabricDeps, options: NetworkOptions): Fabric {
    const fabric = new Fabric(deps, options)
    fabric.#start()
    return fabric
  }

  /** Circuits in the making, and those that move. */
  get pending(): { readonly creations: number; readonly reroutes: number } {
    return { creations: this.#creation.waiting, reroutes: this.#rerouting.pending }
  }

  /** Who is connected at a router; what it says of identities that do not exist is left out. */
  reportIdentities(connection: RouterConnection, { connected, disconnected, isFullState }: ConnectReport): void {
    const { view, state } = this.#deps
    const known = Iterator.from(connected).filter((id) => view.get('identities', id) !== undefined)
    state.identities.report(connection, { connected: known, disconnected, isFullState })
  }

  /** A circuit, or a CircuitError after everything that was begun is taken back. */
  createCircuit(request: CircuitRequest, options: { readonly signal?: AbortSignal } = {}): Promise<Circuit> {
    return this.#creation.create(request, options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const unfollow of this.#unfollow.splice(0)) unfollow()
    for (const timer of [...this.#timers.splice(0), ...this.#awaited.values()]) clearTimeout(timer)
    this.#awaited.clear()
    this.#stopped.abort()
    await this.#enforcement?.[Symbol.asyncDispose]()
    await this.#rerouting[Symbol.asyncDispose]()
    await this.#cycle
  }

  #start(): void {
    const { state, writer } = this.#deps
    this.#unfollow.push(
      state.routers.follow((event) => this.#presence(event)),
      state.links.follow((event) => this.#link(event)),
      writer.follow((commits) => {
        for (const { changes } of commits) for (const change of changes) this.#row(change)
      }),
    )
    this.#enforcement = new CircuitEnforcement({ ...this.#deps, ...state, removal: this.removal })
    for (const router of state.routers.all()) this.#connected(router)
    this.#every(CREDIT_MILLISECONDS, () => state.terminatorCosts.creditFailures())
    this.#every(this.#options.identityStatus.scanInterval, () => state.identities.endUnknown())
    this.#every(this.#options.cycle, () => {
      this.#cycle ??= this.#runCycle().finally(() => {
        this.#cycle = undefined
      })
    })
  }

  #every(milliseconds: number, run: () => void): void {
    const timer = setInterval(run, milliseconds)
    timer.unref()
    this.#timers.push(timer)
  }

  #presence({ type, routerId, router }: PresenceEvent): void {
    if (type === 'connected') this.#connected(router)
    else if (type === 'disconnected') this.#disconnected(routerId)
  }

  #connected({ connection }: LiveRouter): void {
    const { routerId, isResumed } = connection
    const { topology, identities } = this.state
    const row = this.#deps.view.get('routers', routerId)
    topology.setOnline(routerId, { cost: row?.cost ?? 0, noTraversal: row?.noTraversal ?? false })
    identities.setTunneler(routerId, row?.isTunnelerEnabled ?? false)
    clearTimeout(this.#awaited.get(routerId))
    this.#awaited.delete(routerId)
    this.removal.tellOwed(connection)
    if (isResumed) return
    this.#endAt(routerId, 'the router at its end was started anew')
    this.#moveAll(this.state.circuits.find('router', routerId))
  }

  #disconnected(routerId: string): void {
    const { topology, links, circuits } = this.state
    topology.setOffline(routerId)
    links.removeOfSource(routerId)
    const through = circuits.find('router', routerId).filter((circuit) => !isEndOf(circuit, routerId))
    this.#moveAll(through, 'if possible')
    clearTimeout(this.#awaited.get(routerId))
    const timer = setTimeout(() => {
      this.#awaited.delete(routerId)
      this.#endAt(routerId, 'the router at its end is gone')
      this.#moveAll(circuits.find('router', routerId))
    }, RETURN_MILLISECONDS)
    timer.unref()
    this.#awaited.set(routerId, timer)
  }

  #endAt(routerId: string, reason: string): void {
    const isAtEnd = (circuit: Circuit) => isEndOf(circuit, routerId)
    this.removal.removeFound('router', routerId, { when: 'now', reason }, isAtEnd)
  }

  #link(event: LinkEvent): void {
    const { circuits } = this.state
    if (event.type === 'unknown fault') {
      // What a router dialled is forgotten while it is away, and its other end may still say that it broke.
      const { linkId, reportedBy } = event
      this.#moveAll(circuits.find('link', linkId).filter(({ path }) => path.nodes.includes(reportedBy)))
    }
    const isLost = event.type === 'removed' && event.why !== 'source offline'
    const isOutOfUse = event.type === 'changed' && !event.link.isUsable
    if (isLost || isOutOfUse) this.#moveAll(circuits.find('link', event.link.id))
  }

  #moveAll(circuits: readonly Circuit[], necessity: Necessity = 'needed'): void {
    for (const { id } of circuits) this.#rerouting.request(id, necessity)
  }

  #row({ table, id, after }: RowChange): void {
    const { terminatorCosts, identities, routers, topology } = this.state
    if (table === 'terminators' && after === undefined) terminatorCosts.forget(id)
    if (table === 'identities' && after === undefined) identities.forget(id)
    if (table === 'routers' && after === undefined) this.removal.forgetRouter(id)
    if (table !== 'routers' || after === undefined || !routers.isOnline(id)) return
    const router = after as TableRows['routers']
    topology.setOnline(id, router)
    identities.setTunneler(id, router.isTunnelerEnabled)
  }

  async #runCycle(): Promise<void> {
    const { clock, log } = this.#deps
    const deps = { ...this.state, rerouting: this.#rerouting, clock, isAwaited: (id: string) => this.#awaited.has(id) }
    try {
      const { broken, moved } = await runSmartCycle(deps, this.#options.smart, this.#stopped.signal)
      if (broken + moved > 0) log.debug('circuits are moved', { broken, moved })
    } catch (err) {
      if (!this.#stopped.signal.aborted) log.error('looking for better paths failed', { err })
    }
  }
}
