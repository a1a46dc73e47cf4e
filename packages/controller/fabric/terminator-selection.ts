/**
 * Where a circuit ends: the terminator that the service's strategy picks among those of the wanted instance that can be
 * reached, by what they and the paths to them cost.
 */
import type { TableRows } from '../state/row.ts'
import type { View } from '../state/view.ts'
import { CircuitError } from './circuit-error.ts'
import type { ConnectedRouters } from './connected-routers.ts'
import type { FoundPath, Paths } from './paths.ts'
import type { PeerData } from './peer-data.ts'
import { biasedCost } from './precedence.ts'
import type { TerminatorCosts } from './terminator-costs.ts'
import { type CostedTerminator, type Strategy, strategyNamed } from './terminator-strategies.ts'

type Service = TableRows['services']
type Terminator = TableRows['terminators']

/** More than that, and the path tells nothing about the terminator. */
const MOST_PATH_COST = 2 ** 20

export interface SelectionDeps {
  readonly view: View
  readonly routers: Pick<ConnectedRouters, 'isOnline'>
  readonly paths: Paths
  readonly terminatorCosts: Pick<TerminatorCosts, 'dynamicCost'>
  readonly random: () => number
}

export interface SelectionRequest {
  readonly sourceRouterId: string
  readonly instanceId: string
  readonly peerData: PeerData
}

export interface Selection {
  readonly terminator: Terminator
  readonly strategy: Strategy
  readonly routeCost: number
  readonly path: FoundPath
  /** What the strategy tells the initiator. */
  readonly peerData: PeerData
}

interface Candidate extends CostedTerminator {
  readonly row: Terminator
}

/** Throws a CircuitError where there is none to pick. */
export function selectTerminator(deps: SelectionDeps, service: Service, request: SelectionRequest): Selection {
  const { paths, random } = deps
  const { sourceRouterId, peerData } = request
  const strategy = strategyNamed(service.terminatorStrategy)
  if (strategy === undefined) {
    throw new CircuitError('INVALID_STRATEGY', `terminator strategy ${service.terminatorStrategy} does not exist`)
  }
  const candidates = reachable(deps, service, request)
  candidates.sort((a, b) => a.routeCost - b.routeCost)
  const picked = strategy.pick(candidates, { peerData, random })
  const { row: terminator, routeCost } = picked.terminator
  const path = paths.between(sourceRouterId, terminator.routerId)
  if (path === undefined) throw new CircuitError('NO_PATH', noPath(sourceRouterId, terminator.routerId))
  return { terminator, strategy, routeCost, path, peerData: picked.peerData }
}

function reachable(deps: SelectionDeps, service: Service, request: SelectionRequest): Candidate[] {
  const { view, routers, paths, terminatorCosts } = deps
  const { sourceRouterId, instanceId } = request
  const candidates: Candidate[] = []
  let offline = 0
  let unreachable: string | undefined
  for (const row of view.find('terminators', 'serviceId', service.id)) {
    if (row.instanceId !== instanceId) continue
    if (!routers.isOnline(row.routerId)) {
      offline++
      continue
    }
    const pathCost = paths.cost(sourceRouterId, row.routerId)
    if (pathCost === Number.POSITIVE_INFINITY) {
      unreachable = row.routerId
      continue
    }
    const { id, precedence } = row
    const cost = row.cost + terminatorCosts.dynamicCost(id) + Math.min(pathCost, MOST_PATH_COST)
    candidates.push({ id, precedence, routeCost: biasedCost(precedence, cost), row })
  }
  if (candidates.length > 0) return candidates
  if (unreachable !== undefined) throw new CircuitError('NO_PATH', noPath(sourceRouterId, unreachable))
  const ofInstance = instanceId === '' ? '' : ` for instanceId ${instanceId}`
  if (offline > 0) {
    throw new CircuitError('NO_ONLINE_TERMINATORS', `service ${service.id} has no online terminators${ofInstance}`)
  }
  throw new CircuitError('NO_TERMINATORS', `service ${service.id} has no terminators${ofInstance}`)
}

function noPath(from: string, to: string): string {
  return `no path leads from router ${from} to router ${to}`
}
