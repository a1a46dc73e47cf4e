/**
 * The Edge Management API: the operations of every resource, and those that are not a resource's.
 */

import type { Operation } from '../../operation/operation.ts'
import { resourceOperations } from '../../resource-kit/operations.ts'
import { type ApiOptions, apiSettings, informationalDeps } from '../api-settings.ts'
import { MANAGEMENT_BASE } from '../http/edge-paths.ts'
import { createJsonApi } from '../http/json-api.ts'
import type { RequestHandler } from '../http/request-handler.ts'
import { described } from '../informational/specs.ts'
import { type SessionDeps, type SessionOptions, sessionOperations } from '../session-operations.ts'
import { type DatabaseDeps, databaseOperations } from './database.ts'
import { deprecatedRouterOperations } from './deprecated-routers.ts'
import { identityTypeOperations } from './identity-types.ts'
import { informationalOperations } from './informational.ts'
import { postureCheckTypeOperations } from './posture-check-types.ts'
import { roleAttributeOperations } from './role-attributes.ts'

export interface ManagementDeps extends SessionDeps {
  readonly database: DatabaseDeps
}

export interface ManagementOptions extends ApiOptions, SessionOptions {
  readonly databaseFile: string
}

export function createManagementApi(deps: ManagementDeps, options: ManagementOptions): RequestHandler {
  const { registry } = deps.core
  const title = 'Weft Edge Management API'
  const api = { id: 'edge-management', title, address: options.apiAddress, base: MANAGEMENT_BASE, registry }
  const operations = described(deps.common.specs, api, managementOperations(deps, options))
  return createJsonApi({ base: MANAGEMENT_BASE, operations, ...apiSettings(deps, 'management', operations) })
}

export function managementOperations(deps: ManagementDeps, options: ManagementOptions): Operation[] {
  const { kit } = deps.core
  const ofResources = resourceOperations(kit)
  return [
    ...ofResources,
    ...deprecatedRouterOperations(ofResources),
    ...identityTypeOperations(kit),
    ...postureCheckTypeOperations(kit),
    ...roleAttributeOperations(kit),
    ...sessionOperations(deps, { ...options, noQrCodeType: 'image/png' }),
    ...databaseOperations(deps.database),
    ...informationalOperations({ ...informationalDeps(deps, options), view: kit.view }),
  ]
}
