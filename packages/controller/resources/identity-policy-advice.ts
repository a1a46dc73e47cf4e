/**
 * Policy advice: what the policies leave between an identity and a service. Posture is not looked at.
 */
import { advise } from '@weft/model'
import { notFound } from '../operation/api-error.ts'
import { answerData } from '../operation/envelope.ts'
import type { Call } from '../operation/operation.ts'
import { accessView } from '../policies/access-view.ts'
import type { ActionKit, ResourceAction } from '../resource-kit/resource.ts'
import type { TableRows } from '../state/row.ts'
import type { RouterPresence } from './router-presence.ts'

type Identity = TableRows['identities']

export function policyAdviceAction(routerPresence: RouterPresence): ResourceAction<Identity> {
  return {
    method: 'GET',
    path: '/{id}/policy-advice/{serviceId}',
    operationId: 'getIdentityPolicyAdvice',
    needs: { entity: 'service', action: 'read' },
    run: (call, kit) => answerData(adviceFor(call, kit, routerPresence), null),
  }
}

/** What is false or zero is left out, as the peers' model does. */
function adviceFor(call: Call, kit: ActionKit<Identity>, routerPresence: RouterPresence) {
  const identity = kit.row()
  const serviceId = call.params['serviceId']!
  const service = kit.view.get('services', serviceId)
  if (service === undefined || service.isFabricOnly) throw notFound('service', serviceId)
  const advice = advise(accessView(kit.view), identity.id, serviceId)
  const commonRouters = advice.commonRouters.map((id) => {
    const isOnline = routerPresence.connected(id) !== undefined
    return { ...kit.reference('edge-routers', id), isOnline }
  })
  return {
    identityId: identity.id,
    identity: kit.reference('identities', identity.id),
    serviceId,
    service: kit.reference('services', serviceId),
    ...(advice.isDialAllowed && { isDialAllowed: true }),
    ...(advice.isBindAllowed && { isBindAllowed: true }),
    ...(advice.identityRouters.size > 0 && { identityRouterCount: advice.identityRouters.size }),
    ...(advice.serviceRouters.size > 0 && { serviceRouterCount: advice.serviceRouters.size }),
    commonRouters: commonRouters.length === 0 ? null : commonRouters,
  }
}
