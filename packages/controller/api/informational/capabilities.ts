/**
 * What controllers and routers can do beyond the ordinary, by the names that peers look for.
 */

import { answerData } from '../../operation/envelope.ts'
import type { Operation } from '../../operation/operation.ts'
import { routerCapabilities } from '../../resources/router-capabilities.ts'
import type { ApiVersions } from '../api-versions.ts'

/** Every capability of a controller that has a name, whether this one has it or not. */
export const controllerCapabilities = ['OIDC_AUTH', 'HA_CONTROLLER', 'OIDC_AUTH_WITH_CSR'] as const

export type ControllerCapability = (typeof controllerCapabilities)[number]

/**
 * What this controller offers. Clients log in by OIDC as soon as they read that it is there, so it is named only where it
 * is served. A single controller is a cluster of one: clients that look for other members find this one.
 */
export function offeredCapabilities(versions: ApiVersions): readonly ControllerCapability[] {
  const oidc = versions['edge-oidc'] === undefined ? [] : (['OIDC_AUTH', 'OIDC_AUTH_WITH_CSR'] as const)
  return [...oidc, 'HA_CONTROLLER']
}

/** Endpoints may ask what routers can do while a factor is outstanding; on the management API that takes a full session. */
export function capabilityOperations(routersFor: 'partial' | 'session'): Operation[] {
  return [
    {
      operationId: 'listEnumeratedCapabilities',
      method: 'GET',
      path: '/enumerated-capabilities',
      access: 'anyone',
      handle: () => answerData(controllerCapabilities),
    },
    {
      operationId: 'listEnumeratedRouterCapabilities',
      method: 'GET',
      path: '/enumerated-router-capabilities',
      access: routersFor,
      handle: () => answerData(routerCapabilities),
    },
  ]
}
