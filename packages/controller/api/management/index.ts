/**
 * The Edge Management API: the operations of every resource, and those that are not a resource's.
 */

import { CodeAttempts } from '../../auth/code-attempts.ts'
import { LoginAttempts } from '../../auth/login-attempts.ts'
import type { PasswordHasher } from '../../auth/password-hash.ts'
import { PasswordLogin } from '../../auth/password-login.ts'
import type { SecretSealer } from '../../auth/sealed-secret.ts'
import { SecondFactor } from '../../auth/second-factor.ts'
import type { SessionActivity } from '../../auth/session-activity.ts'
import type { Operation } from '../../operation/operation.ts'
import { resourceOperations } from '../../resource-kit/operations.ts'
import { type ApiDeps, type ApiOptions, apiSettings, informationalDeps } from '../api-settings.ts'
import { MANAGEMENT_BASE } from '../http/edge-paths.ts'
import { createJsonApi } from '../http/json-api.ts'
import type { RequestHandler } from '../http/request-handler.ts'
import { described } from '../informational/specs.ts'
import { authenticateOperations, type LoginEvent } from './authenticate.ts'
import { currentIdentityOperations } from './current-identity.ts'
import { currentSessionOperations } from './current-session.ts'
import { type DatabaseDeps, databaseOperations } from './database.ts'
import { deprecatedRouterOperations } from './deprecated-routers.ts'
import { extendCertificateOperations } from './extend-certificate.ts'
import { identityTypeOperations } from './identity-types.ts'
import { informationalOperations } from './informational.ts'
import { mfaOperations } from './mfa.ts'
import { postureCheckTypeOperations } from './posture-check-types.ts'
import { roleAttributeOperations } from './role-attributes.ts'

export interface ManagementDeps extends ApiDeps {
  readonly hasher: PasswordHasher
  readonly activity: SessionActivity
  readonly sealer: SecretSealer
  readonly events: ApiDeps['events'] & { login(event: LoginEvent): void }
  readonly database: DatabaseDeps
}

export interface ManagementOptions extends ApiOptions {
  readonly sessions: { readonly sessionTimeout: number }
  readonly totpIssuer: string
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
  const { core, clock, hasher, activity, sealer, events } = deps
  const { kit } = core
  const passwords = new PasswordLogin({ kit, hasher, attempts: new LoginAttempts(), clock })
  const factor = new SecondFactor({ sealer, attempts: new CodeAttempts(clock) })
  const { sessionTimeout } = options.sessions
  const ofResources = resourceOperations(kit)
  return [
    ...ofResources,
    ...deprecatedRouterOperations(ofResources),
    ...identityTypeOperations(kit),
    ...postureCheckTypeOperations(kit),
    ...roleAttributeOperations(kit),
    ...authenticateOperations({ kit, passwords, activity, sessionTimeout, onLogin: (event) => events.login(event) }),
    ...mfaOperations({ kit, factor, totpIssuer: options.totpIssuer }),
    ...currentSessionOperations({ kit, activity, sessionTimeout }),
    ...currentIdentityOperations({ kit, passwords, hasher }),
    ...extendCertificateOperations({ kit }),
    ...databaseOperations(deps.database),
    ...informationalOperations({ ...informationalDeps(deps, options), view: kit.view }),
  ]
}
