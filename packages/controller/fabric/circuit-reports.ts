/**
 * What routers report of circuits. A report counts while it comes over the connection its router has, and only for circuits
 * that run through that router; about others a router cannot know anything.
 */
import type { View } from '../state/view.ts'
import { isEndOf } from './circuit.ts'
import type { CircuitRemoval } from './circuit-removal.ts'
import type { CircuitTable } from './circuit-table.ts'
import type { ConnectedRouters } from './connected-routers.ts'
import type { Rerouting } from './rerouting.ts'
import { REROUTE_ATTEMPT } from './route-message.ts'
import type { RouterConnection } from './router-connection.ts'

export interface ReportDeps {
  readonly view: View
  readonly circuits: CircuitTable
  readonly routers: Pick<ConnectedRouters, 'isCurrent'>
  readonly removal: CircuitRemoval
  readonly rerouting: Pick<Rerouting, 'request'>
}

export interface IdleCircuit {
  readonly circuitId: string
  /** Milliseconds without traffic; undefined where the router did not say. */
  readonly idle: number | undefined
}

export class CircuitReports {
  readonly #deps: ReportDeps

  constructor(deps: ReportDeps) {
    this.#deps = deps
  }

  /** An end of the circuit closed (ingress and egress faults). The other end reports it too, when it is gone already. */
  ended(connection: RouterConnection, circuitId: string): void {
    const { circuits, routers, removal } = this.#deps
    const circuit = circuits.get(circuitId)
    if (circuit === undefined || !routers.isCurrent(connection) || !isEndOf(circuit, connection.routerId)) return
    removal.remove(circuitId, { when: 'when idle', reason: 'an end closed' })
  }

  /**
   * The router could not forward bytes of these circuits. What it has of circuits that are not its own is taken from it,
   * unless it does not know whose they are: they may belong to another controller.
   */
  notForwarded(
    connection: RouterConnection,
    circuitIds: Iterable<string>,
    { isOwnerKnown }: { readonly isOwnerKnown: boolean },
  ): void {
    if (!this.#deps.routers.isCurrent(connection)) return
    for (const circuitId of circuitIds) {
      if (this.#isOnPath(connection, circuitId)) this.#deps.rerouting.request(circuitId)
      else if (isOwnerKnown) this.#takeBack(connection, circuitId)
    }
  }

  /** The router asks whether circuits without traffic still exist. */
  idle(connection: RouterConnection, idleCircuits: Iterable<IdleCircuit>): void {
    if (!this.#deps.routers.isCurrent(connection)) return
    for (const { circuitId, idle } of idleCircuits) {
      if (this.#isOnPath(connection, circuitId)) this.#judgeIdle(connection.routerId, circuitId, idle)
      else this.#takeBack(connection, circuitId)
    }
  }

  /** A result that nobody waited for any more: the router has set up what is not wanted. */
  routedLate(connection: RouterConnection, circuitId: string, attempt: number): void {
    if (attempt === REROUTE_ATTEMPT || this.#isOnPath(connection, circuitId)) return
    this.#takeBack(connection, circuitId)
  }

  #judgeIdle(routerId: string, circuitId: string, idle: number | undefined): void {
    const { view, circuits, removal } = this.#deps
    const circuit = circuits.get(circuitId)!
    const service = view.get('services', circuit.serviceId)
    if (service === undefined) {
      removal.remove(circuitId, { when: 'now', reason: 'its service is gone' })
      return
    }
    const { maxIdleTimeMillis: most } = service
    if (idle === undefined || most <= 0 || idle < most || !isEndOf(circuit, routerId)) return
    removal.remove(circuitId, { when: 'now', reason: 'it was idle for longer than its service allows' })
  }

  #isOnPath({ routerId }: RouterConnection, circuitId: string): boolean {
    return this.#deps.circuits.get(circuitId)?.path.nodes.includes(routerId) === true
  }

  /** Of a circuit that is in the making the router may just have got its part. */
  #takeBack(connection: RouterConnection, circuitId: string): void {
    if (!this.#deps.circuits.isReserved(circuitId)) connection.sendUnroute(circuitId, 'now')
  }
}
