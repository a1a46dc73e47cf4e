/**
 * Who may come in over the control channel. Every connection is judged, additional ones of a channel too: its leaf must
 * chain to the network's authorities, and be the very certificate with which the router that it claims to be has enrolled.
 * What kind of connection the hello says it is changes nothing.
 */
import { timingSafeEqual } from 'node:crypto'
import { HelloRefusal, type ReceivedHello } from '@weft/wire'
import type { ConnectedRouters } from '../fabric/connected-routers.ts'
import type { TableRows } from '../state/row.ts'
import type { View } from '../state/view.ts'
import type { LeafTrust } from './leaf-trust.ts'

export interface AcceptanceDeps {
  readonly view: View
  readonly routers: Pick<ConnectedRouters, 'isChurning'>
  readonly trust: Pick<LeafTrust, 'check'>
}

/** The router whose connection it is; throws `HelloRefusal`. */
export function acceptedRouter(deps: AcceptanceDeps, hello: ReceivedHello): TableRows['routers'] {
  const { connection, id, group } = hello
  const [leaf, ...sent] = connection.certificates
  if (leaf === undefined || connection.fingerprint === undefined) throw new HelloRefusal('no client certificate')
  deps.trust.check(leaf, sent)
  if ((group === undefined || group.isFirst) && deps.routers.isChurning(id)) {
    throw new HelloRefusal(`router ${id} has connected a moment ago`)
  }
  const router = deps.view.get('routers', id)
  if (router === undefined) throw new HelloRefusal(`there is no router ${id}`)
  if (router.fingerprint === null) throw new HelloRefusal(`router ${id} has not enrolled`)
  if (!isSame(router.fingerprint, connection.fingerprint)) {
    throw new HelloRefusal(`router ${id} has enrolled with another certificate`)
  }
  if (router.disabled) throw new HelloRefusal(`router ${id} is disabled`)
  return router
}

function isSame(enrolled: string, shown: string): boolean {
  const a = Buffer.from(enrolled.toLowerCase())
  const b = Buffer.from(shown)
  return a.length === b.length && timingSafeEqual(a, b)
}
