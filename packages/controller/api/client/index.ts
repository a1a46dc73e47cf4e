/**
 * The Edge Client API, as far as it is served: what a controller tells anybody.
 */
import { type ApiDeps, type ApiOptions, apiSettings, informationalDeps } from '../api-settings.ts'
import { CLIENT_BASE } from '../http/edge-paths.ts'
import { createJsonApi } from '../http/json-api.ts'
import type { RequestHandler } from '../http/request-handler.ts'
import { described } from '../informational/specs.ts'
import { clientInformationalOperations } from './informational.ts'

export function createClientApi(deps: ApiDeps, options: ApiOptions): RequestHandler {
  const title = 'Weft Edge Client API'
  const api = { id: 'edge-client', title, address: options.apiAddress, base: CLIENT_BASE }
  const operations = described(deps.common.specs, api, clientInformationalOperations(informationalDeps(deps, options)))
  return createJsonApi({ base: CLIENT_BASE, operations, ...apiSettings(deps, 'client', operations) })
}
