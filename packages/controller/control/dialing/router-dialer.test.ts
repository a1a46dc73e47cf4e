/** A whole controller that dials routers: whom, when, and whom it takes for which. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { type AddressInfo, createServer } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { controlHello } from '@weft/wire/messages'
import { defaultNetworkOptions } from '../../fabric/network-options.ts'
import { createRouter, enrollListening, ListeningRouter } from '../../testing/listening-router.ts'
import { TestController } from '../../testing/test-controller.ts'
import { TestRouter } from '../../testing/test-router.ts'

const limits = { timeout: 30_000 }
const PATIENCE_MILLISECONDS = 15_000
/** Several times the longest wait between two dials. */
const QUIET_MILLISECONDS = 1_000

const ctrlDialer = {
  groups: ['default', 'west'],
  dialDelay: 0,
  minRetryInterval: 100,
  maxRetryInterval: 300,
  retryBackoffFactor: 1.5,
  fastFailureWindow: 100,
  queueSize: 32,
  maxWorkers: 10,
}
const controller = await TestController.start({
  network: { ...defaultNetworkOptions, routerConnectChurnLimit: 0 },
  ctrlDialer,
})
after(() => controller[Symbol.asyncDispose]())

async function detail(routerId: string) {
  return (await controller.askAdmin('GET', `/edge-routers/${routerId}`)).json.data
}

async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MILLISECONDS
  while (!(await isSo())) {
    assert.ok(performance.now() < end, `${what} did not come true`)
    await sleep(20)
  }
}

const isOnline = async (routerId: string) => (await detail(routerId)).isOnline as boolean
const becomesOnline = (routerId: string) => until(`router ${routerId} is online`, () => isOnline(routerId))

async function setListeners(routerId: string, ctrlChanListeners: object): Promise<void> {
  const { status, text } = await controller.askAdmin('PATCH', `/edge-routers/${routerId}`, { ctrlChanListeners })
  assert.equal(status, 200, text)
}

test('a router that is known to listen is dialled, and served as if it had come by itself', limits, async () => {
  const id = await createRouter(controller)
  const identity = await enrollListening(controller, id)
  await using router = await ListeningRouter.listen(identity, { advertised: { 'tls:elsewhere:1': ['west'] } })
  await setListeners(id, { [router.address]: ['west'] })
  await becomesOnline(id)
  const [hello] = router.hellos
  assert.deepEqual(
    [hello?.id, hello?.type, hello?.group?.isFirst, hello?.connection.protocol],
    ['controller', 'ctrl.default', true, 'ziti-ctrl'],
  )
  const said = controlHello.decodeHeaders('answer', hello!.headers)
  assert.match(said.version, /^v2\.1\.0\|/u)
  assert.match(said.apiAddresses ?? '', /edge-client/u)
  await until('it is greeted', () => router.heard.includes('serverHello'))
  await until('what it says of itself counts', async () => 'tls:elsewhere:1' in (await detail(id)).ctrlChanListeners)
  assert.deepEqual((await detail(id)).ctrlChanListeners, { 'tls:elsewhere:1': ['west'] })
  assert.equal(router.hellos.length, 1)
})

test(
  'what a router says at its hello of where it listens is kept and shown, and taken back when it says nothing',
  limits,
  async () => {
    const id = await createRouter(controller)
    const identity = await enrollListening(controller, id)
    const version = 'v2.1.0|abc|today|linux|amd64'
    const listeners = [
      { address: 'tls:here:1', groups: ['a', 'b'] },
      { address: 'tls:here:2', groups: [] },
    ]
    const { headers } = controlHello.encode('hello', { version, capabilities: 2n, ctrlChanListeners: { listeners } })
    const kept = async () => JSON.stringify((await detail(id)).ctrlChanListeners)
    {
      await using _ = await TestRouter.connect(controller, identity, { headers })
      await until('they are kept', async () => (await kept()) === '{"tls:here:1":["a","b"],"tls:here:2":[]}')
    }
    headers.set(controlHello.messages.hello.headers.ctrlChanListeners.key, Buffer.from('ff', 'hex'))
    {
      await using _ = await TestRouter.connect(controller, identity, { headers })
      await becomesOnline(id)
      assert.notEqual(await kept(), undefined, 'what cannot be read changes nothing')
    }
    await using _ = await TestRouter.connect(controller, identity)
    await until('they are taken back', async () => (await kept()) === undefined)
  },
)

test('a router that is lost is dialled again; one that is disabled or deleted is left alone', limits, async () => {
  const id = await createRouter(controller)
  const identity = await enrollListening(controller, id)
  let router = await ListeningRouter.listen(identity)
  const { port, address } = router
  const advertised = { [address]: [] }
  await router[Symbol.asyncDispose]()
  await setListeners(id, advertised)
  router = await ListeningRouter.listen(identity, { port, advertised })
  await becomesOnline(id)
  await router[Symbol.asyncDispose]()
  await until('it is lost', async () => !(await isOnline(id)))
  router = await ListeningRouter.listen(identity, { port, advertised })
  await becomesOnline(id)
  const [channel] = router.channels
  await controller.askAdmin('PATCH', `/edge-routers/${id}`, { disabled: true })
  await channel!.closed
  await sleep(QUIET_MILLISECONDS)
  assert.equal(router.hellos.length, 1, 'a disabled router is not dialled')
  await controller.askAdmin('PATCH', `/edge-routers/${id}`, { disabled: false })
  await becomesOnline(id)
  await controller.askAdmin('DELETE', `/edge-routers/${id}`)
  await router.channels.at(-1)!.closed
  const before = router.hellos.length
  await sleep(QUIET_MILLISECONDS)
  assert.equal(router.hellos.length, before, 'a deleted router is not dialled')
  await router[Symbol.asyncDispose]()
})

