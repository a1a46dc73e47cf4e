/** What is told of links. That one was dialled anew is told by the new one, and settings of an administrator by nobody. */
import type { LinkEvent, LinkEventConnection } from '../../events/fabric-events.ts'
import type { Link, LinkConnection } from '../link.ts'
import type { LinkEvent as LiveLinkEvent } from '../links.ts'

export function linkEvent(live: LiveLinkEvent): LinkEvent | undefined {
  switch (live.type) {
    case 'new':
      return described('routerLinkNew', live.link)
    case 'known':
      return described('routerLinkKnown', live.link)
    case 'removed':
      if (live.why === 'replaced') return undefined
      return described(live.why === 'duplicate' ? 'duplicate' : 'fault', live.link)
    case 'destination offline':
      return { namespace: 'link', event_type: 'routerLinkDisconnectedDest', link_id: live.linkId }
    case 'unknown fault':
      return { namespace: 'link', event_type: 'fault', link_id: live.linkId }
    case 'connections': {
      const connections = live.connState.conns.map(shown)
      return { namespace: 'link', event_type: 'connectionsChanged', link_id: live.linkId, connections }
    }
    case 'changed':
      return undefined
  }
}

function described(event_type: LinkEvent['event_type'], link: Link): LinkEvent {
  const connections = link.connections.map(shown)
  return {
    namespace: 'link',
    event_type,
    link_id: link.id,
    src_router_id: link.sourceRouterId,
    dst_router_id: link.destRouterId,
    protocol: link.protocol,
    dial_address: link.dialAddress,
    cost: link.staticCost,
    ...(connections.length > 0 && { connections }),
  }
}

function shown({ type, localAddr, remoteAddr }: LinkConnection): LinkEventConnection {
  return { id: type, local_addr: localAddr, remote_addr: remoteAddr }
}
