/** The tables whose rows are entities to whoever looks from outside: counted in the summary, named in change events. */
import type { TableName } from './row.ts'

export const entityTables: readonly TableName[] = [
  'apiSessionCertificates',
  'apiSessions',
  'authPolicies',
  'authenticators',
  'cas',
  'configTypes',
  'configs',
  'controllers',
  'edgeRouterPolicies',
  'enrollments',
  'externalJwtSigners',
  'identities',
  'mfas',
  'postureChecks',
  'revocations',
  'routers',
  'serviceEdgeRouterPolicies',
  'servicePolicies',
  'services',
  'sessions',
  'terminators',
]
