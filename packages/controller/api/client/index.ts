/**
 * The Edge Client API, as far as it is served: what a controller tells anybody.
 */
import { type ApiDeps, type ApiOptions, apiSettings, informationalDeps } from '../api-settings.ts'
import { CLIENT_BASE } from '../http/edge-paths.ts'
import { createJsonApi } from '../http/json-api.ts'
import type { RequestHandler } from '../http/request-handler.ts'
import { openApiDocument } from '../../resource-kit/openapi.ts'
import { clientInformationalOperations } from './informational.ts'

export function createClientApi(deps: ApiDeps, options: ApiOptions): RequestHandler {
  const operations = clientInformationalOperations(informationalDeps(deps, options))
  const title = 'Weft Edge Client API'
  const address = options.apiAddress
  deps.common.specs.add('edge-client', () => openApiDocument({ title, address, base: CLIENT_BASE }, operations))
  return createJsonApi({ base: CLIENT_BASE, operations, ...apiSettings(deps, 'client', operations) })
}
