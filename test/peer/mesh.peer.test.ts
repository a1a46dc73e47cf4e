/**
 * Our routers in a mesh with the stock ones, under our controller and under the stock one: all are online, each dials the
 * other, and the stock tools that validate a network find nothing to complain about. Run by `npm run test:peer`.
 */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { ApiClient } from '../kit/api-client.ts'
import { admin, ControllerProcess } from '../kit/controller-process.ts'
import { until } from '../kit/patience.ts'
import { RouterProcess } from '../kit/router-process.ts'
import { temporaryFolder } from '../kit/temporary-folder.ts'
import { readTable } from './cli-table.ts'
import { PeerCli } from './peer-cli.ts'
import { PeerController } from './peer-controller.ts'
import { StockRouter } from './stock-router.ts'

const limit = { timeout: 240_000 }
const PATIENCE = 60_000

interface Network {
  readonly url: string
  readonly ca: string
  readonly controlAddress: string
  readonly cli: PeerCli
  readonly folder: string
}

interface ListedLink {
  readonly id: string
  readonly state: string
  readonly iteration: number
  readonly sourceRouter: { readonly name: string }
  readonly destRouter: { readonly name: string }
}

/** Which half of links a router of ours makes. */
type Part = 'dials and accepts' | 'only dials' | 'only accepts'

/** An enrolled router of ours that runs. Stock routers take the interface of their address into account; so does it. */
async function runOurs(network: Network, client: ApiClient, name: string, part: Part = 'dials and accepts') {
  const id = await client.create('edge-routers', { name })
  const { enrollmentJwt } = await client.detail(`/edge-routers/${id}`)
  const router = await RouterProcess.enroll({ name, jwt: String(enrollmentJwt), folder: network.folder })
  const text = (await readFile(router.file, 'utf8')).replaceAll('tls:0.0.0.0:', 'tls:127.0.0.1:')
  const [before, dialers, listeners, after] = text.split(/^(?= {2}dialers:$| {2}listeners:$|# Where clients enter)/mu)
  assert.ok(dialers !== undefined && listeners?.includes('bind:') && after !== undefined)
  const link = { 'dials and accepts': dialers + listeners, 'only dials': dialers, 'only accepts': listeners }[part]
  await writeFile(router.file, `${before}${link}${after}`)
  await router.run()
  return router
}

async function runStock(network: Network, client: ApiClient, name: string): Promise<StockRouter> {
  const { controlAddress, folder } = network
  return StockRouter.start({ admin: () => client, controlAddress, folder }, name)
}

/** Who dialled whom, as the controller has it. */
async function links(network: Network, token: string): Promise<readonly ListedLink[]> {
  using fabric = new ApiClient(network, { base: '/fabric/v1', token })
  return (await fabric.list('/links')) as unknown as ListedLink[]
}

async function checkMesh(network: Network): Promise<void> {
  using client = await ApiClient.login(network, admin)
  await using running = new AsyncDisposableStack()
  const stock = running.use(await runStock(network, client, 'stock1'))
  const first = running.use(await runOurs(network, client, 'ours1'))
  const second = running.use(await runOurs(network, client, 'ours2'))
  const wanted = ['ours1-ours2', 'ours1-stock1', 'ours2-stock1']
  const pairs = async () =>
    (await links(network, client.token!))
      .filter(({ state }) => state === 'Connected')
      .map(({ sourceRouter, destRouter }) => [sourceRouter.name, destRouter.name].sort().join('-'))
      .sort()
  const isMeshed = async () => (await pairs()).join() === wanted.join()
  await until('one link for each pair', isMeshed, { within: PATIENCE, every: 200 })

  // Each in turn is the one that comes later, and so the one that dials and is dialled.
  await stock.kill()
  await until('the links of the stock router are gone', async () => (await pairs()).join() === wanted[0])
  stock.restart()
  await until('one link for each pair after the stock router came back', isMeshed, { within: PATIENCE, every: 200 })
  await first.kill()
  await first.run()
  await until('one link for each pair after ours came back', isMeshed, { within: PATIENCE, every: 200 })

  running.use(await runOurs(network, client, 'ours3', 'only accepts'))
  running.use(await runOurs(network, client, 'ours4', 'only dials'))
  const dialled = [
    'ours1>ours3',
    'ours2>ours3',
    'ours4>ours1',
    'ours4>ours2',
    'ours4>ours3',
    'ours4>stock1',
    'stock1>ours3',
  ]
  const directions = async () =>
    (await links(network, client.token!))
      .filter(({ state }) => state === 'Connected')
      .map(({ sourceRouter, destRouter }) => `${sourceRouter.name}>${destRouter.name}`)
  const isDialledBothWays = async () => new Set(dialled).isSubsetOf(new Set(await directions()))
  await until('stock dials ours, and ours dials stock', isDialledBothWays, { within: PATIENCE, every: 200 })
  assert.equal((await directions()).length, 10, 'five routers, one link for each pair')
  for (const router of [first, second]) assert.ok(!router.child.hasEnded, router.child.stderr)

  const { cli } = network
  const routers = readTable(await cli.says('fabric', 'list', 'routers'))
  assert.deepEqual(
    routers.map((row) => [row['NAME'], row['ONLINE']]).sort(),
    ['ours1', 'ours2', 'ours3', 'ours4', 'stock1'].map((name) => [name, 'true']),
  )
  const listed = readTable(await cli.says('fabric', 'list', 'links', 'true limit none'))
  assert.deepEqual(
    listed.map((row) => `${row['DIALER']}>${row['ACCEPTOR']} ${row['STATE']} ${row['STATUS']}`).sort(),
    (await directions()).map((pair) => `${pair} Connected up`).sort(),
  )
  for (const what of ['router-links', 'router-data-model']) {
    assert.match(await cli.says('fabric', 'validate', what), /\b0 errors found/, what)
  }
  for (const what of ['router-controllers', 'links', 'router-data-model', 'router-data-model-index', 'metrics']) {
    const inspected = await cli.says('fabric', 'inspect', what)
    for (const { routerId } of [first, second]) assert.ok(inspected.includes(`${routerId}.${what}`), inspected)
  }
}

test('stock and our routers make a mesh under our controller', limit, async () => {
  await using folder = await temporaryFolder('peer-mesh')
  await using controller = await ControllerProcess.start()
  const cli = new PeerCli(folder.path)
  const { url, ca, home, port } = controller
  const credentials = ['-u', admin.username, '-p', admin.password]
  await cli.says('edge', 'login', url, ...credentials, '--ca', join(home, 'pki', 'cas.pem'))
  await checkMesh({ url, ca, cli, folder: folder.path, controlAddress: `127.0.0.1:${port}` })
})

test('stock and our routers make a mesh under the stock controller', limit, async () => {
  await using folder = await temporaryFolder('peer-mesh')
  await using controller = await PeerController.startFromNothing(folder.path)
  const { url, ca, cli, controlAddress } = controller
  await checkMesh({ url, ca, cli, controlAddress, folder: folder.path })
})
