/** What is told of circuits. */
import type { CircuitEvent, CircuitEventPath } from '../../events/fabric-events.ts'
import type { CircuitPath, CircuitEvent as LiveCircuitEvent } from '../circuit.ts'
import type { RoutedPath } from '../route-message.ts'
import { nanoseconds } from './nanoseconds.ts'

const eventTypes = { created: 'created', updated: 'pathUpdated', deleted: 'deleted' } as const

/** As an event, at a time in milliseconds since the epoch. */
export function circuitEvent(live: LiveCircuitEvent, now: number): CircuitEvent {
  const header = { namespace: 'circuit', version: 2 } as const
  if (live.type === 'failed') {
    const { request, path } = live
    return {
      ...header,
      event_type: 'failed',
      circuit_id: live.circuitId,
      client_id: request.clientId,
      service_id: request.serviceId,
      terminator_id: live.terminatorId ?? '',
      instance_id: request.instanceId,
      creation_timespan: nanoseconds(live.creationTimespan),
      path: eventPath(path),
      link_count: path?.links.length ?? 0,
      path_cost: live.routeCost,
      failure_cause: live.failureCause,
      tags: live.tags,
    }
  }
  const { circuit, type } = live
  const { path, terminator } = circuit
  const span = live.type === 'deleted' ? live.duration : now - circuit.createdAt
  return {
    ...header,
    event_type: eventTypes[type],
    circuit_id: circuit.id,
    client_id: circuit.clientId,
    service_id: circuit.serviceId,
    terminator_id: terminator.id,
    instance_id: terminator.instanceId,
    ...(live.type === 'created' && { creation_timespan: nanoseconds(live.creationTimespan) }),
    path: eventPath(path),
    link_count: path.links.length,
    ...(live.type === 'created' ? { path_cost: circuit.routeCost } : { duration: nanoseconds(span) }),
    tags: circuit.tags,
  }
}

function eventPath(path: RoutedPath | CircuitPath | undefined): CircuitEventPath {
  if (path === undefined) return { nodes: null, links: null, ingress_id: '', egress_id: '' }
  const ends = 'initiatorLocalAddress' in path ? path : undefined
  return {
    nodes: path.nodes,
    links: path.links.length === 0 ? null : path.links,
    ingress_id: path.ingressId,
    egress_id: path.egressId,
    ...filled('initiator_local_addr', ends?.initiatorLocalAddress),
    ...filled('initiator_remote_addr', ends?.initiatorRemoteAddress),
    ...filled('terminator_local_addr', ends?.terminatorLocalAddress),
    ...filled('terminator_remote_addr', ends?.terminatorRemoteAddress),
  }
}

function filled<K extends string>(name: K, value: string | undefined): { readonly [key in K]?: string } {
  return value ? ({ [name]: value } as { [key in K]: string }) : {}
}
