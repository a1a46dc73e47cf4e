import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import {
  type CarriedService,
  createCarriedService,
  hostAt,
  type SessionKind,
  type ShownTokens,
  tokensFor,
} from '../../testing/carried-service.ts'
import { claimsOf } from '../../testing/oidc-client.ts'
import type { PasswordUser } from '../../testing/password-user.ts'
import { TestController } from '../../testing/test-controller.ts'
import { enrollRouter, TestRouter } from '../../testing/test-router.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const router = await TestRouter.connect(controller, await enrollRouter(controller))
after(() => router[Symbol.asyncDispose]())

const { view } = controller.core.kit

interface Lost {
  readonly service: CarriedService
  readonly policyId: string
  readonly user: PasswordUser
  readonly tokens: ShownTokens
}

type End = (lost: Lost) => Promise<unknown>

function revoke(type: string, id: string): Promise<unknown> {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  return controller.write((change) => change.create('revocations', { type, expiresAt }, { id }))
}

/** What takes away the right, of whatever kind the session is. */
const ends: Readonly<Record<string, End>> = {
  'the identity is disabled': ({ user }) =>
    controller.askAdmin('POST', `/identities/${user.identityId}/disable`, { durationMinutes: 0 }),
  'the identity is deleted': ({ user }) => controller.askAdmin('DELETE', `/identities/${user.identityId}`),
  'the policy is deleted': ({ policyId }) => controller.askAdmin('DELETE', `/service-policies/${policyId}`),
  'the policy no longer names the identity': ({ policyId }) =>
    controller.askAdmin('PATCH', `/service-policies/${policyId}`, { identityRoles: [] }),
  'the service is deleted': ({ service }) => controller.askAdmin('DELETE', `/services/${service.serviceId}`),
}

const endsOf: Readonly<Record<SessionKind, Readonly<Record<string, End>>>> = {
  stored: {
    ...ends,
    'the session is deleted': ({ tokens }) => controller.askAdmin('DELETE', `/sessions/${tokens.sessionId}`),
    'the API session is deleted': ({ tokens }) => {
      const [session] = view.find('apiSessions', 'token', tokens.apiSessionToken)
      return controller.askAdmin('DELETE', `/api-sessions/${session!.id}`)
    },
  },
  bearer: {
    ...ends,
    'the access token is revoked': ({ tokens }) => revoke('JTI', claimsOf(tokens.apiSessionToken).jti),
    'its identity is revoked': ({ user }) => revoke('IDENTITY', user.identityId),
    'its API session is revoked': ({ tokens }) => revoke('API_SESSION', claimsOf(tokens.apiSessionToken).z_asid),
  },
}

