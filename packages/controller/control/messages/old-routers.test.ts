import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Headers } from '@weft/wire'
import { type ControlMessage, legacyControlHello } from '@weft/wire/messages'
import { defaultNetworkOptions } from '../../fabric/network-options.ts'
import { createCarriedService, hostAt, tokensFor } from '../../testing/carried-service.ts'
import { TestController } from '../../testing/test-controller.ts'
import { enrollRouter, TestRouter } from '../../testing/test-router.ts'

const network = { ...defaultNetworkOptions, routerConnectChurnLimit: 0 }
const controller = await TestController.start({ network })
after(() => controller[Symbol.asyncDispose]())

const { view } = controller.core.kit

/** A router that is a tunneler, and a service that its identity may dial and host. */
async function tunneler() {
  const enrolled = await enrollRouter(controller, { isTunnelerEnabled: true })
  const service = await createCarriedService(controller)
  await controller.write((change) => {
    for (const id of [service.dialPolicyId, service.bindPolicyId]) {
      const { identityRoles } = change.get('servicePolicies', id)
      change.update('servicePolicies', id, { identityRoles: [...identityRoles, `@${enrolled.id}`] })
    }
  })
  return { ...service, router: await TestRouter.connect(controller, enrolled) }
}

test('a 1.x router dials and hosts for SDKs', async () => {
  await using router = await TestRouter.connect(controller, await enrollRouter(controller))
  const { serviceId, host, client } = await createCarriedService(controller)
  const { id: terminatorId } = await hostAt(
    router,
    await tokensFor(controller, 'stored', host, { serviceId, type: 'Bind' }),
  )
  const { apiSessionToken, sessionToken } = await tokensFor(controller, 'stored', client, { serviceId, type: 'Dial' })
  const { name, message } = await router.ask('createCircuit', { body: { apiSessionToken, sessionToken } })
  assert.equal(name, 'createCircuitResponse')
  const { body } = message as ControlMessage<'createCircuitResponse'>
  assert.notEqual(body.address, '')
  assert.equal(body.tags.get('serviceId'), serviceId)
  const refused = await router.ask('createCircuit', { body: { apiSessionToken: 'eyJunk', sessionToken } })
  assert.equal((refused.message as ControlMessage<'error'>).errorCode, 2)
  const removed = await router.ask('removeTerminator', { body: { terminatorId } })
  assert.equal(removed.name, 'removeTerminatorResponse')
  assert.equal(view.get('terminators', terminatorId), undefined)
})

test('a 1.x tunneler has one API session, and is told of the services of its identity when they change', async () => {
  const { router: opened, serviceId, serviceName } = await tunneler()
  await using router = opened
  const envInfo = { os: 'linux', hostname: 'here' }
  const first = await router.ask('createApiSession', { body: { envInfo } })
  const { body } = first.message as ControlMessage<'createApiSessionResponse'>
  assert.equal(body.identityId, router.id)
  assert.ok(body.refreshIntervalSeconds > 0)
  assert.deepEqual(view.get('identities', router.id)!.envInfo, envInfo)
  const again = await router.ask('createApiSession', { body: {} })
  assert.equal((again.message as ControlMessage<'createApiSessionResponse'>).body.token, body.token)

  await router.send('listServices', { body: Buffer.alloc(0) })
  const list = await router.hears('serviceList')
  const service = list.body.services.find(({ id }) => id === serviceId)!
  assert.deepEqual([service.name, service.permissions], [serviceName, ['Bind', 'Dial']])
  assert.equal(list.body.lastUpdate.length, 15)
  await router.send('listServices', { body: list.body.lastUpdate })
  await router.ask('createApiSession', { body: {} })
  assert.equal(router.all('serviceList').length, 1)
  await controller.write((change) => change.update('services', serviceId, { name: `${serviceName} renamed` }))
  await router.send('listServices', { body: list.body.lastUpdate })
  await router.hears('serviceList', (message) => message.body.services.some(({ name }) => name.endsWith(' renamed')))
  await router.send('listServices', { body: Buffer.alloc(51) })
  await router.channel.closed
})

