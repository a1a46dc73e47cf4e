import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { silentLogger } from '../../log/logger.ts'
import type { Change } from '../../resource-kit/change.ts'
import { TestNetwork } from '../../resources/test-network.ts'
import { createCarriedService, hostAt, type ShownTokens, tokensFor } from '../../testing/carried-service.ts'
import { claimsOf, OidcClient } from '../../testing/oidc-client.ts'
import { TestController } from '../../testing/test-controller.ts'
import { enrollRouter, TestRouter } from '../../testing/test-router.ts'
import { HostSessions } from './host-sessions.ts'

const MINUTE = 60_000

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let left = 1_000; !isSo(); left--) {
    if (left === 0) assert.fail(`not so: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

function has(controller: TestController, terminatorId: string): boolean {
  return controller.core.kit.view.get('terminators', terminatorId) !== undefined
}

const before = await TestController.start()
after(() => before[Symbol.asyncDispose]())
const router = await TestRouter.connect(before, await enrollRouter(before))
after(() => router[Symbol.asyncDispose]())
const { serviceId, host } = await createCarriedService(before)
const hosted = async (kind: 'stored' | 'bearer') => {
  const tokens = await tokensFor(before, kind, host, { serviceId, type: 'Bind' })
  const { id, result, msg } = await hostAt(router, tokens)
  assert.equal(result, 'Success', msg)
  return { id, tokens }
}
const stored = await hosted('stored')
const [apiSession] = before.core.kit.view.find('apiSessions', 'token', stored.tokens.apiSessionToken)
const byToken = await hosted('bearer')
const bySession = await hosted('bearer')
const kept = await hosted('bearer')
// As if the process had ended between the end of a session and that of its terminator.
const orphan = await before.write((change) => {
  const { id: _, ...values } = change.view.get('terminators', stored.id)!
  const hostSession = { sessionId: randomUUID(), apiSessionId: apiSession!.id }
  const id = randomUUID()
  change.create('terminators', { ...values, address: id, hostSession }, { id, isSystem: true })
  return id
})
const controller = await before.restarted()
after(() => controller[Symbol.asyncDispose]())

test('what was hosted before a new start of the controller ends at once when its session had ended by then', async () => {
  await until('the orphan is gone', () => !has(controller, orphan))
})

const revoke = (type: string, id: string) =>
  controller.write((change) =>
    change.create('revocations', { type, expiresAt: new Date(Date.now() + MINUTE).toISOString() }, { id }),
  )

for (const [what, { id }, end] of [
  ['its session is deleted', stored, () => controller.askAdmin('DELETE', `/sessions/${stored.tokens.sessionId}`)],
  ['its access token is revoked', byToken, () => revoke('JTI', claimsOf(byToken.tokens.apiSessionToken).jti)],
  [
    'its API session is revoked',
    bySession,
    () => revoke('API_SESSION', claimsOf(bySession.tokens.apiSessionToken).z_asid),
  ],
] as const) {
  test(`what was hosted before a new start of the controller ends when ${what}, and nothing else does`, async () => {
    assert.ok(has(controller, id))
    await end()
    await until('it is gone', () => !has(controller, id))
    assert.ok(has(controller, kept.id))
  })
}

test('what bearers dial and host ends with the time of their token, unless they renew it', async () => {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead, monotonic: () => performance.now() }
  await using controller = await TestController.start({}, { clock })
  await using router = await TestRouter.connect(controller, await enrollRouter(controller))
  const { serviceId, host, client } = await createCarriedService(controller)
  const dial = async ({ apiSessionToken, sessionToken }: ShownTokens) => {
    const { name, message } = await router.ask('createCircuitV2', { apiSessionToken, sessionToken })
    assert.equal(name, 'createCircuitV2Response')
    return (message as { readonly circuitId: string }).circuitId
  }
  const open = async () => {
    const hosting = await tokensFor(controller, 'bearer', host, { serviceId, type: 'Bind' })
    const dialling = await tokensFor(controller, 'bearer', client, { serviceId, type: 'Dial' })
    const { id: terminatorId } = await hostAt(router, hosting)
    return { hosting, dialling, terminatorId }
  }
  const renewing = await open()
  const circuit = await dial(renewing.dialling)
  const forgetful = await open()
  const circuits = [await dial(forgetful.dialling), await dial(forgetful.dialling)]
  const isCut = (id: string) => router.all('unroute').some(({ body }) => body.circuitId === id)

  clock.ahead = 20 * MINUTE
  for (const { refreshToken } of [renewing.hosting, renewing.dialling]) {
    assert.equal((await new OidcClient(controller).refresh(refreshToken!)).status, 200)
  }
  clock.ahead = 31 * MINUTE
  await until('the circuits are cut', () => circuits.every(isCut))
  await until('the terminator is gone', () => !has(controller, forgetful.terminatorId))
  assert.ok(has(controller, renewing.terminatorId))
  // A circuit to the host that did not renew goes with it; this one is known by the first terminator there was.
  assert.equal(isCut(circuit), false)
})

test('what could not be removed is removed as soon as it can be, and circuits with it', async () => {
  const network = new TestNetwork()
  const { view } = network
  network.change((change) => {
    change.create('identities', { name: 'host' }, { id: 'host' })
    change.create('services', { name: 'service', encryptionRequired: false }, { id: 'service' })
    change.create('routers', { name: 'router', kind: 'edge' }, { id: 'router' })
    const roles = { semantic: 'AnyOf', identityRoles: ['@host'], serviceRoles: ['@service'] }
    change.create('servicePolicies', { name: 'bind', type: 'Bind', ...roles })
    const place = { serviceId: 'service', routerId: 'router', hostId: 'host', binding: 'edge', address: 'here' }
    for (const id of ['lost', 'kept']) {
      change.create('apiSessions', { token: id, identityId: 'host' }, { id })
      const session = { identityId: 'host', apiSessionId: id, serviceId: 'service', type: 'Bind' }
      change.create('sessions', session, { id: `session of ${id}` })
      const hostSession = { sessionId: `session of ${id}`, apiSessionId: id }
      change.create('terminators', { ...place, hostSession }, { id, isSystem: true })
    }
  })
  // The end of the session, and the first look of all, come in vain.
  let failures = 2
  const writeAsController = async <T>(mutate: (change: Change) => T): Promise<T> => {
    if (failures-- > 0) throw new Error('too many changes are waiting')
    return network.change(mutate)
  }
  const cut: string[] = []
  const removal = { removeFound: (key: string, id: string) => cut.push(`${key} ${id}`) }
  const clock = { now: () => Date.now(), monotonic: () => performance.now() }
  const deps = { kit: { view, writeAsController }, writer: network, times: { isOver: () => false } }
  await using _sessions = HostSessions.start({ ...deps, removal, clock, log: silentLogger })
  network.change((change) => change.remove('sessions', 'session of lost'))
  await until('the terminator is gone', () => view.get('terminators', 'lost') === undefined)
  assert.deepEqual(cut, ['terminator lost'])
  assert.ok(view.get('terminators', 'kept'))
})
