/**
 * Sessions: that the caller wants to dial or host a service, and by which routers.
 *
 * A session of a stored API session is stored too, one for each service and kind of access, found or made before its token is
 * signed. One of an access token is nothing but a token: routers judge it.
 */
import { grantingPolicies, type ServiceAccess } from '@weft/model'
import { type Clock, timestamp } from '../../clock.ts'
import { ApiError, fieldError, notFound } from '../../operation/api-error.ts'
import { answerData, empty } from '../../operation/envelope.ts'
import { type Answer, type Call, listParameters, type Operation } from '../../operation/operation.ts'
import { accessView } from '../../policies/access-view.ts'
import { policyFailures } from '../../posture/policy-failures.ts'
import { isGranted, policyVerdicts, type WantedAccess } from '../../posture/policy-verdicts.ts'
import type { PostureStore } from '../../posture/posture-store.ts'
import type { SessionEnforcement } from '../../posture/session-enforcement.ts'
import { newId } from '../../resource-kit/ids.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { shapeContract } from '../../resource-kit/shape-contract.ts'
import { anythingShape, objectShape, optional, textShape } from '../../resource-kit/shapes.ts'
import type { RouterPresence } from '../../resources/router-presence.ts'
import { sharedRouters } from '../../resources/session-routers.ts'
import type { Session } from '../../resources/sessions.ts'
import type { View } from '../../state/view.ts'
import type { ApiDeps } from '../api-settings.ts'
import { ClientList } from './client-list.ts'
import type { SessionTokens } from './session-tokens.ts'

export interface ClientSessionsDeps {
  readonly kit: Kit
  readonly clock: Clock
  readonly posture: PostureStore
  readonly enforcement: Pick<SessionEnforcement, 'enforce'>
  readonly routerPresence: RouterPresence
  readonly tokens: SessionTokens
  readonly events: Pick<ApiDeps['events'], 'sessionSigned'>
}

interface SessionBody {
  readonly serviceId?: string
  readonly type?: ServiceAccess | 'Invalid'
}

const shape = objectShape({
  serviceId: optional(textShape({ max: 4_096 })),
  tags: optional(anythingShape),
  type: optional(textShape({ oneOf: ['Dial', 'Bind', 'Invalid'] })),
})

export function clientSessionOperations(deps: ClientSessionsDeps): Operation[] {
  const { kit } = deps
  const sessions = new ClientList<Session>(kit, 'sessions')
  return [
    {
      operationId: 'listSessions',
      method: 'GET',
      path: '/sessions',
      access: 'session',
      parameters: listParameters,
      handle: (call: Call) => sessions.answer(call, kit.view.find('sessions', 'identityId', call.caller.identityId)),
    },
    {
      operationId: 'createSession',
      method: 'POST',
      path: '/sessions',
      access: 'session',
      body: shapeContract('session', shape),
      handle: (call: Call<SessionBody>) => create(deps, call),
    },
    {
      operationId: 'detailSession',
      method: 'GET',
      path: '/sessions/{id}',
      access: 'session',
      handle: (call) => answerData(ownRecord(deps, call)),
    },
    {
      operationId: 'deleteSession',
      method: 'DELETE',
      path: '/sessions/{id}',
      access: 'session',
      async handle(call) {
        await kit.write(call, (change) => change.remove('sessions', ownSession(change.view, call).id))
        return empty
      },
    },
  ]
}

