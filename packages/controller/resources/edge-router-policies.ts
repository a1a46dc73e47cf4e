/**
 * Edge router policies: by which edge routers which identities may enter.
 *
 * A tunneler-enabled router has one of its own, made and removed with it.
 */
import { defineFields, type RowOf } from '../resource-kit/fields.ts'
import { defineResource } from '../resource-kit/resource.ts'
import {
  edgeRouterRoles,
  identityRoles,
  memberSublist,
  policyFields,
  refuseSystem,
  rolesDisplay,
} from './policy-kit.ts'

const fields = defineFields({ ...policyFields, edgeRouterRoles, identityRoles })

export type EdgeRouterPolicy = RowOf<typeof fields>

declare module '../state/row.ts' {
  interface TableRows {
    edgeRouterPolicies: EdgeRouterPolicy
  }
}

export const edgeRouterPolicies = defineResource({
  collection: 'edge-router-policies',
  singular: 'edgeRouterPolicy',
  singularOnDelete: 'edgeRouterPolicies',
  bodyName: 'policy',
  table: 'edgeRouterPolicies',
  permission: 'edge-router-policy',
  fields,
  guard: (_caller, action, before) => refuseSystem('edgeRouterPolicy', action, before),
  live: {
    isSystem: ({ isSystem }) => isSystem,
    edgeRouterRolesDisplay: (row, rendering) => rolesDisplay('routers', row.edgeRouterRoles, rendering),
    identityRolesDisplay: (row, rendering) => rolesDisplay('identities', row.identityRoles, rendering),
  },
  sublists: {
    'edge-routers': memberSublist(
      'edgeRouterPolicies',
      'edgeRouters',
      'edge-routers',
      'listEdgeRouterPolicyEdgeRouters',
    ),
    identities: memberSublist('edgeRouterPolicies', 'identities', 'identities', 'listEdgeRouterPolicyIdentities'),
  },
})
