/** What can be listed below an identity. */
import { policiesSelecting, related, routersOfIdentity, type ServiceAccess } from '@weft/model'
import type { Call, QueryParameter } from '../operation/operation.ts'
import { accessView } from '../policies/access-view.ts'
import type { Sublist } from '../resource-kit/resource.ts'

/** `policyType=dial|bind` of the lists that follow from service policies. */
export const policyTypeParameter: QueryParameter = { name: 'policyType', kind: { oneOf: ['dial', 'bind'] } }

export function wantedAccess(call: Call): ServiceAccess | undefined {
  const type = call.query.get('policyType')
  return type === 'dial' ? 'Dial' : type === 'bind' ? 'Bind' : undefined
}

export const identitySublists: Readonly<Record<string, Sublist>> = {
  authenticators: {
    of: 'authenticators',
    ids: (id, view) => view.find('authenticators', 'identityId', id).map((row) => row.id),
    operationId: 'getIdentityAuthenticators',
    isLinked: true,
  },
  enrollments: {
    of: 'enrollments',
    ids: (id, view) => view.find('enrollments', 'identityId', id).map((row) => row.id),
    operationId: 'getIdentityEnrollments',
    isLinked: true,
  },
  'edge-router-policies': {
    of: 'edge-router-policies',
    ids: (id, view) => policiesSelecting(accessView(view), 'edgeRouterPolicies', 'identities', id).map((row) => row.id),
    operationId: 'listIdentitysEdgeRouterPolicies',
    isLinked: true,
  },
  'edge-routers': {
    of: 'edge-routers',
    ids: (id, view) => routersOfIdentity(accessView(view), id),
    operationId: 'listIdentityEdgeRouters',
    isLinked: true,
  },
  'service-policies': {
    of: 'service-policies',
    ids: (id, view) => policiesSelecting(accessView(view), 'servicePolicies', 'identities', id).map((row) => row.id),
    operationId: 'listIdentityServicePolicies',
    isLinked: true,
  },
  services: {
    of: 'services',
    ids: (id, view, call) =>
      related(accessView(view), 'servicePolicies', 'identities', id, 'services', wantedAccess(call)),
    operationId: 'listIdentityServices',
    isLinked: true,
    parameters: [policyTypeParameter],
  },
}
