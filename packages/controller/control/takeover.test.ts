import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { dialUnderlay } from '@weft/wire'
import { type ControlMessage, capabilityMask, controlHello, routerCapability } from '@weft/wire/messages'
import { defaultNetworkOptions } from '../fabric/network-options.ts'
import { createCarriedService, hostAt, tokensFor } from '../testing/carried-service.ts'
import { TestController } from '../testing/test-controller.ts'
import { enrollRouter, TestRouter } from '../testing/test-router.ts'

const network = { ...defaultNetworkOptions, routerConnectChurnLimit: 0, routeTimeout: 300 }
const controller = await TestController.start({ network })
after(() => controller[Symbol.asyncDispose]())

async function isOnline(routerId: string): Promise<boolean> {
  return (await controller.askAdmin('GET', `/edge-routers/${routerId}`)).json.data.isOnline
}

test('a newer connection of a router takes the place of the older, which ends without taking the router along', async () => {
  const enrolled = await enrollRouter(controller)
  await using peer = await TestRouter.connect(controller, await enrollRouter(controller))
  let newest = await TestRouter.connect(controller, enrolled)
  for (let left = 5; left > 0; left--) {
    const older = newest
    newest = await TestRouter.connect(controller, enrolled)
    await older.channel.closed
    assert.equal(await isOnline(enrolled.id), true)
  }
  await newest.ask('inspectRequest', { body: { requestedValues: [] } })
  // Its peers are told of the last change last.
  const states = () =>
    peer.all('peerStateChanges').flatMap(({ body }) => body.changes.filter(({ id }) => id === enrolled.id))
  await peer.hears('peerStateChanges', () => states().at(-1)?.state === 'Healthy')
  await newest[Symbol.asyncDispose]()
  await peer.hears('peerStateChanges', () => states().at(-1)?.state === 'Unhealthy')
  assert.equal(await isOnline(enrolled.id), false)
})

test('what a router said over a connection that was replaced counts no longer', async () => {
  const enrolled = await enrollRouter(controller)
  await using peer = await TestRouter.connect(controller, await enrollRouter(controller))
  const link = { id: 'of both', destRouterId: peer.id, linkProtocol: 'tls', dialAddress: 'tls:here:1', iteration: 1 }
  await using older = await TestRouter.connect(controller, enrolled)
  await older.send('routerLinks', { body: { links: [link], fullRefresh: true } })
  // Both are on their way when the newer one comes.
  const connecting = TestRouter.connect(controller, enrolled)
  for (let left = 50; left > 0 && !older.channel.isClosed; left--) {
    await older.send('routerLinks', { body: { links: [{ ...link, iteration: 100 }] } }).catch(() => {})
  }
  await using newer = await connecting
  await older.channel.closed
  await newer.send('routerLinks', { body: { links: [{ ...link, iteration: 2 }], fullRefresh: true } })
  await newer.send('fault', { body: { subject: 'LinkFault', id: link.id, iteration: 2 } })
  await peer.hears('fault', ({ body }) => body.id === link.id && body.iteration <= 2)
})

test('a router that never answers costs those who wait for it a limited time', async () => {
  const enrolled = await enrollRouter(controller)
  await using silent = await TestRouter.connect(controller, enrolled, { isSilent: true })
  await silent.hears('serverHello')
  const { serviceId, host, client } = await createCarriedService(controller)
  const { result } = await hostAt(silent, await tokensFor(controller, 'stored', host, { serviceId, type: 'Bind' }))
  assert.equal(result, 'Success')
  const { apiSessionToken, sessionToken } = await tokensFor(controller, 'stored', client, { serviceId, type: 'Dial' })
  const { name, message } = await silent.ask('createCircuitV2', { apiSessionToken, sessionToken })
  assert.equal(name, 'error')
  const { errorCode, circuitId } = message as ControlMessage<'error'>
  assert.equal(errorCode, 1)
  assert.notEqual(circuitId, undefined)
  // What was begun is taken back.
  await silent.hears('unroute', ({ body }) => body.circuitId === circuitId && body.now)
  const { json } = await controller.askAdmin('GET', `/edge-routers/${enrolled.id}`)
  assert.equal(json.data.syncStatus, 'SYNC_HELLO_WAIT')
})

test('a router that resumes its channel keeps the listeners that it has told of since its first hello', async () => {
  const enrolled = await enrollRouter(controller)
  await using peer = await TestRouter.connect(controller, await enrollRouter(controller))
  const group = { type: 'ctrl.default', desired: { 'ctrl.default': 1 } }
  const listeners = [{ address: 'tls:er1.example:3022', protocol: 'tls', groups: ['default'], localBinding: '' }]
  const router = await TestRouter.connect(controller, enrolled, { group })
  const { secret, connectionId } = router.channel.first
  await router.send('updateLinkListeners', { body: { listeners } })
  const told = () =>
    peer.all('peerStateChanges').flatMap(({ body }) => body.changes.filter(({ id }) => id === enrolled.id))
  await peer.hears('peerStateChanges', () => told().at(-1)?.listeners.length === 1)
  await router[Symbol.asyncDispose]()
  await peer.hears('peerStateChanges', () => told().at(-1)?.state === 'Unhealthy')
  const { host, port, ca: caPem } = controller.clientAddress
  const version = 'v2.1.0|abc|today|linux|amd64'
  const resumed = await dialUnderlay({
    address: `tls:${host}:${port}`,
    protocols: ['ziti-ctrl'],
    tls: { client: { certPem: enrolled.cert, keyPem: enrolled.key }, caPem },
    hello: {
      id: enrolled.id,
      type: 'ctrl.high',
      // As the dialer of a Go router does: the old secret under another id.
      group: { isFirst: true, secret: secret!, connectionId: `${connectionId}-1` },
      headers: controlHello.encode('hello', { version, capabilities: capabilityMask(Object.values(routerCapability)) })
        .headers,
    },
  })
  assert.deepEqual(resumed.secret, secret)
  await peer.hears('peerStateChanges', () => told().at(-1)?.state === 'Healthy')
  assert.equal(told().at(-1)!.listeners[0]?.address, 'tls:er1.example:3022')
  resumed.connection.destroy()
})
