/**
 * Services as the caller sees them: those that a policy lets him dial or host, with the configs he would get and the posture
 * that is asked of him. Any other service is not found, whether it exists or not.
 */
import { grantingPolicies, related } from '@weft/model'
import { ApiError, notFound, refusal } from '../../operation/api-error.ts'
import { answerData } from '../../operation/envelope.ts'
import { type Answer, type Call, listParameters, type Operation } from '../../operation/operation.ts'
import { accessView } from '../../policies/access-view.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { narrowByRoles, roleFilterParameters } from '../../resources/role-filter.ts'
import type { RouterPresence } from '../../resources/router-presence.ts'
import { viewAsCaller } from '../../resources/service-viewer.ts'
import type { Service } from '../../resources/services.ts'
import { sharedRouters } from '../../resources/session-routers.ts'
import type { Terminator } from '../../resources/terminators.ts'
import type { View } from '../../state/view.ts'
import { baseRecord, ClientList } from './client-list.ts'
import type { SessionTokens } from './session-tokens.ts'

export interface ClientServicesDeps {
  readonly kit: Kit
  readonly routerPresence: RouterPresence
  readonly tokens: SessionTokens
}

const narrowServices = narrowByRoles('services')

export function clientServiceOperations(deps: ClientServicesDeps): Operation[] {
  const { kit } = deps
  const services = new ClientList<Service>(kit, 'services')
  const terminators = new ClientList<Terminator>(kit, 'terminators', shownTerminator)
  return [
    {
      operationId: 'listServices',
      method: 'GET',
      path: '/services',
      access: 'session',
      parameters: [...listParameters, { name: 'configTypes', kind: 'texts' }, ...roleFilterParameters],
      handle(call: Call) {
        const rendering = kit.rendering(call, 'list')
        viewAsCaller(rendering)
        return services.answer(call, ownServices(kit.view, call), rendering)
      },
    },
    {
      operationId: 'detailService',
      method: 'GET',
      path: '/services/{id}',
      access: 'session',
      handle(call: Call) {
        const service = ownService(kit.view, call)
        if (service === undefined) throw notFound('service', call.params['id']!)
        // Clients get with one service what they get with the list: its configs, which details leave out elsewhere.
        const rendering = kit.rendering(call, 'list')
        viewAsCaller(rendering)
        return answerData(services.record(service, rendering))
      },
    },
    {
      operationId: 'listServiceEdgeRouters',
      method: 'GET',
      path: '/services/{id}/edge-routers',
      access: 'session',
      parameters: listParameters,
      handle: (call) => edgeRouters(deps, call),
    },
    {
      operationId: 'listServiceTerminators',
      method: 'GET',
      path: '/services/{id}/terminators',
      access: 'session',
      parameters: listParameters,
      handle(call: Call) {
        const { id } = ownService(kit.view, call) ?? refuse()
        return terminators.answer(call, kit.view.find('terminators', 'serviceId', id))
      },
    },
  ]
}

function ownServices(view: View, call: Call): Iterable<Service> {
  const own = related(accessView(view), 'servicePolicies', 'identities', call.caller.identityId, 'services')
  const narrowed = narrowServices(call, view)
  const ids = narrowed === undefined ? own : own.intersection(narrowed)
  return [...ids].flatMap((id) => view.get('services', id) ?? [])
}

/** The service of `{id}`, if the caller may dial or host it. */
function ownService(view: View, { params, caller }: Call): Service | undefined {
  const id = params['id']!
  for (const _ of grantingPolicies(accessView(view), caller.identityId, id)) return view.get('services', id)
  return undefined
}

/** Refreshes a session that is nothing but a token: it is shown again, and must be of this API session. */
function edgeRouters({ kit, routerPresence, tokens }: ClientServicesDeps, call: Call): Answer {
  const { caller } = call
  const token = call.header('session-token')
  if (token) checkSessionToken(tokens, token, caller.sessionId)
  const { id: serviceId } = ownService(kit.view, call) ?? refuse()
  const routers = sharedRouters({ identityId: caller.identityId, serviceId }, kit.view, routerPresence)
  const shown = routers.map(({ urls: _, version: __, ...router }) => ({ ...router, capabilities: null }))
  return answerData({ edgeRouters: shown.length === 0 ? null : shown })
}

function checkSessionToken(tokens: SessionTokens, token: string, sessionId: string | undefined): void {
  if (token.split('.').length !== 3) {
    throw refusal('UNAUTHORIZED', 'token is malformed: token contains an invalid number of segments')
  }
  const session = tokens.readServiceSession(token)
  if (session === undefined) throw refusal('UNAUTHORIZED', 'the session token is not valid')
  if (session.apiSessionId !== sessionId) {
    throw refusal('UNAUTHORIZED', `invalid api session id, expected ${sessionId}, got ${session.apiSessionId}`)
  }
}

function shownTerminator(record: Readonly<Record<string, unknown>>) {
  const { identity, routerId, serviceId, service } = record
  return { ...baseRecord(record), identity, routerId, serviceId, service }
}

function refuse(): never {
  throw new ApiError('NOT_FOUND')
}