async function gone(terminatorId: string): Promise<void> {
  for (let left = 400; left > 0; left--) {
    if (view.get('terminators', terminatorId) === undefined) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  assert.fail('the terminator is still there')
}

async function dial(tokens: ShownTokens) {
  const { apiSessionToken, sessionToken } = tokens
  return await router.ask('createCircuitV2', { apiSessionToken, sessionToken })
}

for (const kind of ['stored', 'bearer'] as const) {
  for (const [what, end] of Object.entries(endsOf[kind])) {
    test(`a circuit and a terminator of a ${kind} session end when ${what}`, async () => {
      const service = await createCarriedService(controller)
      const { serviceId, host, client } = service
      const hosting = await tokensFor(controller, kind, host, { serviceId, type: 'Bind' })
      const dialling = await tokensFor(controller, kind, client, { serviceId, type: 'Dial' })
      const terminator = await hostAt(router, hosting)
      assert.equal(terminator.result, 'Success', terminator.msg)
      const { name, message } = await dial(dialling)
      assert.equal(name, 'createCircuitV2Response')
      const { circuitId } = message as { circuitId: string }

      await end({ service, policyId: service.dialPolicyId, user: client, tokens: dialling })
      const { body } = await router.hears('unroute', (unroute) => unroute.body.circuitId === circuitId)
      assert.equal(body.now, true)
      assert.equal((await dial(dialling)).name, 'error')

      await end({ service, policyId: service.bindPolicyId, user: host, tokens: hosting })
      await gone(terminator.id)
      assert.notEqual((await hostAt(router, hosting)).result, 'Success')
    })
  }
}

for (const [what, end] of [
  ['policy', ({ service }: Lost) => controller.askAdmin('DELETE', `/service-policies/${service.bindPolicyId}`)],
  ['session', ({ tokens }: Lost) => controller.askAdmin('DELETE', `/sessions/${tokens.sessionId}`)],
  ['identity', ({ user }: Lost) => controller.askAdmin('DELETE', `/identities/${user.identityId}`)],
] as const) {
  test(`circuits to a host end when it loses its ${what}`, async () => {
    const service = await createCarriedService(controller)
    const { serviceId, host, client, bindPolicyId: policyId } = service
    const tokens = await tokensFor(controller, 'stored', host, { serviceId, type: 'Bind' })
    await hostAt(router, tokens)
    const { message } = await dial(await tokensFor(controller, 'bearer', client, { serviceId, type: 'Dial' }))
    const { circuitId } = message as { circuitId: string }
    await end({ service, policyId, user: host, tokens })
    await router.hears('unroute', ({ body }) => body.circuitId === circuitId && body.now)
  })
}

test('without a policy for the router nothing new is made, and what was made goes on', async () => {
  const { serviceId, host, client } = await createCarriedService(controller)
  const hosting = await tokensFor(controller, 'stored', host, { serviceId, type: 'Bind' })
  const dialling = await tokensFor(controller, 'stored', client, { serviceId, type: 'Dial' })
  const bearer = await tokensFor(controller, 'bearer', client, { serviceId, type: 'Dial' })
  const { id } = await hostAt(router, hosting)
  const { circuitId } = (await dial(dialling)).message as { circuitId: string }
  const policy = view
    .rows('edgeRouterPolicies')
    .find(({ identityRoles }) => identityRoles.includes(`@${host.identityId}`))
  await controller.askAdmin('DELETE', `/edge-router-policies/${policy!.id}`)

  const { apiSessionToken } = bearer
  const asked = { apiSessionToken, identityId: client.identityId, serviceId }
  const codeOf = ({ message }: { readonly message: object }) => (message as { readonly errorCode?: number }).errorCode
  assert.equal(codeOf(await dial(dialling)), 5)
  assert.equal(codeOf(await router.ask('createCircuitV3', asked)), 14)
  assert.equal((await hostAt(router, hosting)).errorCode, 5)
  assert.ok(view.get('terminators', id))
  assert.ok(router.all('unroute').every(({ body }) => body.circuitId !== circuitId))
})

test('whoever keeps the right keeps circuit and terminator when others lose theirs', async () => {
  const service = await createCarriedService(controller)
  const { serviceId } = service
  const hosting = await tokensFor(controller, 'stored', service.host, { serviceId, type: 'Bind' })
  const dialling = await tokensFor(controller, 'stored', service.client, { serviceId, type: 'Dial' })
  const { id } = await hostAt(router, hosting)
  const { message } = await dial(dialling)
  const other = await createCarriedService(controller)
  const others = await tokensFor(controller, 'stored', other.host, { serviceId: other.serviceId, type: 'Bind' })
  const lost = await hostAt(router, others)
  await controller.askAdmin('DELETE', `/service-policies/${other.bindPolicyId}`)
  await gone(lost.id)
  assert.ok(view.get('terminators', id))
  const { circuitId } = message as { circuitId: string }
  assert.equal(
    router.all('unroute').some(({ body }) => body.circuitId === circuitId),
    false,
  )
})

test('what routers and their clients may not do is refused with the code that clients act on', async () => {
  const service = await createCarriedService(controller)
  const { serviceId, host, client } = service
  const hosting = await tokensFor(controller, 'stored', host, { serviceId, type: 'Bind' })
  const dialling = await tokensFor(controller, 'stored', client, { serviceId, type: 'Dial' })
  const bearer = await tokensFor(controller, 'bearer', client, { serviceId, type: 'Dial' })
  const { apiSessionToken } = dialling
  const identityId = client.identityId
  const code = async (asked: Promise<{ readonly message: object }>) =>
    ((await asked).message as { readonly errorCode?: number }).errorCode
  const v2 = (tokens: Partial<ShownTokens>) => code(router.ask('createCircuitV2', { sessionToken: '', ...tokens }))
  const v3 = (token: string, id = identityId, wanted = serviceId) =>
    code(router.ask('createCircuitV3', { apiSessionToken: token, identityId: id, serviceId: wanted }))
  assert.equal(await v2({ ...dialling, apiSessionToken: 'unknown' }), 2)
  assert.equal(await v2({ ...dialling, apiSessionToken: 'eyJunk' }), 2)
  assert.equal(await v2({ ...dialling, apiSessionToken: `ey${'x'.repeat(100_000)}` }), 2)
  assert.equal(await v2({ ...dialling, sessionToken: 'unknown' }), 3)
  assert.equal(await v2({ ...dialling, sessionToken: 'eyJunk' }), 3)
  assert.equal(await v2({ ...dialling, sessionToken: bearer.sessionToken }), 3)
  assert.equal(await v2({ ...bearer, sessionToken: dialling.sessionToken }), 3)
  assert.equal(await v2({ ...hosting, apiSessionToken }), 3)
  assert.equal(await v2(hosting), 4)
  // Dials without a session for the service are for access tokens, and for whoever they name.
  assert.equal(await v3(apiSessionToken), 2)
  assert.equal(await v3(bearer.apiSessionToken, host.identityId), 2)
  assert.equal(await v3(bearer.apiSessionToken, identityId, randomUUID()), 6)
  assert.equal((await hostAt(router, dialling)).errorCode, 4)
})
