/** A circuit: a client's way to one terminator, along routers and links. */
import type { ShownToken } from '../auth/tokens/token-times.ts'
import type { TableRows } from '../state/row.ts'
import type { CircuitFailureCause } from './circuit-error.ts'
import type { PeerData } from './peer-data.ts'
import type { RoutedPath } from './route-message.ts'

type Terminator = TableRows['terminators']

export interface CircuitPath extends RoutedPath {
  readonly initiatorLocalAddress: string
  readonly initiatorRemoteAddress: string
  readonly terminatorLocalAddress: string
  readonly terminatorRemoteAddress: string
}

/** For whom a circuit is made. Circuits that the fabric asks for have no identity, and no policy applies to them. */
export interface CircuitOwner {
  /** As events and lists show it: the session, or the identity where there is none. */
  readonly clientId: string
  readonly identityId?: string | undefined
  readonly apiSessionId?: string | undefined
  readonly sessionId?: string | undefined
  /** The access token by which it was asked for. */
  readonly token?: ShownToken | undefined
}

export interface CircuitRequest extends CircuitOwner {
  /** Chosen here where it is absent or empty. */
  readonly circuitId?: string
  readonly sourceRouterId: string
  readonly serviceId: string
  /** Only terminators of this instance; empty: only those of none. */
  readonly instanceId: string
  /** What the initiator says. */
  readonly peerData: PeerData
  /** Further fields for the logs of routers. */
  readonly context?: Readonly<Record<string, string>>
}

export interface Circuit extends CircuitOwner {
  readonly id: string
  readonly serviceId: string
  readonly instanceId: string
  readonly terminator: Readonly<Pick<Terminator, 'id' | 'routerId' | 'binding' | 'address' | 'hostId' | 'instanceId'>>
  /** What the terminator cost when it was chosen, in its precedence's band. */
  readonly routeCost: number
  /** Whether it counts into the terminator's dynamic cost. */
  readonly isCounted: boolean
  /** What the initiator is told. */
  readonly peerData: PeerData
  readonly tags: Readonly<Record<string, string>>
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly updatedAt: number
  /** Changes as a whole when the circuit moves. */
  readonly path: CircuitPath
}

/** What followers of circuits are told. Spans are milliseconds. */
export type CircuitEvent =
  | { readonly type: 'created'; readonly circuit: Circuit; readonly creationTimespan: number }
  | { readonly type: 'updated'; readonly circuit: Circuit }
  | { readonly type: 'deleted'; readonly circuit: Circuit; readonly duration: number; readonly reason: string }
  | FailedCircuit

/** One attempt that failed; another one may follow. */
export interface FailedCircuit {
  readonly type: 'failed'
  readonly circuitId: string
  readonly request: CircuitRequest
  readonly failureCause: CircuitFailureCause
  readonly creationTimespan: number
  readonly tags: Readonly<Record<string, string>>
  readonly path?: RoutedPath
  readonly terminatorId?: string
  readonly routeCost?: number
}

/** The router at which the client is, and the one at which the terminator is. */
export function endsOf({ path: { nodes } }: Pick<Circuit, 'path'>): readonly [string, string] {
  return [nodes[0]!, nodes.at(-1)!]
}

export function isEndOf(circuit: Pick<Circuit, 'path'>, routerId: string): boolean {
  return endsOf(circuit).includes(routerId)
}
