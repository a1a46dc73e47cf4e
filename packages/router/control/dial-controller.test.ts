import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Channel, ChannelAcceptor, controlPlan, type ReceivedHello, TlsPort } from '@weft/wire'
import { capabilityMask, controlHello, hasCapability, routerCapability } from '@weft/wire/messages'
import { testIdentity } from '../testing/test-router-links.ts'
import type { ControllerConnection } from './controller-connection.ts'
import { controllerConnector } from './dial-controller.ts'
import { routerHelloHeaders } from './router-hello.ts'

const limits = { timeout: 20_000 }
const log = { debug() {}, info() {}, warn() {}, error() {} }
const surroundings = {
  clock: { now: () => Date.now(), monotonic: () => performance.now() },
  log,
  randomBytes: (size: number) => crypto.getRandomValues(Buffer.alloc(size)),
}
const listeners = [{ address: 'tls:r1:3022', protocol: 'tls', groups: ['default'], localBinding: '' }]

const forControllers = [{ address: 'tls:r1:6262', groups: ['west'] }]

/** A controller that takes in whoever comes, and says this of itself. */
async function setUp(answer: {
  readonly id: string
  readonly capabilities: readonly number[]
  readonly version?: string
}) {
  const stack = new AsyncDisposableStack()
  const server = await testIdentity('ctrl')
  const router = await testIdentity('r1')
  const hellos: ReceivedHello[] = []
  const { version = 'v2.1.0|x|y|linux|amd64', capabilities } = answer
  const { headers } = controlHello.encode('answer', { version, capabilities: capabilityMask(capabilities) })
  const acceptor = stack.use(
    new ChannelAcceptor({
      id: answer.id,
      admit(hello) {
        hellos.push(hello)
        return { identity: 'router', name: 'router', plan: controlPlan, headers, bind() {} }
      },
    }),
  )
  const tls = { servers: server.servers }
  const port = stack.use(await TlsPort.open({ host: '127.0.0.1', port: 0, tls }))
  port.registerChannels(['ziti-ctrl'], (connection) => acceptor.accept(connection))
  const bound: ControllerConnection[] = []
  const connect = controllerConnector(
    {
      ...{ routerId: 'r1', identity: () => router, surroundings, proxy: undefined },
      routerHello: () => routerHelloHeaders(listeners, forControllers),
      bind: (connection) => void bound.push(connection),
    },
    {
      heartbeats: {
        sendInterval: 1_000,
        checkInterval: 100,
        closeUnresponsiveTimeout: 5_000,
        unresponsiveAfter: 5_000,
      },
      options: {
        ...{ outQueueSize: 4, maxQueuedConnects: 1, maxOutstandingConnects: 16, connectTimeout: 5_000 },
        writeTimeout: undefined,
      },
      defaultRequestTimeout: 5_000,
      localBinding: undefined,
    },
  )
  const dialled: Channel[] = []
  return {
    ...{ hellos, bound, acceptor },
    async connect() {
      const connection = await connect(`tls:127.0.0.1:${port.address.port}`, new AbortController().signal)
      dialled.push(connection.channel)
      return connection
    },
    async [Symbol.asyncDispose]() {
      for (const channel of dialled) channel.close()
      await stack.disposeAsync()
    },
  }
}

test('every hello says who the router is, what it can do and where it can be dialled', limits, async () => {
  await using set = await setUp({ id: 'c1', capabilities: [5, 6] })
  const connection = await set.connect()
  assert.deepEqual([connection.controllerId, connection.version, connection.isConnected], ['c1', 'v2.1.0', true])
  assert.equal(set.bound[0], connection)
  const [hello] = set.hellos
  assert.deepEqual([hello?.id, hello?.type, hello?.group?.isFirst], ['r1', 'ctrl.default', true])
  const said = controlHello.decodeHeaders('hello', hello!.headers)
  assert.match(said.version, /^v2\.1\.0\|[^|]*\|[^|]*\|[^|]+\|[^|]+$/u)
  assert.deepEqual(said.listeners?.listeners, listeners)
  assert.deepEqual(said.ctrlChanListeners?.listeners, forControllers)
  assert.ok(hasCapability(said.capabilities, routerCapability.multiChannel))
  assert.ok(hasCapability(said.capabilities, routerCapability.routerDataModel))
  assert.ok(!hasCapability(said.capabilities, routerCapability.connectV2), 'only what it really does')
})

test('a controller that is too old, or does not say who it is, is left', limits, async () => {
  await using old = await setUp({ id: 'c1', capabilities: [1, 2, 3, 4, 5] })
  await assert.rejects(old.connect(), { code: 'UNFIT_CONTROLLER' })
  assert.deepEqual(old.bound, [])
  await using vague = await setUp({ id: 'c1', capabilities: [6], version: 'v2.1.0' })
  await assert.rejects(vague.connect(), { code: 'UNFIT_CONTROLLER' })
  await using nameless = await setUp({ id: '', capabilities: [6] })
  assert.equal((await nameless.connect()).controllerId, 'ctrl', 'its certificate says it')
})
