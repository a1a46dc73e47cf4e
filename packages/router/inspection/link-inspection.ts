/** The links of a router, as `ziti fabric inspect links` and the tools that validate a network read them. */
import type { Destination } from '../link/destination.ts'
import type { Link } from '../link/link.ts'
import type { LinkRegistry } from '../link/link-registry.ts'
import type { LinkState } from '../link/link-state.ts'
import { durationText } from './duration-text.ts'

export interface LinkInspectionDeps {
  readonly links: Pick<LinkRegistry, 'links' | 'destinations'>
  /** Whether controllers have been told everything. */
  readonly isReported: () => boolean
  readonly clock: { now(): number; monotonic(): number }
}

export function inspectLinks(deps: LinkInspectionDeps) {
  return {
    links: [...deps.links.links()].map(inspectLink),
    destinations: [...deps.links.destinations()].map((destination) => inspectDestination(destination, deps)),
    errors: null,
  }
}

function inspectLink(link: Link) {
  const { id, iteration, key, protocol, dialAddress, routerId, routerVersion, isDialed } = link.facts
  const { conns, stateIteration } = link.connState()
  return {
    id,
    iteration,
    key,
    split: link.isSplit,
    protocol,
    dialAddress,
    dest: routerId,
    destVersion: routerVersion,
    dialed: isDialed,
    underlays: Object.fromEntries(
      Object.entries(Object.groupBy(conns, ({ type }) => type)).map(([type, list = []]) => [type, list.length]),
    ),
    connections: conns.map(({ type, localAddr, remoteAddr }) => ({ Type: type, Source: localAddr, Dest: remoteAddr })),
    connStateIteration: stateIteration,
  }
}

function inspectDestination(destination: Destination, deps: LinkInspectionDeps) {
  const { id, version, isHealthy, unhealthySince, states } = destination
  return {
    id,
    version,
    healthy: isHealthy,
    ...(unhealthySince === undefined ? {} : { unhealthySince: new Date(unhealthySince).toISOString() }),
    linkStates: [...states.values()].map((state) => inspectState(state, deps)),
  }
}

function inspectState(state: LinkState, { isReported, clock }: LinkInspectionDeps) {
  const { id, key, status, iteration, connectedCount, retryDelay, nextDial, listener, dialer, link } = state
  return {
    id,
    key,
    status,
    dialAttempts: iteration,
    connectedCount,
    retryDelay: durationText(retryDelay),
    nextDial: new Date(clock.now() + nextDial - clock.monotonic()).toISOString(),
    targetAddress: listener.address,
    targetGroups: listener.groups,
    targetBinding: listener.localBinding,
    dialerGroups: dialer.groups,
    dialerBinding: dialer.bindInterface,
    ctrlsNotified: isReported(),
    establishedLinkId: link?.id ?? '',
  }
}
