/**
 * Service edge router policies: which edge routers may carry which services.
 */
import { defineFields, type RowOf } from '../resource-kit/fields.ts'
import { defineResource } from '../resource-kit/resource.ts'
import { edgeRouterRoles, memberSublist, policyFields, rolesDisplay, serviceRoles } from './policy-kit.ts'

const fields = defineFields({ ...policyFields, edgeRouterRoles, serviceRoles })

export type ServiceEdgeRouterPolicy = RowOf<typeof fields>

declare module '../state/row.ts' {
  interface TableRows {
    serviceEdgeRouterPolicies: ServiceEdgeRouterPolicy
  }
}

const kind = 'serviceEdgeRouterPolicies'

export const serviceEdgeRouterPolicies = defineResource({
  collection: 'service-edge-router-policies',
  singular: 'serviceEdgeRouterPolicy',
  singularOnDelete: 'serviceEdgeRouterPolicies',
  bodyName: 'policy',
  table: kind,
  permission: 'service-edge-router-policy',
  fields,
  live: {
    edgeRouterRolesDisplay: (row, rendering) => rolesDisplay('routers', row.edgeRouterRoles, rendering),
    serviceRolesDisplay: (row, rendering) => rolesDisplay('services', row.serviceRoles, rendering),
  },
  sublists: {
    'edge-routers': memberSublist(kind, 'edgeRouters', 'edge-routers', 'listServiceEdgeRouterPolicyEdgeRouters'),
    services: memberSublist(kind, 'services', 'services', 'listServiceEdgeRouterPolicyServices'),
  },
})
