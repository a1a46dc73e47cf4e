/**
 * A router whose controller lies, floods, stalls, stops in the middle, repeats itself, says too much or never answers. Each
 * meets a bound, and the router serves whoever else is there and comes back in time.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Channel,
  ChannelAcceptor,
  type Connection,
  controlPlan,
  encodeFrame,
  Headers,
  HelloRefusal,
  TlsPort,
} from '@weft/wire'
import {
  type ControlMessageInit,
  type ControlMessageName,
  capabilityMask,
  controlHello,
  controllerCapability,
  controlMessages,
} from '@weft/wire/messages'
import { heldBytes } from '@weft/wire/testing/held-bytes.ts'
import { loadRouterConfig } from './config/load-router-config.ts'
import { Router } from './router.ts'
import { eventually } from './testing/eventually.ts'
import { testIdentity } from './testing/test-router-links.ts'

const limits = { timeout: 60_000 }
const MEBIBYTE = 1_048_576
/** Milliseconds: of the configuration below, and of a busy machine. */
const connectTimeout = 500
const silence = 500
const patience = 10_000
/** Between two dials at most. */
const longestWait = 7_500
const most = { controllers: 64, endpoints: 16, destinations: 10_000, lines: 60 }

const folder = mkdtempSync(join(tmpdir(), 'weft-hostile-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const at = (name: string) => join(folder, name)
const { client, servers, caPem } = await testIdentity('r-1')
await writeFile(at('r.key'), client!.keyPem, { mode: 0o600 })
await writeFile(at('r.cert'), client!.certPem)
await writeFile(at('r.server.cert'), servers[0]!.certPem)
await writeFile(at('r.cas'), caPem)

interface Setting extends AsyncDisposable {
  readonly router: Router
  /** Lines of its log above debug. */
  readonly lines: string[]
  readonly endpointsFile: string
}

let count = 0

/** A router with these controllers, patient with them unless told otherwise. */
async function startRouter(ports: readonly number[], closeUnresponsiveTimeout = 30_000): Promise<Setting> {
  const endpoints = ports.map((port) => `"tls:127.0.0.1:${port}"`).join()
  const endpointsFile = at(`endpoints-${++count}.yml`)
  const text = `v: 3
identity: { cert: r.cert, server_cert: r.server.cert, key: r.key, ca: r.cas }
ctrl:
  endpoints: [${endpoints}]
  endpointsFile: ${endpointsFile}
  startupTimeout: 0
  heartbeats: { sendInterval: 100ms, checkInterval: 50ms, closeUnresponsiveTimeout: ${closeUnresponsiveTimeout}ms }
  options: { connectTimeout: ${connectTimeout}ms }
edge: { db: ${at(`model-${count}.gz`)} }
link: { dialers: [{ binding: transport }] }
listeners: [{ binding: edge, address: "tls:127.0.0.1:0", options: { advertise: "127.0.0.1:1" } }]
`
  const lines: string[] = []
  const note = (message: string) => void lines.push(message)
  const { config } = loadRouterConfig({ fileName: at('r.yml'), text }, {})
  const router = await Router.start(
    {
      clock: { now: () => Date.now(), monotonic: () => performance.now() },
      log: { debug() {}, info: note, warn: note, error: note },
      levels: { setLevel() {} },
      onFailure: (error) => assert.fail(error),
    },
    { config, baseDirectory: folder },
  )
  return { router, lines, endpointsFile, [Symbol.asyncDispose]: () => router[Symbol.asyncDispose]() }
}

interface PlayOptions {
  readonly id?: string
  /** In place of taking the connection. */
  readonly accept?: (connection: Connection) => void
}

/** A controller that takes in its router and says what the test tells it to say. */
class PlayedController implements AsyncDisposable {
  readonly channels: Channel[] = []
  connections = 0
  readonly #parts = new AsyncDisposableStack()
  #port: TlsPort | undefined

  static async start({ id = 'c1', accept }: PlayOptions = {}): Promise<PlayedController> {
    const played = new PlayedController()
    const capabilities = capabilityMask(Object.values(controllerCapability))
    const { headers } = controlHello.encode('answer', { version: 'v2.1.0|x|y|linux|amd64', capabilities })
    const acceptor = played.#parts.use(
      new ChannelAcceptor({
        id,
        admit: (hello) => {
          if (hello.group?.isFirst === false) throw new HelloRefusal('one is enough')
          const bind = (channel: Channel) => {
            channel.handleRest(() => {})
            played.channels.push(channel)
          }
          return { identity: 'router', name: 'router', plan: controlPlan, headers, bind }
        },
      }),
    )
    const { servers: own } = await testIdentity(id)
    played.#port = played.#parts.use(await TlsPort.open({ host: '127.0.0.1', port: 0, tls: { servers: own } }))
    played.#port.registerChannels(['ziti-ctrl'], (connection) => {
      played.connections++
      if (accept === undefined) acceptor.accept(connection)
      else accept(connection)
    })
    return played
  }

  get port(): number {
    return this.#port!.address.port
  }

  get channel(): Channel {
    return this.channels.at(-1)!
  }

  async says<K extends ControlMessageName>(name: K, fields: ControlMessageInit<K>): Promise<void> {
    await this.channel.send(controlMessages.encode(name, fields), { timeoutMilliseconds: 30_000 })
  }

  async asks<K extends ControlMessageName>(name: K, fields: ControlMessageInit<K>) {
    const options = { timeoutMilliseconds: patience }
    return controlMessages.decodeReply(name, await this.channel.request(controlMessages.encode(name, fields), options))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync()
  }
}

