/**
 * One control channel of a router, as far as the fabric speaks through it. The channel's owner implements it; which of two
 * connections of a router counts is decided by the object itself, never by an id.
 */
import type { ConnectedRouter, LinkListener as ShownListener } from '../resources/router-presence.ts'
import type { RouteMessage, RouteResult } from './route-message.ts'

/** `now` closes what the router has of a circuit at once, `when idle` lets the rest of its bytes through. */
export type UnrouteTime = 'now' | 'when idle'

export interface RouterConnection {
  readonly routerId: string
  /**
   * Whether the process is the one that was connected before. Only that one still has its circuits: after a start the
   * router knows of none.
   */
  readonly isResumed: boolean
  /**
   * Sends a route and answers with its result. Rejects when the channel ends, when the message cannot be sent, and when
   * the signal says that nobody waits any more.
   */
  sendRoute(route: RouteMessage, options: { readonly signal: AbortSignal }): Promise<RouteResult>
  /** Sends it if it can; what a router keeps in spite of it, its confirmation of circuits brings up. */
  sendUnroute(circuitId: string, when: UnrouteTime): void
  /** Sends it if it can: the router closes the link, unless it has dialled it anew since that iteration; 0 means any. */
  sendLinkFault(linkId: string, iteration: number): void
  /** Ends the channel; called when a newer connection takes its place. */
  close(reason: string): void
}

/** Where other routers may dial links. */
export interface LinkListener extends ShownListener {
  readonly groups: readonly string[]
  readonly localBinding: string
}

/** What a router says of itself while it is connected. */
export interface RouterFacts extends ConnectedRouter {
  /** The mask of its hello. */
  readonly capabilities: bigint
  readonly linkListeners: readonly LinkListener[]
}
