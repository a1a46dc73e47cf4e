/** What operators do with a stock router, and what it does by itself, over its control channel with our controller. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { ApiClient } from '../kit/api-client.ts'
import { ControllerProcess } from '../kit/controller-process.ts'
import { freePort } from '../kit/free-port.ts'
import { initialised } from '../kit/initialised.ts'
import { until } from '../kit/patience.ts'
import { temporaryFolder } from '../kit/temporary-folder.ts'
import { PeerCli } from './peer-cli.ts'
import { StockRouter } from './stock-router.ts'

const made = new AsyncDisposableStack()
after(() => made.disposeAsync())
const folder = made.use(await temporaryFolder('router-operations'))
const cli = new PeerCli(folder.path)
const eventFile = join(folder.path, 'events.json')
const events = {
  alerts: { subscriptions: [{ type: 'alert' }], handler: { type: 'file', format: 'json', path: eventFile } },
}
const configuration = await initialised(join(folder.path, 'controller'), {
  bindings: ['fabric'],
  sections: `events: ${JSON.stringify(events)}`,
})
const controller = made.use(await ControllerProcess.run(configuration))
const admin = made.use(await ApiClient.login(controller))
const fabric = made.use(new ApiClient(controller, { base: '/fabric/v1', token: admin.token! }))
const place = { admin: () => admin, controlAddress: `127.0.0.1:${configuration.port}`, folder: folder.path }

/** A router that hosts a service itself, and the service. */
async function hostingRouter(name: string) {
  const router = made.use(await StockRouter.start(place, name, { tunnel: { mode: 'host' } }))
  const [hostConfig] = await admin.list('/config-types', 'name = "host.v1"')
  const data = { protocol: 'tcp', address: '127.0.0.1', port: 9 }
  const configId = await admin.create('configs', { name: `${name} host`, configTypeId: hostConfig!['id'], data })
  const serviceId = await admin.create('services', { name, encryptionRequired: true, configs: [configId] })
  const semantic = 'AnyOf'
  const serviceRoles = [`@${serviceId}`]
  const edgeRouterRoles = [`@${router.id}`]
  const identityRoles = [`@${router.id}`]
  await admin.create('edge-router-policies', { name, semantic, identityRoles, edgeRouterRoles })
  await admin.create('service-edge-router-policies', { name, semantic, serviceRoles, edgeRouterRoles })
  await admin.create('service-policies', { name, type: 'Bind', semantic, serviceRoles, identityRoles })
  return { router, serviceId }
}

const { router, serviceId } = await hostingRouter('r1')

async function terminator() {
  const [own] = await admin.list('/terminators', `service = "${serviceId}"`)
  return own
}

test('a tunneling router hosts what its identity may, and is online as an identity', { timeout: 60_000 }, async () => {
  await until('the router hosts the service', async () => (await terminator()) !== undefined)
  const own = await terminator()
  assert.equal(own!['binding'], 'tunnel')
  assert.equal((await admin.detail(`/identities/${router.id}`))['edgeRouterConnectionStatus'], 'online')
})

test('a router renews its certificates over its channel, and comes back with them', { timeout: 90_000 }, async () => {
  const fingerprint = async () => (await admin.detail(`/edge-routers/${router.id}`))['fingerprint']
  const before = await fingerprint()
  await router.kill()
  await router.isOnline(false)
  router.restart('--extend')
  await until('the router has a new certificate', async () => (await fingerprint()) !== before, { within: 30_000 })
  const renewed = await fingerprint()
  await router.isOnline(true)
  // It has been confirmed and written when the router is known by it; give the file a moment.
  await until('the router has written it', async () => router.log.includes('enrollment extension'), { within: 10_000 })
  await router.kill()
  await router.isOnline(false)
  router.restart('--cliagent=true')
  await router.isOnline(true)
  assert.equal(await fingerprint(), renewed)
})

test('a router is taken out of service, put back, and leaves for good', { timeout: 90_000 }, async () => {
  const precedence = (wanted: string) =>
    until(`the terminator is ${wanted}`, async () => (await terminator())?.['precedence'] === wanted)
  await precedence('default')
  const agent = (operation: string) => cli.run('agent', 'router', operation, '--pid', `${router.pid}`)
  const quiesced = await agent('quiesce')
  assert.equal(quiesced.status, 0, quiesced.stderr)
  await precedence('failed')
  const dequiesced = await agent('dequiesce')
  assert.equal(dequiesced.status, 0, dequiesced.stderr)
  await precedence('default')
  await agent('decommission')
  await until('the router is gone', async () => (await admin.list('/edge-routers', `id = "${router.id}"`)).length === 0)
  assert.equal(await terminator(), undefined)
})

test('a router takes its links from a config of the controller, and reports one that it cannot use', {
  timeout: 90_000,
}, async () => {
  const configTypeId = (await admin.list('/config-types', 'name = "router.link.v1"'))[0]!['id']
  const linkConfig = async (name: string, host: string) => {
    const bind = `tls:${host}:${await freePort()}`
    const data = { listeners: [{ binding: 'transport', bind, advertise: bind }], dialers: [{ binding: 'transport' }] }
    return { id: await admin.create('configs', { name, configTypeId, data }), bind }
  }
  const good = await linkConfig('good', '127.0.0.1')
  const sections = { link: undefined, managedConfig: { allow: ['all'] } }
  await using managed = await StockRouter.start(place, 'managed', { sections, row: { configs: [good.id] } })
  await using peer = await StockRouter.start(place, 'peer')
  const listeners = async () => {
    const { listenerAddresses } = await fabric.detail(`/routers/${managed.id}`)
    return ((listenerAddresses ?? []) as { address: string }[]).map(({ address }) => address)
  }
  await until('the router listens for links', async () => (await listeners()).includes(good.bind))
  await until('another router has dialled it', async () => managed.log.includes(peer.id))
  // Nobody here has this address: it is kept for documents.
  const bad = await linkConfig('bad', '192.0.2.1')
  const changed = await admin.patch(`/edge-routers/${managed.id}`, { configs: [bad.id] })
  assert.equal(changed.status, 200, changed.text)
  await until('the alert is told', async () => {
    const lines = (await readFile(eventFile, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
    const alerts = lines.map((line) => JSON.parse(line))
    return alerts.some((alert) => alert['alert_source_type'] === 'router' && alert['alert_source_id'] === managed.id)
  })
})
