/** How circuits end: their routers are told, their terminator costs less, and followers hear of it. */
import type { Clock } from '../clock.ts'
import type { View } from '../state/view.ts'
import type { Circuit } from './circuit.ts'
import type { CircuitKey, CircuitTable } from './circuit-table.ts'
import type { ConnectedRouters } from './connected-routers.ts'
import { OwedUnroutes } from './owed-unroutes.ts'
import type { RouterConnection, UnrouteTime } from './router-connection.ts'
import type { TerminatorCosts } from './terminator-costs.ts'

export interface RemovalDeps {
  readonly view: View
  readonly circuits: CircuitTable
  readonly routers: ConnectedRouters
  readonly terminatorCosts: TerminatorCosts
  readonly clock: Pick<Clock, 'now'>
}

export interface Removal {
  readonly when: UnrouteTime
  /** For logs and events. */
  readonly reason: string
}

export class CircuitRemoval {
  readonly #deps: RemovalDeps
  readonly #owed = new OwedUnroutes()

  constructor(deps: RemovalDeps) {
    this.#deps = deps
  }

  /** Answers whether there was such a circuit. */
  remove(circuitId: string, { when, reason }: Removal): boolean {
    const { circuits, terminatorCosts, clock } = this.#deps
    const circuit = circuits.remove(circuitId)
    if (circuit === undefined) return false
    this.unroute(circuit.path.nodes, circuitId, when)
    if (circuit.isCounted) terminatorCosts.circuitRemoved(circuit.terminator.id)
    circuits.tell({ type: 'deleted', circuit, duration: clock.now() - circuit.createdAt, reason })
    return true
  }

  /** Ends all circuits that something has in common, and that also pass a test; answers how many. */
  removeFound(key: CircuitKey, value: string, removal: Removal, isMeant = (_: Circuit) => true): number {
    const found = this.#deps.circuits.find(key, value).filter(isMeant)
    for (const { id } of found) this.remove(id, removal)
    return found.length
  }

  /** Ends all circuits that pass a test; answers how many. */
  removeWhere(isMeant: (circuit: Circuit) => boolean, removal: Removal): number {
    const found = [...this.#deps.circuits.all().filter(isMeant)]
    for (const { id } of found) this.remove(id, removal)
    return found.length
  }

  /** Tells the routers, and those that are not connected when they are back. */
  unroute(routerIds: Iterable<string>, circuitId: string, when: UnrouteTime): void {
    for (const id of routerIds) {
      const router = this.#deps.routers.get(id)
      if (router !== undefined) router.connection.sendUnroute(circuitId, when)
      else if (this.#deps.view.get('routers', id) !== undefined) this.#owed.add(id, circuitId)
    }
  }

  /** A router is back. */
  tellOwed(connection: RouterConnection): void {
    for (const circuitId of this.#owed.take(connection.routerId)) connection.sendUnroute(circuitId, 'now')
  }

  /** A router will not be back. */
  forgetRouter(routerId: string): void {
    this.#owed.take(routerId)
  }
}