test('a 1.x tunneler hosts and dials with sessions that the controller makes, and tells of once', async () => {
  const { router: opened, serviceName } = await tunneler()
  await using router = opened
  const host = (sessionId = '') =>
    router.ask('createTunnelTerminator', {
      body: { serviceName, sessionId, address: 'tcp:127.0.0.1:80', startTime: 5 },
    })
  const hosted = ((await host()).message as ControlMessage<'createTunnelTerminatorResponse'>).body
  assert.equal(hosted.startTime, 5)
  assert.notEqual(hosted.apiSession?.token, undefined)
  const terminator = view.get('terminators', hosted.terminatorId)!
  assert.partialDeepStrictEqual(terminator, { binding: 'tunnel', hostId: router.id, address: 'tcp:127.0.0.1:80' })
  const again = ((await host(hosted.session!.sessionId)).message as ControlMessage<'createTunnelTerminatorResponse'>)
    .body
  assert.equal(again.apiSession, undefined)
  assert.equal(again.session, undefined)

  const dialled = await router.ask('createCircuitForService', { body: { serviceName } })
  assert.equal(dialled.name, 'createCircuitForServiceResponse')
  const circuit = (dialled.message as ControlMessage<'createCircuitForServiceResponse'>).body
  assert.equal(view.get('sessions', circuit.session!.sessionId)!.type, 'Dial')
  const unknown = await router.ask('createCircuitForService', { body: { serviceName: 'unknown' } })
  assert.equal((unknown.message as ControlMessage<'error'>).errorCode, 6)

  const removed = await router.ask('removeTunnelTerminator', { body: hosted.terminatorId })
  assert.equal(removed.name, 'removeTunnelTerminatorResponse')
  assert.equal(view.get('terminators', hosted.terminatorId), undefined)
})

test('a 1.x router that is back under the id of its connection still has its circuits', async () => {
  const enrolled = await enrollRouter(controller)
  const { serviceId, host, client } = await createCarriedService(controller)
  const { apiSessionToken, sessionToken } = await tokensFor(controller, 'stored', client, { serviceId, type: 'Dial' })
  const version = 'v1.6.5|abc|today|linux|amd64'
  const hello = () => legacyControlHello.encode('hello', { version }).headers
  const first = await TestRouter.connect(controller, enrolled, { headers: hello() })
  await hostAt(first, await tokensFor(controller, 'stored', host, { serviceId, type: 'Bind' }))
  const { message } = await first.ask('createCircuit', { body: { apiSessionToken, sessionToken } })
  const { circuitId } = (message as ControlMessage<'createCircuitResponse'>).body
  await first[Symbol.asyncDispose]()
  /** Whether the router is told that the circuit is none. */
  const isUnknown = async (headers: Headers) => {
    await using router = await TestRouter.connect(controller, enrolled, { headers })
    await router.send('circuitConfirmation', { body: { circuitIds: [circuitId] } })
    await router.ask('ping', {})
    return router.all('unroute').some(({ body }) => body.circuitId === circuitId)
  }
  assert.equal(await isUnknown(hello().set(0, first.channel.id)), false)
  // One that was started anew has none of them.
  assert.equal(await isUnknown(hello()), true)
})

test('a router that is no tunneler has no session of its own', async () => {
  await using router = await TestRouter.connect(controller, await enrollRouter(controller))
  const { serviceName } = await createCarriedService(controller)
  const asked = [
    router.ask('createApiSession', { body: {} }),
    router.ask('createCircuitForService', { body: { serviceName } }),
    router.ask('createTunnelTerminator', { body: { serviceName, address: 'tcp:127.0.0.1:80' } }),
  ]
  for (const { message } of await Promise.all(asked)) {
    assert.equal((message as ControlMessage<'error'>).errorCode, 7)
  }
})

test('a 1.x router says where it listens in a header of its own, and is told to its peers with it', async () => {
  await using peer = await TestRouter.connect(controller, await enrollRouter(controller))
  const listeners = [{ address: 'tls:er1.example:3022', protocol: 'tls', groups: ['default'] }]
  const { headers } = legacyControlHello.encode('hello', {
    version: 'v1.6.5|abc|today|linux|amd64',
    listeners: { listeners },
  })
  await using router = await TestRouter.connect(controller, await enrollRouter(controller), { headers })
  const told = await peer.hears('peerStateChanges', ({ body }) => body.changes.some(({ id }) => id === router.id))
  const change = told.body.changes.find(({ id }) => id === router.id)!
  assert.equal(change.version, 'v1.6.5')
  assert.equal(change.listeners[0]?.address, 'tls:er1.example:3022')
})
