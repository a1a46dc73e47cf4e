/**
 * What is told of terminators: how one stands, and how its service stands with it. Terminators that change together are told
 * together, because a service is then counted once: a router may take thousands of one service with it.
 */
import type { TerminatorEvent } from '../../events/fabric-events.ts'
import type { TableRows } from '../../state/row.ts'
import type { View } from '../../state/view.ts'
import type { FabricState } from '../fabric-state.ts'

type Terminator = TableRows['terminators']

export interface TerminatorEventDeps {
  readonly view: View
  readonly state: Pick<FabricState, 'routers' | 'terminatorCosts'>
}

export interface TerminatorChange {
  readonly type: TerminatorEvent['event_type']
  readonly terminator: Terminator
}

type Standing = Pick<
  TerminatorEvent,
  'total_terminators' | 'usable_default_terminators' | 'usable_required_terminators'
>

/** Of changes that have all been made. */
export function* terminatorEvents(
  deps: TerminatorEventDeps,
  changes: Iterable<TerminatorChange>,
): Generator<TerminatorEvent> {
  const { routers, terminatorCosts } = deps.state
  const standings = new Map<string, Standing>()
  for (const { type, terminator } of changes) {
    const { id, serviceId, routerId } = terminator
    const standing = standings.get(serviceId) ?? standingOf(deps, serviceId)
    standings.set(serviceId, standing)
    yield {
      namespace: 'terminator',
      event_type: type,
      service_id: serviceId,
      terminator_id: id,
      router_id: routerId,
      host_id: terminator.hostId,
      instance_id: terminator.instanceId,
      router_online: routers.isOnline(routerId),
      precedence: terminator.precedence,
      static_cost: terminator.cost,
      dynamic_cost: terminatorCosts.dynamicCost(id),
      ...standing,
    }
  }
}

function standingOf({ view, state }: TerminatorEventDeps, serviceId: string): Standing {
  if (view.get('services', serviceId) === undefined) {
    return { total_terminators: -1, usable_default_terminators: -1, usable_required_terminators: -1 }
  }
  let [total, usableDefault, usableRequired] = [0, 0, 0]
  for (const { precedence, routerId } of view.find('terminators', 'serviceId', serviceId)) {
    total++
    if (!state.routers.isOnline(routerId)) continue
    if (precedence === 'default') usableDefault++
    else if (precedence === 'required') usableRequired++
  }
  return {
    total_terminators: total,
    usable_default_terminators: usableDefault,
    usable_required_terminators: usableRequired,
  }
}