test('only listeners of the controller’s groups are dialled, and no router that is connected', limits, async () => {
  const [foreign, connected] = [await createRouter(controller), await createRouter(controller)]
  await using other = await ListeningRouter.listen(await enrollListening(controller, foreign))
  await setListeners(foreign, { [other.address]: ['east'] })
  const identity = await enrollListening(controller, connected)
  await using router = await ListeningRouter.listen(identity)
  const listeners = [{ address: router.address, groups: [] }]
  const hello = { version: 'v2.1.0|abc|today|linux|amd64', capabilities: 2n, ctrlChanListeners: { listeners } }
  const { headers } = controlHello.encode('hello', hello)
  await using _ = await TestRouter.connect(controller, identity, { headers })
  await until('its listener is known', async () => (await detail(connected)).ctrlChanListeners !== undefined)
  await sleep(QUIET_MILLISECONDS)
  assert.deepEqual([other.hellos.length, router.hellos.length], [0, 0])
})

test('whoever answers in the place of a router is not taken for it', limits, async () => {
  const meant = await createRouter(controller)
  await enrollListening(controller, meant)
  const other = await enrollListening(controller, await createRouter(controller))
  await using liar = await ListeningRouter.listen(other, { id: meant })
  await setListeners(meant, { [liar.address]: [] })
  await until('it is dialled more than once', () => liar.hellos.length > 1)
  assert.equal(await isOnline(meant), false)
  assert.equal(await isOnline(other.id), false, 'nor for itself: it was not meant')
  await setListeners(meant, {})
})

test('a router of which only the fingerprint is known has to listen with that certificate', limits, async () => {
  const identity = await enrollListening(controller, await createRouter(controller))
  const { fingerprint } = new X509Certificate(identity.serverCert)
  const print = fingerprint.replaceAll(':', '').toLowerCase()
  for (const [known, isRight] of [
    ['0'.repeat(40), false],
    [print, true],
  ] as const) {
    const id = await createRouter(controller)
    await using router = await ListeningRouter.listen(identity, { id })
    const facts = { fingerprint: known, ctrlChanListeners: { [router.address]: [] } }
    await controller.write((change) => change.update('routers', id, facts))
    if (isRight) await becomesOnline(id)
    else await until('it is dialled more than once', () => router.hellos.length > 1)
    assert.equal(await isOnline(id), isRight)
    await controller.askAdmin('DELETE', `/edge-routers/${id}`)
  }
})

test('the key of a former enrollment is worth nothing', limits, async () => {
  const id = await createRouter(controller)
  const former = await enrollListening(controller, id)
  await using router = await ListeningRouter.listen(former)
  assert.equal((await controller.askAdmin('POST', `/edge-routers/${id}/re-enroll`, {})).status, 200)
  const present = await enrollListening(controller, id)
  await setListeners(id, { [router.address]: [] })
  await until('it is dialled more than once', () => router.hellos.length > 1)
  assert.equal(await isOnline(id), false)
  await using again = await ListeningRouter.listen(present)
  await setListeners(id, { [again.address]: [] })
  await becomesOnline(id)
})

test('when both sides dial at once, one channel is left and the router stays online', limits, async () => {
  const id = await createRouter(controller)
  const identity = await enrollListening(controller, id)
  const dialling = Promise.withResolvers<void>()
  const hasCome = Promise.withResolvers<void>()
  const admitting = async () => {
    dialling.resolve()
    await hasCome.promise
  }
  await using router = await ListeningRouter.listen(identity, { admitting })
  await setListeners(id, { [router.address]: [] })
  await dialling.promise
  await using own = await TestRouter.connect(controller, identity)
  await becomesOnline(id)
  hasCome.resolve()
  await until('the dialled channel is made', () => router.channels.length === 1)
  await router.channels[0]!.closed
  assert.equal(await isOnline(id), true)
  assert.ok(!own.channel.isClosed)
  await sleep(QUIET_MILLISECONDS)
  assert.equal(router.hellos.length, 1)
})

test(
  'those who take a connection and say nothing cost a limited time and a limited number of dials',
  limits,
  async () => {
    const routerHeartbeats = { sendInterval: 10_000, checkInterval: 1_000, closeUnresponsiveTimeout: 30_000 }
    const limited = { maxQueuedConnects: 1, maxOutstandingConnects: 16, outQueueSize: 4, handshakeTimeout: 5_000 }
    await using patient = await TestController.start({
      ctrlDialer: { ...ctrlDialer, maxWorkers: 2 },
      ctrlChannels: { ...limited, connectTimeout: 200, writeTimeout: undefined, routerHeartbeats },
    })
    let [open, most, all] = [0, 0, 0]
    const server = createServer((socket) => {
      open++
      all++
      most = Math.max(most, open)
      socket.on('error', () => {}).once('close', () => open--)
      socket.resume()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = `tls:127.0.0.1:${(server.address() as AddressInfo).port}`
    for (let count = 0; count < 6; count++) {
      await enrollListening(patient, await createRouter(patient, { ctrlChanListeners: { [address]: [] } }))
    }
    await until('all have been dialled', () => all >= 12)
    assert.ok(most <= 4, `${most} at once; those that are given up may be still closing when the next begin`)
    const stopping = performance.now()
    await patient.stop()
    assert.ok(performance.now() - stopping < 10_000, 'dials under way do not hold up the end')
    server.close()
  },
)