async function create(deps: ClientSessionsDeps, call: Call<SessionBody>): Promise<Answer> {
  const { kit, routerPresence, tokens } = deps
  const { caller } = call
  const wanted: WantedAccess = {
    identityId: caller.identityId,
    apiSessionId: caller.sessionId ?? '',
    serviceId: call.body.serviceId ?? '',
    type: (call.body.type ?? 'Dial') as ServiceAccess,
  }
  const isLegacy = caller.bearer === undefined
  checkAccess(kit.view, wanted)
  if (isLegacy) checkPosture(deps, wanted)
  const edgeRouters = sharedRouters(wanted, kit.view, routerPresence)
  if (edgeRouters.length === 0) throw new ApiError('NO_EDGE_ROUTERS_AVAILABLE')
  const id = isLegacy ? await storedSession(deps, call, wanted) : newId('cuid')
  const token = tokens.signServiceSession({ id, ...wanted, isLegacy })
  if (!isLegacy) deps.events.sessionSigned({ id, ...wanted })
  // The peers leave what follows from the session to its detail.
  const left = { _links: null, createdAt: null, updatedAt: null, apiSession: null, service: null }
  return { status: 201, body: { data: { ...left, id, ...wanted, edgeRouters, token }, meta: {} } }
}

/** A service that the caller cannot use at all does not exist for him. */
function checkAccess(view: View, { identityId, serviceId, type }: WantedAccess): void {
  const granted = new Set([...grantingPolicies(accessView(view), identityId, serviceId)].map((policy) => policy.type))
  if (granted.size === 0) throw notFound('service', serviceId)
  if (!granted.has(type)) throw fieldError('ServiceId', 'service not found', serviceId)
}

function checkPosture({ kit, clock, posture }: ClientSessionsDeps, wanted: WantedAccess): void {
  const { view } = kit
  const verdicts = policyVerdicts(view, posture, wanted)
  if (isGranted(verdicts)) return
  const { identityId, apiSessionId, serviceId, type } = wanted
  const now = clock.now()
  posture.addFailure(identityId, {
    when: timestamp(now),
    apiSessionId,
    serviceId,
    serviceName: view.get('services', serviceId)?.name ?? '',
    sessionType: type,
    policyFailures: policyFailures(view, verdicts, posture.endpointOf(identityId, apiSessionId), now),
  })
  const data = verdicts.map(({ policy, failing }) => [
    policy.id,
    failing.map(({ id, typeId }) => ({ id, isPassing: false, typeId })),
  ])
  const ids = verdicts.map(({ policy }) => policy.id).join(' ')
  const message = `Failed to pass posture checks for service policies: [${ids}]`
  throw new ApiError('INVALID_POSTURE', { cause: { message, data: Object.fromEntries(data) } })
}

/** The session there is for the access, or a new one; asking again writes nothing. */
async function storedSession(deps: ClientSessionsDeps, call: Call, wanted: WantedAccess): Promise<string> {
  const { kit, posture, enforcement } = deps
  const known = findSession(kit.view, wanted)
  if (known !== undefined) return known.id
  const session = await kit.write(call, (change) => {
    // The API session may have ended while the change waited.
    if (change.view.get('apiSessions', wanted.apiSessionId) === undefined) throw new ApiError('UNAUTHORIZED')
    checkAccess(change.view, wanted)
    return findSession(change.view, wanted) ?? change.create('sessions', { ...wanted }, { idKind: 'cuid' })
  })
  // What was reported while the change waited has not seen the session, so the session looks again.
  if (!isGranted(policyVerdicts(kit.view, posture, wanted))) {
    await enforcement.enforce(wanted.identityId)
    checkAccess(kit.view, wanted)
    checkPosture(deps, wanted)
  }
  return session.id
}

function findSession(view: View, { apiSessionId, serviceId, type }: WantedAccess): Session | undefined {
  for (const session of view.find('sessions', 'apiSessionId', apiSessionId)) {
    if (session.serviceId === serviceId && session.type === type) return session
  }
  return undefined
}

/** Clients put what they get here in the place of what they had, so the token must be as good as the first one. */
function ownRecord({ kit, tokens }: ClientSessionsDeps, call: Call) {
  const session = ownSession(kit.view, call)
  const token = tokens.signServiceSession({ ...session, isLegacy: true })
  return { ...kit.record('sessions', session, call), token }
}

/** The session of `{id}`, if it is the caller's. */
function ownSession(view: View, { params, caller }: Call): Session {
  const id = params['id']!
  const session = view.get('sessions', id)
  if (session === undefined || session.identityId !== caller.identityId) throw notFound('session', id)
  return session
}
