/** What is told of terminators: how one stands, and how its service stands with it. */
import type { TerminatorEvent } from '../../events/fabric-events.ts'
import type { TableRows } from '../../state/row.ts'
import type { View } from '../../state/view.ts'
import type { FabricState } from '../fabric-state.ts'

type Terminator = TableRows['terminators']

export interface TerminatorEventDeps {
  readonly view: View
  readonly state: Pick<FabricState, 'routers' | 'terminatorCosts'>
}

export function terminatorEvent(
  { view, state }: TerminatorEventDeps,
  event_type: TerminatorEvent['event_type'],
  terminator: Terminator,
): TerminatorEvent {
  const { id, serviceId, routerId } = terminator
  const others = view.get('services', serviceId) && [...view.find('terminators', 'serviceId', serviceId)]
  const usable = (precedence: string) =>
    others?.filter((other) => other.precedence === precedence && state.routers.isOnline(other.routerId)).length ?? -1
  return {
    namespace: 'terminator',
    event_type,
    service_id: serviceId,
    terminator_id: id,
    router_id: routerId,
    host_id: terminator.hostId,
    instance_id: terminator.instanceId,
    router_online: state.routers.isOnline(routerId),
    precedence: terminator.precedence,
    static_cost: terminator.cost,
    dynamic_cost: state.terminatorCosts.dynamicCost(id),
    total_terminators: others?.length ?? -1,
    usable_default_terminators: usable('default'),
    usable_required_terminators: usable('required'),
  }
}