const connectedTo = ({ router }: Setting) =>
  router.controllers
    .connected()
    .map(({ controllerId }) => controllerId)
    .sort()
    .join()

const are = (setting: Setting, wanted: string, what = `${wanted} connected`) =>
  eventually(() => connectedTo(setting) === wanted, what)

test(
  'a controller that stalls before it has said who it is costs a dial of bounded time, and is tried again',
  limits,
  async () => {
    const half = (connection: Connection) => {
      connection.write(encodeFrame(0, new Headers(), Buffer.alloc(100), 1).subarray(0, 25))
    }
    const open: { destroy(): void }[] = []
    const silent = createServer((socket) => void open.push(socket.on('error', () => {}))).listen(0, '127.0.0.1')
    await eventually(() => silent.listening, 'a port without TLS is open')
    await using mute = await PlayedController.start({ accept: () => {} })
    await using halting = await PlayedController.start({ accept: half })
    await using other = await PlayedController.start({ id: 'c9' })
    const { port } = silent.address() as { port: number }
    {
      await using setting = await startRouter([mute.port, halting.port, port, other.port])
      await are(setting, 'c9', 'the one that answers is connected')
      const started = performance.now()
      await eventually(
        () => mute.connections >= 3 && halting.connections >= 3 && open.length >= 3,
        'all are tried again',
      )
      assert.ok(performance.now() - started < 3 * (connectTimeout + longestWait) + patience)
      assert.equal(connectedTo(setting), 'c9')
    }
    for (const socket of open) socket.destroy()
    silent.close()
  },
)

test(
  'a controller that falls silent, in the middle of a message too, is given up and dialled again',
  limits,
  async () => {
    await using played = await PlayedController.start()
    await using setting = await startRouter([played.port], silence)
    for (const words of [Buffer.alloc(0), encodeFrame(1_000, new Headers(), Buffer.alloc(99), 5).subarray(0, 40)]) {
      await are(setting, 'c1')
      const { channel } = played
      const before = played.channels.length
      await sleep(300)
      channel.pauseReading()
      channel.underlays[0]!.connection.write(words)
      const started = performance.now()
      await eventually(() => played.channels.length > before, 'it has come again')
      assert.ok(performance.now() - started < 2 * silence + longestWait + patience)
      channel.close()
    }
  },
)

test('a controller that asks without end and takes no answer is not read from any more', limits, async () => {
  await using hostile = await PlayedController.start()
  await using other = await PlayedController.start({ id: 'c2' })
  await using setting = await startRouter([hostile.port, other.port])
  await are(setting, 'c1,c2')
  const [before, linesBefore] = [heldBytes(), setting.lines.length]
  const { connection } = hostile.channel.underlays[0]!
  hostile.channel.pauseReading()
  const asked = controlMessages.encode('inspectRequest', {
    body: { requestedValues: ['config', 'stackdump', 'links'] },
  })
  const frames = Buffer.concat(
    Array.from({ length: 200 }, (_, nth) => encodeFrame(asked.contentType, new Headers(), asked.body!, nth + 1)),
  )
  for (let nth = 0; nth < 500; nth++) if (!connection.write(frames)) break
  await other.asks('inspectRequest', { body: { requestedValues: ['links'] } })
  const grown = heldBytes() - before
  assert.ok(grown < 64 * MEBIBYTE, `${(grown / MEBIBYTE).toFixed(1)} MiB`)
  assert.ok(setting.lines.length - linesBefore < most.lines, setting.lines.slice(linesBefore).join('\n'))
})

test('messages that cannot be read cost a line now and then, and those of no known kind nothing', limits, async () => {
  await using hostile = await PlayedController.start()
  await using setting = await startRouter([hostile.port])
  await are(setting, 'c1')
  const before = setting.lines.length
  for (let nth = 0; nth < 3_000; nth++) {
    await hostile.channel.send({ contentType: controlMessages.typeOf('route'), body: Buffer.alloc(9, 0xff) })
    await hostile.channel.send({ contentType: 99_000 + nth, body: Buffer.alloc(9) })
  }
  await hostile.asks('inspectRequest', { body: { requestedValues: ['links'] } })
  assert.ok(setting.lines.length - before < most.lines, `${setting.lines.length - before} lines`)
})

