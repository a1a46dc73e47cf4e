/** The stock command line looks into our fabric while stock routers carry it: lists, inspections, validations, streams. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import test, { after } from 'node:test'
import { ApiClient, type Json } from '../kit/api-client.ts'
import { Child } from '../kit/child-process.ts'
import { freePort } from '../kit/free-port.ts'
import { until } from '../kit/patience.ts'
import { findPeer } from '../runner/find-peer.ts'
import { readTable } from './cli-table.ts'
import { PeerNetwork } from './peer-network.ts'
import { StockRouter } from './stock-router.ts'

const limits = { timeout: 180_000 }
const patience = { within: 40_000, every: 200 }

await using parts = new AsyncDisposableStack()
const network = parts.use(await PeerNetwork.start())
const { cli, controller } = network
const admin = parts.use(await ApiClient.login(controller))
const place = { admin: () => admin, controlAddress: `127.0.0.1:${controller.port}`, folder: cli.folder }
const r1 = parts.use(await StockRouter.start(place, 'r1'))
const r2 = parts.use(await StockRouter.start(place, 'r2'))
const ending = parts.move()
after(() => ending[Symbol.asyncDispose]())

const list = async (what: string) => readTable(await cli.says('fabric', 'list', what))

/** A stream of events, as an operator watches it. */
class Watched implements AsyncDisposable {
  readonly #child: Child

  private constructor(child: Child) {
    this.#child = child
  }

  static async start(...flags: readonly string[]): Promise<Watched> {
    const env = { HOME: cli.folder, ZITI_CONFIG_DIR: network.path('ziti') }
    const child = new Child(findPeer(process.env)!, ['fabric', 'stream', 'events', ...flags], { cwd: cli.folder, env })
    await until('the stream is open', () => /underlay added/.test(child.stdout + child.stderr), patience)
    return new Watched(child)
  }

  get events(): readonly Json[] {
    const lines = this.#child.stdout.split('\n').slice(0, -1)
    return lines.filter((line) => line.startsWith('{"namespace"')).map((line) => JSON.parse(line))
  }

  async event(wanted: Json): Promise<Json> {
    const isWanted = (event: Json) => Object.entries(wanted).every(([key, value]) => event[key] === value)
    return await until(`an event ${JSON.stringify(wanted)}`, () => this.events.find(isWanted), patience)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.stop('SIGTERM')
  }
}

test('lists routers and the link between them', limits, async () => {
  await until('they are linked', async () => (await list('links')).length === 1, patience)
  const routers = await list('routers')
  assert.deepEqual(
    routers.map((row) => [row['NAME'], row['ONLINE'], row['VERSION']]).sort(),
    [r1, r2].map(({ name }) => [name, 'true', 'v2.1.0 on linux/amd64']),
  )
  // The lists are read again once the routers have measured: latencies are then no round numbers.
  await until('the link is measured', async () => Number((await list('links'))[0]!['FULL COST']) < 30_000, {
    within: 60_000,
    every: 500,
  })
  const [link] = await list('links')
  assert.deepEqual([link!['STATE'], link!['STATUS'], link!['STATIC COST']], ['Connected', 'up', '1'])
  const id = link!['ID']!
  await cli.says('fabric', 'update', 'link', id, '--static-cost', '77')
  assert.equal((await list('links'))[0]!['STATIC COST'], '77')
  await cli.says('fabric', 'update', 'link', id, '--down')
  assert.equal((await list('links'))[0]!['STATUS'], 'down')
  await cli.says('fabric', 'update', 'link', id, '--down=false', '--static-cost', '1')
})

test('what controller and routers say of their inside', limits, async () => {
  const ofAll = [
    'stackdump',
    'metrics',
    'metrics:prometheus',
    'config',
    'router-data-model',
    'router-data-model-index',
    'identity-connection-statuses',
  ]
  const ofRouters = [
    'links',
    'router-config-registry',
    'router-sdk-circuits',
    'router-circuits',
    'router-edge-circuits',
    'router-controllers',
    'sdk-terminators',
    'ert-terminators',
  ]
  const ofController = [
    'connected-routers',
    'connected-peers',
    'router-messaging',
    'terminator-costs',
    'data-model-index',
  ]
  const cases = [
    [ofAll, 3],
    [ofRouters, 2],
    [ofController, 1],
  ] as const
  for (const [values, count] of cases) {
    for (const value of values) {
      const said = await cli.says('fabric', 'inspect', '.*', value)
      assert.match(said, new RegExp(`^Results: \\(${count}\\)`, 'm'), value)
    }
  }
  const one = await cli.says('fabric', 'inspect', '^r1$', 'links')
  assert.match(one, new RegExp(`${r1.id}.links`))
})

test('what routers have agrees with what the controller believes', limits, async () => {
  const whats = ['circuits', 'router-links', 'router-sdk-terminators', 'router-ert-terminators', 'router-data-model']
  for (const what of [...whats, 'identity-connection-statuses']) {
    const said = await cli.says('fabric', 'validate', what)
    assert.match(said, /started validation of [23]/, what)
    assert.match(said, /\b0 errors found/, what)
  }
  assert.match(await cli.says('fabric', 'validate', 'terminators'), /started validation of 0 terminators/)
  assert.match(await cli.refuses('fabric', 'validate', 'controller-dialers'), /controller dialer is not enabled/)
  assert.match(await cli.refuses('fabric', 'validate', 'router-links', 'nonsense ='), /failed to start/)
})

