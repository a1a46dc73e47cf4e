/**
 * Events as consumers read them: member names and values are those of the peers' JSON.
 *
 * A producer leaves out who says it and when; the dispatcher adds both.
 */
import type { FabricEvent } from './fabric-events.ts'
import type { MaskedToken } from './token-mask.ts'

/** A login session came, went, or changed hands. */
export interface ApiSessionEvent {
  readonly namespace: 'apiSession'
  readonly event_type: 'created' | 'deleted' | 'refreshed' | 'exchanged'
  readonly id: string
  readonly type: 'legacy' | 'jwt'
  readonly token: MaskedToken
  readonly identity_id: string
  readonly ip_address: string
  readonly cert_generated: boolean
}

/** A service session came or went. */
export interface SessionEvent {
  readonly namespace: 'session'
  readonly event_type: 'created' | 'deleted'
  readonly session_type: string
  readonly provider: 'legacy' | 'jwt'
  readonly id: string
  readonly token?: MaskedToken
  readonly api_session_id: string
  readonly identity_id: string
  readonly service_id: string
}

/** Somebody tried to authenticate. Unknown ids are empty. */
export interface AuthenticationEvent {
  readonly namespace: 'authentication'
  readonly event_type: 'success' | 'fail'
  /** The method: `updb`, `cert` or `ext-jwt`. */
  readonly type: string
  readonly authenticator_id: string
  readonly external_jwt_signer_id: string
  readonly identity_id: string
  readonly auth_policy_id: string
  readonly remote_address: string
  readonly success: boolean
  readonly reason: string
  readonly improper_client_cert_chain: boolean
}

export interface ChangeAuthor {
  readonly type: string
  readonly id?: string
  readonly name?: string
}

export interface ChangeSource {
  readonly type: string
  readonly auth?: string
  readonly localAddr?: string
  readonly remoteAddr?: string
  readonly method?: string
}

/** Who made a change and how it came in. */
export interface ChangeMetadata {
  readonly author: ChangeAuthor
  /** The journal index: orders all changes of a network. */
  readonly raft_index: number
  readonly source: ChangeSource
  readonly trace_id?: string
  readonly version: string
}

/** An entity changed. States are shown without secrets; null where the entity did not exist. */
export interface EntityChangedEvent {
  readonly namespace: 'entityChange'
  readonly timestamp: string
  readonly eventId: string
  readonly eventType: 'created' | 'updated' | 'deleted'
  readonly metadata: ChangeMetadata
  readonly entityType: string
  /** True when the event shows only what the entity shares with its parent type (an edge router as a router). */
  readonly isParentEvent: boolean
  readonly initialState: unknown
  readonly finalState: unknown
}

/**
 * The change with this event id is final. Entity type and parent flag let subscriptions choose; consumers do not see
 * them.
 */
export interface EntityCommittedEvent {
  readonly namespace: 'entityChange'
  readonly timestamp: string
  readonly eventId: string
  readonly eventType: 'committed'
  readonly entityType: string
  readonly isParentEvent: boolean
}

export type EntityChangeEvent = EntityChangedEvent | EntityCommittedEvent

/** How many entities of each type there are; `counts` is null when `error` says why. */
export interface EntityCountEvent {
  readonly namespace: 'entityCount'
  readonly counts: Readonly<Record<string, number>> | null
  readonly error?: string
}

/** Somebody reached the controller and was recognised. */
export interface ConnectEvent {
  readonly namespace: 'connect'
  /** Where it is not the moment in which it is told. */
  readonly timestamp?: string
  readonly src_type: 'router' | 'peer' | 'identity'
  readonly dst_type: 'ctrl' | 'router'
  readonly src_id: string
  readonly src_addr: string
  readonly dst_id: string
  readonly dst_addr: string
}

/** Subscribable, but this controller has no cluster to tell of. */
export interface ClusterEvent {
  readonly namespace: 'cluster'
  readonly [member: string]: unknown
}

export type ControllerEvent =
  | ApiSessionEvent
  | SessionEvent
  | AuthenticationEvent
  | EntityChangeEvent
  | EntityCountEvent
  | ConnectEvent
  | FabricEvent
  | ClusterEvent

export type EventNamespace = ControllerEvent['namespace']

/** An event with its origin and time, ready to be formatted. */
export type StampedEvent = ControllerEvent & { readonly event_src_id: string; readonly timestamp: string }
