import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { controlPlan, dialUnderlay } from '@weft/wire'
import { controlHello } from '@weft/wire/messages'
import { TestController } from '../testing/test-controller.ts'
import { type EnrolledRouter, enrollRouter, TestRouter } from '../testing/test-router.ts'
import { type ControlChannelOptions, controlChannelPlan, helloBounds } from './control-channel-options.ts'

/** As a file has them that says nothing of them. */
const usual: ControlChannelOptions = {
  outQueueSize: 4,
  maxOutstandingConnects: 16,
  maxQueuedConnects: 1,
  handshakeTimeout: 5_000,
  connectTimeout: 5_000,
  writeTimeout: undefined,
  routerHeartbeats: { sendInterval: 10_000, checkInterval: 1_000, closeUnresponsiveTimeout: 30_000 },
}

const ctrlChannels = {
  ...usual,
  maxOutstandingConnects: 2,
  connectTimeout: 30_000,
  routerHeartbeats: { sendInterval: 100, checkInterval: 100, closeUnresponsiveTimeout: 500 },
}
const controller = await TestController.start({ ctrlChannels })
after(() => controller[Symbol.asyncDispose]())

test('options that a file leaves out change nothing', () => {
  assert.deepEqual(controlChannelPlan(usual), controlPlan)
  assert.deepEqual(controlChannelPlan(undefined), controlPlan)
  assert.deepEqual(helloBounds(usual), { helloTimeout: 5_000 })
})

test('every option has its effect on channels', () => {
  const routerHeartbeats = { sendInterval: 5_000, checkInterval: 0, closeUnresponsiveTimeout: 20_000 }
  const plan = controlChannelPlan({ ...usual, outQueueSize: 100, writeTimeout: 7_000, routerHeartbeats })
  assert.deepEqual(
    plan.queues.map(({ messages }) => messages),
    [100, 100, 100],
  )
  assert.equal(plan.writeTimeout, 7_000)
  // At the start a router has twice the time on top.
  assert.deepEqual(plan.heartbeats, { sendInterval: 5_000, checkInterval: 100, closeAfter: 20_000, grace: 40_000 })
  assert.deepEqual(helloBounds({ ...usual, connectTimeout: 900, maxQueuedConnects: 7 }), {
    helloTimeout: 900,
    maxHellos: 23,
  })
})

async function silentSocket(router: EnrolledRouter): Promise<TLSSocket> {
  const socket = connect({ ...controller.clientAddress, ALPNProtocols: ['ziti-ctrl'], ...router })
  socket.on('error', () => {})
  await once(socket, 'secureConnect')
  return socket
}

test('so many connections may be without a hello as the options say', async () => {
  const enrolled = await enrollRouter(controller)
  const silent = [await silentSocket(enrolled), await silentSocket(enrolled), await silentSocket(enrolled)]
  const tooMany = await silentSocket(enrolled)
  tooMany.resume()
  if (!tooMany.destroyed) await once(tooMany, 'close')
  assert.ok(silent.every(({ destroyed }) => !destroyed))
  silent[0]!.destroy()
  const isIn = async () => {
    try {
      return await TestRouter.connect(controller, enrolled)
    } catch {
      return undefined
    }
  }
  let router = await isIn()
  for (let left = 50; router === undefined && left > 0; left--) router = await isIn()
  assert.ok(router, 'there is no place for the router')
  await router[Symbol.asyncDispose]()
  for (const socket of silent) socket.destroy()
})

test('a router that answers no heartbeat is let go when its time is over', async () => {
  const { id, cert: certPem, key: keyPem } = await enrollRouter(controller)
  const { host, port, ca: caPem } = controller.clientAddress
  const version = 'v2.1.0|abc|today|linux|amd64'
  const { connection } = await dialUnderlay({
    address: `tls:${host}:${port}`,
    protocols: ['ziti-ctrl'],
    tls: { client: { certPem, keyPem }, caPem },
    hello: { id, headers: controlHello.encode('hello', { version }).headers },
  })
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  connection.attach({ onData() {}, onDrain() {}, onClose: () => resolve() })
  connection.resume()
  await closed
  assert.ok(controller.logged.some((line) => line.includes('router disconnected') && line.includes('peer is silent')))
})
