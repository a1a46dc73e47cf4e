/**
 * Circuits that move: their ends and addresses stay, the way between becomes the cheapest there is.
 *
 * A circuit moves once at a time; a wish that comes meanwhile makes it move again. Routers between the ends are told first,
 * then the ends: bytes leave the old path only when the new one is laid. A circuit that cannot move ends.
 */
import type { Clock } from '../clock.ts'
import type { Logger } from '../log/logger.ts'
import { Turns } from '../turns.ts'
import type { Circuit } from './circuit.ts'
import type { CircuitRemoval } from './circuit-removal.ts'
import type { CircuitTable } from './circuit-table.ts'
import type { ConnectedRouters } from './connected-routers.ts'
import type { Links } from './links.ts'
import type { NetworkOptions } from './network-options.ts'
import type { FoundPath, Paths } from './paths.ts'
import { raceSignal } from './route-attempt.ts'
import { REROUTE_ATTEMPT, type RoutedPath, type RouteMessage, routesAlong } from './route-message.ts'

export interface ReroutingDeps {
  readonly circuits: CircuitTable
  readonly routers: ConnectedRouters
  readonly links: Pick<Links, 'get'>
  readonly paths: Paths
  readonly removal: CircuitRemoval
  readonly clock: Clock
  readonly log: Logger
}

/** Whether a circuit that cannot move ends, or stays where it is. */
export type Necessity = 'needed' | 'if possible'

/** Circuits that move at the same time; the others wait, each once. */
const MOST_AT_ONCE = 64
const TRIES = 2

export class Rerouting implements AsyncDisposable {
  readonly #deps: ReroutingDeps
  readonly #options: Pick<NetworkOptions, 'routeTimeout'>
  /** In the order of the wishes. */
  readonly #waiting = new Map<string, Necessity>()
  readonly #moving = new Map<string, Promise<void>>()
  readonly #unanswered = new Set<AbortController>()
  #starting: Promise<void> | undefined
  #isStopped = false

  constructor(deps: ReroutingDeps, options: Pick<NetworkOptions, 'routeTimeout'>) {
    this.#deps = deps
    this.#options = options
  }

  /** Circuits that wait for their turn or move. */
  get pending(): number {
    return this.#waiting.size + this.#moving.size
  }

  /** Moves a circuit as soon as what happens now is over: more may change with the same report. */
  request(circuitId: string, necessity: Necessity = 'needed'): void {
    if (this.#isStopped) return
    const former = this.#waiting.get(circuitId)
    this.#waiting.set(circuitId, former === 'needed' ? former : necessity)
    this.#starting ??= this.#startWaiting()
  }

  /** Whether all links of a path are there, usable and between routers that are connected. */
  isIntact({ nodes, links }: Pick<RoutedPath, 'nodes' | 'links'>): boolean {
    const { routers, links: table } = this.#deps
    return nodes.every((id) => routers.isOnline(id)) && links.every((id) => table.get(id)?.isUsable === true)
  }

  /** Waits until nothing moves. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopped = true
    this.#waiting.clear()
    for (const unanswered of this.#unanswered) unanswered.abort(new Error('the controller stops'))
    await this.#starting
    await Promise.all(this.#moving.values())
  }

  /** A path may have to be searched for each, so others get their turn in between. */
  async #startWaiting(): Promise<void> {
    const turns = new Turns(this.#deps.clock)
    await turns.next()
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const [circuitId, necessity] = next
      this.#waiting.delete(circuitId)
      this.#moving.set(circuitId, this.#runToEnd(circuitId, necessity))
      if (turns.isOver) await turns.next()
    }
    // Not a moment later: whoever has moved by then starts the next ones.
    this.#starting = undefined
  }

  #next(): readonly [string, Necessity] | undefined {
    if (this.#moving.size >= MOST_AT_ONCE || this.#isStopped) return undefined
    return this.#waiting.entries().find(([circuitId]) => !this.#moving.has(circuitId))
  }

  async #runToEnd(circuitId: string, necessity: Necessity): Promise<void> {
    try {
      await this.#run(circuitId, necessity)
    } catch (err) {
      this.#deps.log.error('moving a circuit failed', { err, circuitId })
    }
    this.#moving.delete(circuitId)
    const next = this.#next()
    if (next !== undefined) this.request(...next)
  }

  async #run(circuitId: string, necessity: Necessity): Promise<void> {
    const { circuits, removal, log } = this.#deps
    /** Routers that were left, or may have been. */
    const left = new Set<string>(circuits.get(circuitId)?.path.nodes)
    let reason = 'no path is left'
    for (let tries = 0; tries < TRIES; tries++) {
      const circuit = circuits.get(circuitId)
      if (circuit === undefined) {
        removal.unroute(left, circuitId, 'now')
        return
      }
      const found = this.#deps.paths.between(circuit.path.nodes[0]!, circuit.path.nodes.at(-1)!)
      if (found === undefined && necessity === 'if possible') return
      if (found === undefined) break
      for (const id of found.nodes) left.add(id)
      try {
        await this.#move(circuit, found, left)
        return
      } catch (err) {
        if (this.#isStopped) return
        log.warn('a circuit could not be moved', { err, circuitId, tries: tries + 1 })
        reason = 'its routers could not be told of the new path'
      }
    }
    removal.unroute(left.difference(new Set(circuits.get(circuitId)?.path.nodes)), circuitId, 'now')
    removal.remove(circuitId, { when: 'now', reason })
  }

  async #move(before: Circuit, found: FoundPath, left: ReadonlySet<string>): Promise<void> {
    const { circuits, removal, clock } = this.#deps
    const path = { ...before.path, nodes: found.nodes, links: found.links }
    const after: Circuit = { ...before, path, updatedAt: clock.now() }
    // From now on a fault on the new path is known to concern the circuit.
    circuits.replace(before, after)
    const { binding, address: destination } = after.terminator
    const routes = routesAlong(path, {
      circuitId: after.id,
      attempt: REROUTE_ATTEMPT,
      binding,
      destination,
      peerData: new Map(),
      context: { circuitId: after.id },
      timeout: this.#options.routeTimeout,
      tags: after.tags,
    })
    for (const at of innerFirst(path.nodes.length)) {
      await this.#send(path.nodes[at]!, routes[at]!)
      if (circuits.get(after.id) !== after) {
        removal.unroute(left, after.id, 'now')
        return
      }
    }
    removal.unroute(left.difference(new Set(path.nodes)), after.id, 'now')
    circuits.tell({ type: 'updated', circuit: after })
  }

  async #send(routerId: string, route: RouteMessage): Promise<void> {
    const connection = this.#deps.routers.get(routerId)?.connection
    if (connection === undefined) throw new Error(`router ${routerId} is no longer connected`)
    const unanswered = new AbortController()
    const { signal } = unanswered
    const late = () => unanswered.abort(new Error(`router ${routerId} took too long`))
    const timer = setTimeout(late, this.#options.routeTimeout)
    this.#unanswered.add(unanswered)
    try {
      const result = await raceSignal(connection.sendRoute(route, { signal }), signal)
      if (!result.isSuccess) throw new Error(`router ${routerId} refused: ${result.message}`)
    } finally {
      clearTimeout(timer)
      this.#unanswered.delete(unanswered)
    }
  }
}

function innerFirst(length: number): readonly number[] {
  const order = Array.from({ length }, (_, at) => at)
  const isEnd = (at: number) => at === 0 || at === length - 1
  return [...order.filter((at) => !isEnd(at)), ...order.filter(isEnd)]
}
