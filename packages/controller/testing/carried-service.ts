/** A service that somebody may host and somebody else may dial, at every router. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { OidcClient } from './oidc-client.ts'
import { createPasswordUser, type PasswordUser } from './password-user.ts'
import type { TestController } from './test-controller.ts'
import type { TestRouter } from './test-router.ts'

export interface CarriedService {
  readonly serviceId: string
  readonly serviceName: string
  readonly dialPolicyId: string
  readonly bindPolicyId: string
  readonly host: PasswordUser
  readonly client: PasswordUser
}

/** How somebody is known: by a stored session, or by a token that says it all. */
export type SessionKind = 'stored' | 'bearer'

/** What an SDK shows at a router. */
export interface ShownTokens {
  readonly apiSessionToken: string
  readonly sessionToken: string
  /** Of the session, which for a bearer is in the token alone. */
  readonly sessionId: string
  /** By which a bearer gets another access token. */
  readonly refreshToken?: string
}

export async function createCarriedService(controller: TestController): Promise<CarriedService> {
  const host = await newUser(controller)
  const client = await newUser(controller)
  const suffix = randomUUID()
  const rows = await controller.write((change) => {
    const name = (about: string) => `${about} ${suffix}`
    const service = change.create('services', { name: name('service'), encryptionRequired: false })
    const roles = { semantic: 'AnyOf', serviceRoles: [`@${service.id}`] }
    const policy = (type: 'Dial' | 'Bind', { identityId }: PasswordUser) =>
      change.create('servicePolicies', { name: name(type), type, identityRoles: [`@${identityId}`], ...roles }).id
    const routers = { semantic: 'AnyOf', edgeRouterRoles: ['#all'] }
    const identityRoles = [`@${host.identityId}`, `@${client.identityId}`]
    change.create('edgeRouterPolicies', { name: name('enter'), identityRoles, ...routers })
    change.create('serviceEdgeRouterPolicies', { name: name('carry'), serviceRoles: roles.serviceRoles, ...routers })
    const [dialPolicyId, bindPolicyId] = [policy('Dial', client), policy('Bind', host)]
    return { serviceId: service.id, serviceName: service.name, dialPolicyId, bindPolicyId }
  })
  return { ...rows, host, client }
}

/** Hashes take long and are the same for everybody here, so one is made for each controller. */
const hashes = new WeakMap<TestController, Promise<string>>()
const PASSWORD = 'correct horse'

async function hashOf(controller: TestController): Promise<string> {
  const { authenticatorId } = await createPasswordUser(controller, {}, PASSWORD)
  return controller.core.kit.view.get('authenticators', authenticatorId)!.passwordHash!
}

async function newUser(controller: TestController): Promise<PasswordUser> {
  const hashing = hashes.get(controller) ?? hashOf(controller)
  hashes.set(controller, hashing)
  const passwordHash = await hashing
  const username = randomUUID()
  const user = await controller.write((change) => {
    const { id: identityId } = change.create('identities', { name: username }, { idKind: 'short' })
    const { id } = change.create('authenticators', { method: 'updb', identityId, username, passwordHash })
    return { identityId, authenticatorId: id, username, password: PASSWORD }
  })
  return { ...user, token: await controller.loginAs(user.identityId) }
}

export async function tokensFor(
  controller: TestController,
  kind: SessionKind,
  user: PasswordUser,
  { serviceId, type }: { readonly serviceId: string; readonly type: 'Dial' | 'Bind' },
): Promise<ShownTokens> {
  const bearer = kind === 'stored' ? undefined : await new OidcClient(controller).tokens(user)
  const apiSessionToken = bearer?.access_token ?? user.token
  const authorized =
    kind === 'stored' ? { token: apiSessionToken } : { headers: { authorization: `Bearer ${apiSessionToken}` } }
  const asked = { method: 'POST', path: '/sessions', body: { serviceId, type }, ...authorized } as const
  const { status, json, text } = await controller.askClient(asked)
  assert.equal(status, 201, text)
  const refreshToken = bearer && { refreshToken: bearer.refresh_token }
  return { apiSessionToken, sessionToken: json.data.token, sessionId: json.data.id, ...refreshToken }
}

/** Hosts the service at a router; answers the id of the terminator, and why it was refused. */
export async function hostAt(router: TestRouter, { apiSessionToken, sessionToken }: ShownTokens) {
  const id = randomUUID()
  const { message } = await router.ask('createTerminatorV2', { body: { address: id, apiSessionToken, sessionToken } })
  return { id, ...message.body }
}
