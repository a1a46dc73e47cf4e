/**
 * The Edge Client API: how clients enroll and log in, what they may reach, and what they must report for it.
 */
import type { Operation } from '../../operation/operation.ts'
import type { PostureStore } from '../../posture/posture-store.ts'
import type { SessionEnforcement } from '../../posture/session-enforcement.ts'
import type { RouterPresence } from '../../resources/router-presence.ts'
import { type ApiOptions, apiSettings, informationalDeps } from '../api-settings.ts'
import { CLIENT_BASE } from '../http/edge-paths.ts'
import { createJsonApi } from '../http/json-api.ts'
import type { RequestHandler } from '../http/request-handler.ts'
import { described } from '../informational/specs.ts'
import { type SessionDeps, type SessionOptions, sessionOperations } from '../session-operations.ts'
import { enrollOperations } from './enroll.ts'
import { clientInformationalOperations } from './informational.ts'
import { networkListOperations } from './network-lists.ts'
import { postureResponseOperations } from './posture-responses.ts'
import { ServiceChanges } from './service-changes.ts'
import { serviceUpdateOperations } from './service-updates.ts'
import { clientServiceOperations } from './services.ts'
import { sessionCertificateOperations } from './session-certificates.ts'
import type { SessionTokens } from './session-tokens.ts'
import { clientSessionOperations } from './sessions.ts'

export interface ClientDeps extends SessionDeps {
  readonly posture: PostureStore
  readonly enforcement: SessionEnforcement
  readonly routerPresence: RouterPresence
  readonly tokens: SessionTokens & SessionDeps['tokens']
}

export interface ClientOptions extends ApiOptions, SessionOptions {}

export function createClientApi(deps: ClientDeps, options: ClientOptions): RequestHandler {
  const title = 'Weft Edge Client API'
  const api = { id: 'edge-client', title, address: options.apiAddress, base: CLIENT_BASE }
  const operations = described(deps.common.specs, api, clientOperations(deps, options))
  return createJsonApi({ base: CLIENT_BASE, operations, ...apiSettings(deps, 'client', operations) })
}

export function clientOperations(deps: ClientDeps, options: ClientOptions): Operation[] {
  const { core, clock, signer, hasher, logins, posture, enforcement, routerPresence, tokens, events } = deps
  const { kit, writer } = core
  const { view } = kit
  const { externalTokens } = logins
  const changes = new ServiceChanges({ view, writer, clock, posture })
  return [
    ...enrollOperations({ kit, clock, signer, hasher, externalTokens }),
    ...sessionOperations(deps, { ...options, noQrCodeType: 'application/json' }),
    ...clientServiceOperations({ kit, routerPresence, tokens }),
    ...clientSessionOperations({ kit, clock, posture, enforcement, routerPresence, tokens, events }),
    ...serviceUpdateOperations({ view, changes }),
    ...sessionCertificateOperations({ kit, signer }),
    ...postureResponseOperations({ view, posture, enforcement }),
    ...networkListOperations({ kit }),
    ...clientInformationalOperations(informationalDeps(deps, options)),
  ]
}
