/**
 * What routers on a path are told, as plain objects; the control channel gives them their form on the wire.
 *
 *   ingress I ── n0 ──l1── n1 ──l2── n2 ── E egress
 *
 *   n0        I → l1 link    l1 → I start
 *   between   l1 → l2 link   l2 → l1 link
 *   last      E → l2 link    l2 → E end      and the egress, which dials the terminator
 *   one alone I → E end      E → I start     and the egress
 */
import type { PeerData } from './peer-data.ts'

export interface Forward {
  readonly srcAddress: string
  readonly dstAddress: string
  readonly dstType: 'start' | 'end' | 'link'
}

/** How the last router reaches the terminator. */
export interface Egress {
  readonly binding: string
  readonly address: string
  readonly destination: string
  /** What the initiator says. */
  readonly peerData: PeerData
}

export interface RouteMessage {
  readonly circuitId: string
  readonly attempt: number
  readonly egress?: Egress
  readonly forwards: readonly Forward[]
  /** For logs and traces. */
  readonly context: Readonly<Record<string, string>>
  /** Milliseconds the router has. */
  readonly timeout: number
  /** For usage metrics. */
  readonly tags: Readonly<Record<string, string>>
}

/** What a router answered. `code` is that of the wire, 0 for whatever has none of its own. */
export type RouteResult =
  | { readonly isSuccess: true; readonly peerData: PeerData }
  | { readonly isSuccess: false; readonly code: number; readonly message: string }

/** The attempt number by which routers know that a circuit moves and its ends stay. */
export const REROUTE_ATTEMPT = 99_969_996

/** Where a circuit runs: routers and the links between them, by id, and the addresses of its ends. */
export interface RoutedPath {
  readonly nodes: readonly string[]
  readonly links: readonly string[]
  readonly ingressId: string
  readonly egressId: string
}

export interface RouteDetails {
  readonly circuitId: string
  readonly attempt: number
  readonly binding: string
  readonly destination: string
  readonly peerData: PeerData
  readonly context: Readonly<Record<string, string>>
  readonly timeout: number
  readonly tags: Readonly<Record<string, string>>
}

/** One message for each router of a path, in its order. */
export function routesAlong(path: RoutedPath, details: RouteDetails): readonly RouteMessage[] {
  const { circuitId, attempt, binding, destination, peerData, context, timeout, tags } = details
  const last = path.nodes.length - 1
  return path.nodes.map((_, at) => {
    const route = { circuitId, attempt, forwards: forwardsAt(path, at), context, timeout, tags }
    // A lone router is given the egress also when its circuit moves: it knows the address and does not dial again.
    if (at !== last || (attempt === REROUTE_ATTEMPT && last > 0)) return route
    return { ...route, egress: { binding, address: path.egressId, destination, peerData } }
  })
}

function forwardsAt({ nodes, links, ingressId, egressId }: RoutedPath, at: number): readonly Forward[] {
  const before = links[at - 1]
  const after = links[at]
  if (before === undefined && after === undefined && nodes.length === 1) {
    return [forward(ingressId, egressId, 'end'), forward(egressId, ingressId, 'start')]
  }
  if (before === undefined) return [forward(ingressId, after!, 'link'), forward(after!, ingressId, 'start')]
  if (after === undefined) return [forward(egressId, before, 'link'), forward(before, egressId, 'end')]
  return [forward(before, after, 'link'), forward(after, before, 'link')]
}

function forward(srcAddress: string, dstAddress: string, dstType: Forward['dstType']): Forward {
  return { srcAddress, dstAddress, dstType }
}
