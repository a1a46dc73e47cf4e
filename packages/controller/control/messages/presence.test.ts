import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { TestController } from '../../testing/test-controller.ts'
import { enrollRouter, TestRouter } from '../../testing/test-router.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

function newIdentity(): Promise<string> {
  const name = `user ${randomUUID()}`
  return controller.write((change) => change.create('identities', { name }, { idKind: 'short' }).id)
}

/** Whether the API shows each of them as connected, and how. */
async function shown(...ids: readonly string[]) {
  const states: [boolean, string][] = []
  for (const id of ids) {
    const { json } = await controller.askAdmin('GET', `/identities/${id}`)
    states.push([json.data.hasEdgeRouterConnection, json.data.edgeRouterConnectionStatus])
  }
  return states
}

/** Answers when everything that the router has said so far is handled. */
async function settled(router: TestRouter): Promise<void> {
  await router.ask('inspectRequest', { body: { requestedValues: [] } })
}

const online = [true, 'online']
const offline = [false, 'offline']

test('identities are online while a router says so', async () => {
  const [one, two, three] = [await newIdentity(), await newIdentity(), await newIdentity()]
  await using router = await TestRouter.connect(controller, await enrollRouter(controller))
  const connect = { connectTime: 1_700_000_000_000, srcAddr: 'tcp:10.0.0.1:5000', dstAddr: 'tcp:10.0.0.2:3022' }
  const event = (identityId: string, isConnected: boolean) => ({ identityId, isConnected, connectTimes: [connect] })
  await router.send('connectEvents', { body: { events: [event(one, true), event(two, true), event('nobody', true)] } })
  await settled(router)
  assert.deepEqual(await shown(one, two, three), [online, online, offline])
  await router.send('connectEvents', { body: { events: [event(one, false)] } })
  await settled(router)
  assert.deepEqual(await shown(one, two, three), [offline, online, offline])
  // Whoever is not part of a whole state is not there.
  await router.send('connectEvents', { body: { fullState: true, events: [event(three, true)] } })
  await settled(router)
  assert.deepEqual(await shown(one, two, three), [offline, offline, online])
})

test('nobody knows of identities whose router is lost, until it is back', async () => {
  const identity = await newIdentity()
  const enrolled = await enrollRouter(controller)
  const body = { fullState: true, events: [{ identityId: identity, isConnected: true }] }
  {
    await using router = await TestRouter.connect(controller, enrolled)
    await router.send('connectEvents', { body })
    await settled(router)
  }
  await lost(enrolled.id)
  assert.equal((await shown(identity))[0]![1], 'unknown')
  await using router = await TestRouter.connect(controller, enrolled)
  await router.send('connectEvents', { body: { ...body, events: [] } })
  await settled(router)
  assert.deepEqual(await shown(identity), [offline])
})

test('a router that is a tunneler is online as an identity with its channel', async () => {
  const enrolled = await enrollRouter(controller, { isTunnelerEnabled: true })
  {
    await using _router = await TestRouter.connect(controller, enrolled)
    assert.deepEqual(await shown(enrolled.id), [online])
  }
  await lost(enrolled.id)
  assert.deepEqual(await shown(enrolled.id), [offline])
})

test('the API shows a router with what it says of itself, and as gone when it is', async () => {
  const enrolled = await enrollRouter(controller)
  const show = async () => (await controller.askAdmin('GET', `/edge-routers/${enrolled.id}`)).json.data
  assert.equal((await show()).isOnline, false)
  {
    await using router = await TestRouter.connect(controller, enrolled)
    await router.hears('dataStateChangeSet', ({ body }) => body.isSynthetic)
    const interfaces = [{ name: 'eth0', hardwareAddress: '', mtu: 1500, index: 1, flags: 1, addresses: ['10.0.0.1/8'] }]
    await router.ask('updateRouterInterfaces', { body: { interfaces } })
    const data = await show()
    assert.equal(data.isOnline, true)
    assert.equal(data.hostname, 'here')
    assert.deepEqual(data.supportedProtocols, { tls: 'tls://127.0.0.1:3022' })
    assert.equal(data.versionInfo.version, 'v2.1.0')
    assert.equal(data.interfaces[0].name, 'eth0')
  }
  await lost(enrolled.id)
  assert.equal((await show()).isOnline, false)
  // What it can do SDKs are told all the same.
  const asked = { path: '/current-identity/edge-routers?limit=500', token: controller.admin }
  const { json } = await controller.askClient(asked)
  const router = (json.data as { name: string; version: string; capabilities: readonly string[] }[]).find(
    ({ name }) => name === controller.core.kit.view.get('routers', enrolled.id)!.name,
  )!
  assert.equal(router.version, 'v2.1.0')
  assert.ok(router.capabilities.includes('CONNECT_V2'))
})

async function lost(routerId: string): Promise<void> {
  for (let left = 200; left > 0; left--) {
    const { json } = await controller.askAdmin('GET', `/edge-routers/${routerId}`)
    if (!json.data.isOnline) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  assert.fail('the router is still online')
}
