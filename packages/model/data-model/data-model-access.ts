/** Who may dial and host what, by the data model. Costs what the smaller side has, not what exists. */
import type { DataServicePolicy } from '@weft/wire/messages'
import type { DataModel } from './data-model.ts'

export type ServiceUse = 'dial' | 'bind'

const policyTypeOf: Readonly<Record<ServiceUse, DataServicePolicy['policyType']>> = {
  dial: 'DialPolicy',
  bind: 'BindPolicy',
}

/** The policies by which an identity may use a service; empty when it may not. */
export function grantingServicePolicies(
  { tables, members }: DataModel,
  identityId: string,
  serviceId: string,
  use: ServiceUse,
): readonly DataServicePolicy[] {
  if (tables.identity.get(identityId)?.disabled ?? true) return []
  if (!tables.service.has(serviceId)) return []
  const ofIdentity = members.identity.policiesOf(identityId)
  const ofService = members.service.policiesOf(serviceId)
  const [fewer, more] = ofIdentity.size <= ofService.size ? [ofIdentity, ofService] : [ofService, ofIdentity]
  return [...fewer].flatMap((policyId) => {
    const policy = more.has(policyId) ? tables.servicePolicy.get(policyId) : undefined
    return policy?.policyType === policyTypeOf[use] ? [policy] : []
  })
}

/** The services that an identity may use. */
export function accessibleServices({ tables, members }: DataModel, identityId: string, use: ServiceUse): Set<string> {
  const found = new Set<string>()
  if (tables.identity.get(identityId)?.disabled ?? true) return found
  for (const policyId of members.identity.policiesOf(identityId)) {
    if (tables.servicePolicy.get(policyId)?.policyType !== policyTypeOf[use]) continue
    for (const serviceId of members.service.membersOf(policyId)) if (tables.service.has(serviceId)) found.add(serviceId)
  }
  return found
}