test('lists of controllers without end lead to so many dials, and are written down seldom', limits, async () => {
  await using hostile = await PlayedController.start()
  await using other = await PlayedController.start({ id: 'c2' })
  await using setting = await startRouter([hostile.port, other.port])
  await are(setting, 'c1,c2')
  const own = { id: 'c1', endpoints: [{ address: `tls:127.0.0.1:${hostile.port}`, groups: [] }] }
  const invented = (round: number) =>
    Array.from({ length: 500 }, (_, nth) => {
      const endpoints = Array.from({ length: 50 }, () => ({ address: 'tls:127.0.0.1:1', groups: [] }))
      return { id: `c-${round}-${nth}`, endpoints }
    })
  const says = async (index: number, isLeader: boolean) => {
    const body = { addresses: [], index, isLeader, controllers: [own, ...invented(index)] }
    await hostile.says('updateCtrlAddresses', { body })
    await hostile.asks('inspectRequest', { body: { requestedValues: [] } })
    const known = setting.router.controllers.known()
    assert.ok(known.length <= most.controllers, `${known.length} controllers`)
    assert.ok(known.every(({ known: { endpoints } }) => endpoints.length <= most.endpoints))
  }
  // Of somebody who does not lead, and thus only adds.
  for (let index = 1; index <= 5; index++) await says(index, false)
  assert.equal(connectedTo(setting), 'c1,c2')
  for (let index = 6; index <= 15; index++) await says(index, true)
  await eventually(() => readFileSync(setting.endpointsFile, 'utf8').includes('c-15-'), 'the last list is kept')
  assert.match(connectedTo(setting), /c1/)
})

test('a network of more routers than there can be is known in part', limits, async () => {
  await using hostile = await PlayedController.start()
  await using setting = await startRouter([hostile.port])
  await are(setting, 'c1')
  for (let round = 0; round < 12; round++) {
    const changes = Array.from({ length: 1_000 }, (_, nth) => {
      return { id: `r-${round}-${nth}`, version: 'v2.1.0', state: 'Healthy' as const, listeners: [] }
    })
    await hostile.says('peerStateChanges', { body: { changes } })
  }
  await hostile.asks('inspectRequest', { body: { requestedValues: [] } })
  assert.equal([...setting.router.links.registry.destinations()].length, most.destinations)
})

test(
  'a large model is taken, one that is too large ends the channel, and what is no model changes nothing',
  limits,
  async () => {
    await using hostile = await PlayedController.start()
    await using setting = await startRouter([hostile.port])
    await are(setting, 'c1')
    const { model } = setting.router
    const events = Array.from({ length: 50_000 }, (_, nth) => {
      return { model: { kind: 'service' as const, value: { id: `s${nth}`, name: `service ${nth}` } } }
    })
    const body = { events, endIndex: 10, timelineId: 't1' }
    const started = performance.now()
    await hostile.says('dataState', { body })
    await eventually(() => model.model.index === 10, 'it is there')
    assert.ok(performance.now() - started < patience)
    assert.equal(model.model.tables.service.size, 50_000)
    await hostile.channel.send({ contentType: controlMessages.typeOf('dataState'), body: Buffer.alloc(99, 0xff) })
    await hostile.asks('inspectRequest', { body: { requestedValues: [] } })
    // What is repeated, and what nobody has asked for.
    await hostile.says('dataStateChangeSet', { body: { index: 9, previousIndex: 8, changes: [] } })
    await hostile.says('dataState', {
      subscriptionId: 'of another',
      body: { events: [], endIndex: 99, timelineId: 't1' },
    })
    await hostile.asks('inspectRequest', { body: { requestedValues: [] } })
    assert.deepEqual([model.model.index, model.model.tables.service.size], [10, 50_000])
    const before = hostile.channels.length
    const announced = Buffer.from(encodeFrame(controlMessages.typeOf('dataState'), new Headers(), Buffer.alloc(9), 1))
    announced.writeUInt32LE(0x7fff_ffff, 16)
    hostile.channel.underlays[0]!.connection.write(announced)
    await eventually(() => hostile.channels.length > before, 'it has come again')
    assert.equal(model.model.tables.service.size, 50_000)
  },
)

test('a controller under the name of another does not take its place', limits, async () => {
  await using real = await PlayedController.start()
  await using liar = await PlayedController.start()
  await using setting = await startRouter([real.port, liar.port])
  await are(setting, 'c1')
  await eventually(() => setting.router.controllers.known().length === 1, 'one of them is enough')
  const [first, second] = real.channels.length > 0 ? [real, liar] : [liar, real]
  await first.asks('inspectRequest', { body: { requestedValues: [] } })
  await eventually(() => second.channels.every(({ isClosed }) => isClosed), 'the other is let go')
})
