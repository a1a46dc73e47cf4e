import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createPasswordUser, idOf } from '../testing/password-user.ts'
import { TestController } from '../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

async function openSession() {
  const { identityId } = await createPasswordUser(controller)
  const service = { name: `service of ${identityId}`, encryptionRequired: false }
  const serviceId = idOf(await controller.askAdmin('POST', '/services', service))
  // A session that no policy grants is ended within a moment.
  const roles = { identityRoles: [`@${identityId}`], serviceRoles: [`@${serviceId}`] }
  const policy = { name: `policy of ${identityId}`, type: 'Dial', semantic: 'AnyOf', ...roles }
  const policyId = idOf(await controller.askAdmin('POST', '/service-policies', policy))
  const [apiSession] = [...controller.core.kit.view.find('apiSessions', 'identityId', identityId)]
  const values = { type: 'Dial', identityId, serviceId, apiSessionId: apiSession!.id }
  const { id } = await controller.write((change) => change.create('sessions', values, { idKind: 'cuid' }))
  return { ...values, id, policyId, path: `/sessions/${id}` }
}

test('a session names what it is for and by which policies', async () => {
  const session = await openSession()
  const before = (await controller.askAdmin('GET', session.path)).json.data
  assert.deepEqual([before.edgeRouters, before.token], [null, session.id])
  const routerId = idOf(await controller.askAdmin('POST', '/edge-routers', { name: session.id, cost: 7 }))
  const router = { semantic: 'AnyOf', edgeRouterRoles: [`@${routerId}`] }
  const byIdentity = { ...router, name: 'one', identityRoles: [`@${session.identityId}`] }
  const byService = { ...router, name: 'two', serviceRoles: [`@${session.serviceId}`] }
  idOf(await controller.askAdmin('POST', '/edge-router-policies', byIdentity))
  idOf(await controller.askAdmin('POST', '/service-edge-router-policies', byService))
  const { servicePolicies, edgeRouters, service, apiSession } = (await controller.askAdmin('GET', session.path)).json
    .data
  assert.deepEqual(
    servicePolicies.map(({ id, entity }: Record<string, string>) => [id, entity]),
    [[session.policyId, 'service-policies']],
  )
  assert.deepEqual([edgeRouters[0].name, edgeRouters[0].cost, edgeRouters[0].isOnline], [session.id, 7, false])
  assert.deepEqual([service.id, apiSession.id], [session.serviceId, session.apiSessionId])
})

test('a session has no path before it has a circuit', async () => {
  const { path } = await openSession()
  assert.deepEqual((await controller.askAdmin('GET', `${path}/route-path`)).json.data, { routePath: [] })
})

for (const [what, of] of [
  ['API session', ({ apiSessionId }) => `/api-sessions/${apiSessionId}`],
  ['service', ({ serviceId }) => `/services/${serviceId}`],
  ['identity', ({ identityId }) => `/identities/${identityId}`],
] as [string, (session: Awaited<ReturnType<typeof openSession>>) => string][]) {
  test(`a session ends with its ${what}`, async () => {
    const session = await openSession()
    assert.equal((await controller.askAdmin('DELETE', of(session))).status, 200)
    assert.equal((await controller.askAdmin('GET', session.path)).status, 404)
  })
}
