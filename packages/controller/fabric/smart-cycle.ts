/**
 * The regular look at all circuits: those with a broken path move, and of the others the dearest few for which there is a
 * clearly cheaper path. It is long work with many circuits, so it is done in turns.
 */
import type { Clock } from '../clock.ts'
import { Turns } from '../turns.ts'
import { type Circuit, endsOf } from './circuit.ts'
import type { CircuitTable } from './circuit-table.ts'
import type { Links } from './links.ts'
import type { SmartOptions } from './network-options.ts'
import type { Paths } from './paths.ts'
import type { Rerouting } from './rerouting.ts'
import type { Topology } from './topology.ts'

export interface SmartCycleDeps {
  readonly circuits: CircuitTable
  readonly links: Pick<Links, 'get'>
  readonly paths: Pick<Paths, 'cost'>
  readonly topology: Pick<Topology, 'routerCost'>
  readonly rerouting: Pick<Rerouting, 'request' | 'isIntact'>
  /** Routers whose circuits wait for them to come back. */
  readonly isAwaited: (routerId: string) => boolean
  readonly clock: Pick<Clock, 'monotonic'>
}

export interface CycleOutcome {
  readonly broken: number
  readonly moved: number
}

/** Answers what it asked to be moved. */
export async function runSmartCycle(
  deps: SmartCycleDeps,
  { rerouteFraction, rerouteCap, minCostDelta }: SmartOptions,
  signal: AbortSignal,
): Promise<CycleOutcome> {
  const { circuits, paths, rerouting, clock } = deps
  const turns = new Turns(clock, signal)
  const costs = new Map<string, number>()
  let broken = 0
  for (const circuit of [...circuits.all()]) {
    if (turns.isOver) await turns.next()
    if (circuits.get(circuit.id) !== circuit) continue
    if (rerouting.isIntact(circuit.path)) costs.set(circuit.id, pathCost(deps, circuit))
    else if (!circuit.path.nodes.some(deps.isAwaited)) {
      rerouting.request(circuit.id)
      broken++
    }
  }
  const most = Math.min(Math.max(1, Math.floor(costs.size * rerouteFraction)), rerouteCap)
  const dearestFirst = [...costs].sort(([, a], [, b]) => b - a)
  let moved = 0
  for (const [id, cost] of dearestFirst) {
    if (moved >= most) break
    if (turns.isOver) await turns.next()
    const circuit = circuits.get(id)
    // Nothing saves more than all of it.
    if (cost < minCostDelta) break
    if (circuit === undefined || circuit.path.links.length === 0) continue
    const [from, to] = endsOf(circuit)
    if (cost - paths.cost(from, to) < Math.max(minCostDelta, 1)) continue
    rerouting.request(id)
    moved++
  }
  return { broken, moved }
}

/** As paths are costed: links and routers, without the first router. */
function pathCost({ links, topology }: SmartCycleDeps, { path }: Circuit): number {
  let cost = 0
  for (const id of path.links) cost += links.get(id)!.cost
  for (let at = 1; at < path.nodes.length; at++) cost += topology.routerCost(path.nodes[at]!)
  return cost
}
