/**
 * Events of the fabric as consumers read them: circuits, links, routers, terminators, usage, metrics. Members that are
 * undefined do not appear. Spans are nanoseconds, as the peers print them.
 */

export interface CircuitEventPath {
  readonly nodes: readonly string[] | null
  readonly links: readonly string[] | null
  readonly ingress_id: string
  readonly egress_id: string
  readonly initiator_local_addr?: string | undefined
  readonly initiator_remote_addr?: string | undefined
  readonly terminator_local_addr?: string | undefined
  readonly terminator_remote_addr?: string | undefined
}

/** A circuit was made, moved or ended, or an attempt to make one has failed. */
export interface CircuitEvent {
  readonly namespace: 'circuit'
  readonly version: 2
  readonly event_type: 'created' | 'pathUpdated' | 'deleted' | 'failed'
  readonly circuit_id: string
  readonly client_id: string
  readonly service_id: string
  readonly terminator_id: string
  readonly instance_id: string
  readonly creation_timespan?: number | undefined
  readonly path: CircuitEventPath
  readonly link_count: number
  readonly path_cost?: number | undefined
  readonly failure_cause?: string | undefined
  readonly duration?: number | undefined
  readonly tags: Readonly<Record<string, string>>
}

export interface LinkEvent {
  readonly namespace: 'link'
  readonly event_type:
    | 'fault'
    | 'duplicate'
    | 'routerLinkNew'
    | 'routerLinkKnown'
    | 'routerLinkDisconnectedDest'
    | 'connectionsChanged'
  readonly link_id: string
  readonly src_router_id?: string | undefined
  readonly dst_router_id?: string | undefined
  readonly protocol?: string | undefined
  readonly dial_address?: string | undefined
  readonly cost?: number | undefined
  readonly connections?: readonly LinkEventConnection[] | undefined
}

export interface LinkEventConnection {
  readonly id: string
  readonly local_addr: string
  readonly remote_addr: string
}

export interface RouterEvent {
  readonly namespace: 'router'
  readonly event_type: 'router-online' | 'router-offline'
  readonly router_id: string
  readonly router_online: boolean
}

/** A terminator came, changed or went, or its router did. Of a service that is gone the counts are -1. */
export interface TerminatorEvent {
  readonly namespace: 'terminator'
  readonly event_type: 'created' | 'updated' | 'deleted' | 'router-online' | 'router-offline'
  readonly service_id: string
  readonly terminator_id: string
  readonly router_id: string
  readonly host_id: string
  readonly instance_id: string
  readonly router_online: boolean
  readonly precedence: string
  readonly static_cost: number
  readonly dynamic_cost: number
  readonly total_terminators: number
  readonly usable_default_terminators: number
  readonly usable_required_terminators: number
}

/** How often something happened to dials of a service in an interval; times and lengths are seconds. */
export interface ServiceEvent {
  readonly namespace: 'service'
  readonly version: 2
  readonly event_type: string
  readonly terminator_id: string
  readonly service_id: string
  readonly count: number
  readonly interval_start_utc: number
  readonly interval_length: number
}

interface UsageInterval {
  readonly namespace: 'usage'
  readonly source_id: string
  readonly circuit_id: string
  readonly interval_start_utc: number
  readonly interval_length: number
  readonly tags: Readonly<Record<string, string>> | null
}

/** Bytes that a circuit has moved through a router in one direction. */
export interface DirectionUsageEvent extends UsageInterval {
  readonly version: 2
  readonly event_type: string
  readonly usage: number
}

/** The same with all directions together. */
export interface CircuitUsageEvent extends UsageInterval {
  readonly version: 3
  readonly usage: Readonly<Record<string, number>>
}

export type UsageEvent = DirectionUsageEvent | CircuitUsageEvent

export interface MetricsEvent {
  readonly namespace: 'metrics'
  /** When it was measured. */
  readonly timestamp: string
  readonly metric_type: 'intValue' | 'floatValue' | 'meter' | 'histogram' | 'timer'
  readonly source_id: string
  readonly source_entity_id?: string | undefined
  readonly version: 3
  readonly metric: string
  readonly metrics: Readonly<Record<string, number>>
  readonly tags?: Readonly<Record<string, string>> | undefined
  readonly source_event_id: string
}

/** An identity has connected to a router, or has left the last one. */
export interface SdkEvent {
  readonly namespace: 'sdk'
  readonly event_type: 'sdk-online' | 'sdk-offline' | 'sdk-status-unknown'
  readonly identity_id: string
}

/** Something that an operator can put right. */
export interface AlertEvent {
  readonly namespace: 'alert'
  readonly timestamp: string
  readonly alert_source_type: 'router'
  readonly alert_source_id: string
  readonly severity: string
  readonly message: string
  readonly details: readonly string[] | null
  readonly related_entities: Readonly<Record<string, string>> | null
}

export type FabricEvent =
  | CircuitEvent
  | LinkEvent
  | RouterEvent
  | TerminatorEvent
  | ServiceEvent
  | UsageEvent
  | MetricsEvent
  | SdkEvent
  | AlertEvent
