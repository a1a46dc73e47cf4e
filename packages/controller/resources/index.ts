/** Every resource there is. The order is the order of the tables. */
import type { Resource } from '../resource-kit/resource.ts'
import { apiSessions } from './api-sessions.ts'
import { authPolicies } from './auth-policies.ts'
import { authenticators } from './authenticators.ts'
import { cas } from './cas.ts'
import { configTypes } from './config-types.ts'
import { configs } from './configs.ts'
import { controllerSettings } from './controller-settings.ts'
import { controllers } from './controllers.ts'
import { edgeRouterPolicies } from './edge-router-policies.ts'
import { edgeRouters } from './edge-routers.ts'
import { enrollments } from './enrollments.ts'
import { externalJwtSigners } from './external-jwt-signers.ts'
import { identities } from './identities.ts'
import { mfas } from './mfas.ts'
import { postureChecks } from './posture-checks.ts'
import { revocations } from './revocations.ts'
import { serviceEdgeRouterPolicies } from './service-edge-router-policies.ts'
import { servicePolicies } from './service-policies.ts'
import { services } from './services.ts'
import { sessionCertificates } from './session-certificates.ts'
import { sessions } from './sessions.ts'
import { terminators } from './terminators.ts'
import { transitRouters } from './transit-routers.ts'

/** What resources need from outside the state: signers, hashers, and who is connected. */
export type ResourceDeps = Parameters<typeof identities>[0] &
  Parameters<typeof apiSessions>[0] &
  Parameters<typeof authenticators>[0] &
  Parameters<typeof enrollments>[0] &
  Parameters<typeof services>[0] &
  Parameters<typeof terminators>[0] &
  Parameters<typeof edgeRouters>[0] &
  Parameters<typeof sessions>[0] &
  Parameters<typeof cas>[0]

export function allResources(deps: ResourceDeps): readonly Resource[] {
  return [
    authPolicies,
    externalJwtSigners,
    identities(deps),
    authenticators(deps),
    enrollments(deps),
    mfas,
    apiSessions(deps),
    sessions(deps),
    sessionCertificates,
    revocations,
    configTypes,
    configs(),
    services(deps),
    terminators(deps),
    edgeRouters(deps),
    transitRouters(deps),
    servicePolicies,
    edgeRouterPolicies,
    serviceEdgeRouterPolicies,
    postureChecks,
    cas(deps),
    controllers,
    controllerSettings,
  ]
}
