/**
 * Service policies: which identities may dial or host which services, and under which posture.
 */
import { policyMembers, type SelectedKind, selects } from '@weft/model'
import { fieldError, refusal } from '../operation/api-error.ts'
import { accessView } from '../policies/access-view.ts'
import type { FilterSymbol } from '../query/symbol.ts'
import { defineFields, type RowOf, text } from '../resource-kit/fields.ts'
import { defineResource, type Rendering } from '../resource-kit/resource.ts'
import type { Row, TableName } from '../state/row.ts'
import {
  identityRoles,
  memberSublist,
  policyFields,
  postureCheckRoles,
  rolesDisplay,
  serviceRoles,
} from './policy-kit.ts'

const fields = defineFields({
  ...policyFields,
  type: text({ oneOf: ['Dial', 'Bind', 'Invalid'], required: 'on create and put', symbol: true, holds: isDialOrBind }),
  identityRoles,
  serviceRoles,
  postureCheckRoles,
})

export type ServicePolicy = RowOf<typeof fields>

declare module '../state/row.ts' {
  interface TableRows {
    servicePolicies: ServicePolicy
  }
}

export const servicePolicies = defineResource({
  collection: 'service-policies',
  singular: 'servicePolicy',
  singularOnDelete: 'servicePolicies',
  bodyName: 'policy',
  table: 'servicePolicies',
  permission: 'service-policy',
  fields,
  live: {
    identityRolesDisplay: (row, rendering) => rolesDisplay('identities', row.identityRoles, rendering),
    serviceRolesDisplay: (row, rendering) => rolesDisplay('services', row.serviceRoles, rendering),
    postureCheckRolesDisplay: (row, rendering) => rolesDisplay('postureChecks', row.postureCheckRoles, rendering),
  },
  sublists: {
    services: memberSublist('servicePolicies', 'services', 'services', 'listServicePolicyServices'),
    identities: memberSublist('servicePolicies', 'identities', 'identities', 'listServicePolicyIdentities'),
    'posture-checks': memberSublist(
      'servicePolicies',
      'postureChecks',
      'posture-checks',
      'listServicePolicyPostureChecks',
    ),
  },
  symbols: { identities: members('identities', 'identities'), services: members('services', 'services') },
})

function isDialOrBind(type: string): void {
  if (type === 'Invalid') throw fieldError('policyType', "invalid policy type. valid types are 'Dial' and 'Bind'", type)
}

/** Members of policies that one request may walk through: a third of a second. */
const MOST_WALKED = 1_000_000

const walks = new WeakMap<Rendering, { left: number }>()

/** The ids a policy selects, as a set that filters can look into. */
function members(kind: SelectedKind, table: TableName): FilterSymbol<ServicePolicy, Rendering> {
  return {
    type: 'string',
    elements: ({ id }, rendering) => {
      const access = accessView(rendering.view)
      const policy = access.policy('servicePolicies', id)
      return policy === undefined ? [] : bounded(policyMembers(access, policy, kind), rendering)
    },
    has: ({ id }, member, { view }) => {
      const access = accessView(view)
      const policy = access.policy('servicePolicies', id)
      const candidates = access.candidates(kind)
      if (policy === undefined || !candidates.has(member)) return false
      return selects(policy.roles(kind), policy.semantic, member, candidates.attributesOf(member))
    },
    linked: (id, { view }) => view.get(table, id) as unknown as (ServicePolicy & Row) | undefined,
  }
}

/** A filter that counts or searches members looks at every policy times every member. */
function* bounded(ids: Iterable<string>, rendering: Rendering): Generator<string> {
  const walk = walks.get(rendering) ?? { left: MOST_WALKED }
  walks.set(rendering, walk)
  for (const id of ids) {
    if (--walk.left < 0) {
      throw refusal('INVALID_FILTER', 'the filter looks at too many members of policies; ask for one by its id')
    }
    yield id
  }
}
