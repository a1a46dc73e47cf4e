/** Whether a router may serve a client and a service: both must be linked to it by policies. */
import { mayAccess, routersOfIdentity, routersOfService, type ServiceAccess } from '@weft/model'
import { accessView } from '../../policies/access-view.ts'
import type { TableRows } from '../../state/row.ts'
import type { View } from '../../state/view.ts'
import { EdgeRefusal, type RefusalName } from './edge-refusal.ts'

export interface Access {
  readonly routerId: string
  readonly identityId: string
  readonly serviceId: string
}

export function checkRouter(view: View, { routerId, identityId, serviceId }: Access, refused: RefusalName): void {
  const access = accessView(view)
  if (routersOfIdentity(access, identityId).has(routerId) && routersOfService(access, serviceId).has(routerId)) return
  throw new EdgeRefusal(refused, `router ${routerId} may not carry service ${serviceId} for identity ${identityId}`)
}

/** The service, if the identity may dial or host it. Services of the fabric alone are not for identities. */
export function accessedService(
  view: View,
  { identityId, serviceId }: Access,
  type: ServiceAccess,
): TableRows['services'] {
  const service = view.get('services', serviceId)
  if (service === undefined || service.isFabricOnly || !mayAccess(accessView(view), identityId, serviceId, type)) {
    throw new EdgeRefusal('invalidService', `there is no service ${serviceId} to ${type.toLowerCase()}`)
  }
  return service
}

/** The identity that a tunneling router is, by the router's own id. */
export function routerIdentity(view: View, routerId: string): TableRows['identities'] {
  const identity = view.get('identities', routerId)
  if (identity === undefined || identity.typeId !== 'Router') {
    throw new EdgeRefusal('tunnelingNotEnabled', `router ${routerId} is no tunneler`)
  }
  return identity
}