test('a circuit is listed, told in events, and ended', limits, async () => {
  await using watched = await Watched.start(
    '--circuits',
    '--terminators',
    '--usage',
    '--usage-version',
    '3',
    '--metrics',
  )
  await using echo = await echoServer()
  await cli.says(
    'edge',
    'create',
    'edge-router-policy',
    'all',
    '--edge-router-roles',
    '#all',
    '--identity-roles',
    '#all',
  )
  await cli.says(
    'edge',
    'create',
    'service-edge-router-policy',
    'all',
    '--edge-router-roles',
    '#all',
    '--service-roles',
    '#all',
  )
  await cli.says('edge', 'create', 'service', 'echo', '--encryption', 'OFF')
  await cli.says('edge', 'create', 'terminator', 'echo', 'r2', `tcp:127.0.0.1:${echo.port}`, '--binding', 'transport')
  await watched.event({ namespace: 'terminator', event_type: 'created', router_id: r2.id })
  await cli.says('edge', 'create', 'identity', 'client', '-o', 'client.jwt')
  await cli.says('edge', 'enroll', '-j', 'client.jwt', '-o', 'client.json', '-a', 'EC')
  await cli.says(
    'edge',
    'create',
    'service-policy',
    'dial',
    'Dial',
    '--identity-roles',
    '@client',
    '--service-roles',
    '@echo',
  )
  const port = await freePort()
  const args = ['tunnel', 'proxy', `echo:${port}`, '-i', 'client.json', '--svcPollRate', '1', '--cli-agent=false']
  await using tunneler = new Child(findPeer(process.env)!, args, { cwd: cli.folder, env: { HOME: cli.folder } })
  const socket = await until(
    'bytes come back',
    async () => {
      assert.ok(!tunneler.hasEnded, tunneler.stderr)
      return await echoing(port)
    },
    patience,
  )
  const created = await watched.event({ namespace: 'circuit', event_type: 'created' })
  const [circuit] = await list('circuits')
  assert.equal(circuit!['ID'], created['circuit_id'])
  assert.match(circuit!['SERVICE']!, /echo/)
  assert.match(await cli.says('fabric', 'validate', 'circuits'), /\b0 errors found/)
  assert.match(await cli.says('fabric', 'inspect', 'circuit', circuit!['ID']!), new RegExp(`circuit:${circuit!['ID']}`))
  await cli.says('fabric', 'delete', 'circuit', circuit!['ID']!)
  const deleted = await watched.event({ namespace: 'circuit', event_type: 'deleted', circuit_id: circuit!['ID']! })
  assert.ok((deleted['duration'] as number) > 0)
  await until('it is gone', async () => (await list('circuits')).length === 0, patience)
  socket.destroy()
  await watched.event({ namespace: 'metrics', source_id: r1.id })
})

test('a router that goes and comes back is told', limits, async () => {
  await using watched = await Watched.start()
  await r2.kill()
  await watched.event({ namespace: 'router', event_type: 'router-offline', router_id: r2.id })
  await watched.event({ namespace: 'link', event_type: 'fault' })
  const said = await cli.run('fabric', 'validate', 'router-links')
  assert.match(said.stdout, /1 errors found/)
  r2.restart()
  await watched.event({ namespace: 'router', event_type: 'router-online', router_id: r2.id })
  await watched.event({ namespace: 'connect', src_type: 'router', src_id: r2.id })
  await watched.event({ namespace: 'link', event_type: 'routerLinkNew' })
  await watched.event({ namespace: 'entityCount' })
})

test('traces of channels are turned on and off', limits, async () => {
  const env = { HOME: cli.folder, ZITI_CONFIG_DIR: network.path('ziti') }
  await using traces = new Child(findPeer(process.env)!, ['fabric', 'stream', 'traces'], { cwd: cli.folder, env })
  await until('the stream is open', () => /underlay added/.test(traces.stdout + traces.stderr), patience)
  const toggled = await cli.says('fabric', 'stream', 'traces', 'toggle', 'pipe', 'on', '.*', 'ctrl')
  assert.match(toggled, /ctrl\/controller matched\? true/)
  await until(
    'routers and controller are traced',
    () => {
      return traces.stdout.includes(`${r1.id} `) && traces.stdout.includes('controller ')
    },
    patience,
  )
  await cli.says('fabric', 'stream', 'traces', 'toggle', 'pipe', 'off', '.*', 'ctrl')
})

async function echoServer(): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.pipe(socket)
  })
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** A connection over which a byte came back, or undefined. */
async function echoing(port: number): Promise<Socket | undefined> {
  const socket = connect(port, '127.0.0.1')
  try {
    socket.write('x')
    await once(socket, 'data', { signal: AbortSignal.timeout(5_000) })
    socket.on('error', () => {})
    return socket
  } catch {
    socket.on('error', () => {})
    socket.destroy()
    return undefined
  }
}
