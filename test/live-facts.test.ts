/** What the APIs show of routers while these come and go. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiClient, type Json } from './kit/api-client.ts'
import { clientApi, enrolledPassword } from './kit/enrolled.ts'
import { until } from './kit/patience.ts'
import { sharedStart } from './kit/running.ts'
import { TestRouter } from './kit/test-router.ts'

const running = sharedStart()
const limits = { timeout: 60_000 }

const fabric = () => {
  const { controller, admin } = running()
  return new ApiClient(controller, { base: '/fabric/v1', token: admin.token! })
}

test('a router is online with what it says of itself, and offline when its channel ends', limits, async () => {
  const { admin } = running()
  const router = await TestRouter.enroll(admin, 'comes-and-goes')
  const detail = () => admin.detail(`/edge-routers/${router.id}`)
  const before = await detail()
  assert.deepEqual([before['isVerified'], before['isOnline'], before['syncStatus']], [true, false, 'SYNC_UNKNOWN'])
  {
    await using connected = await router.connect({
      version: 'v1.9.9',
      hostname: 'edge.example.net',
      protocols: { tls: { hostname: 'edge.example.net', port: 3022 } },
      linkAddress: 'tls:127.0.0.1:6000',
    })
    const online = await until('it is synchronised', async () => {
      const found = await detail()
      return found['syncStatus'] === 'SYNC_DONE' && found
    })
    assert.equal(online['isOnline'], true)
    assert.equal(online['hostname'], 'edge.example.net')
    assert.deepEqual(online['supportedProtocols'], { tls: 'tls://edge.example.net:3022' })
    const { version, revision, os, arch } = online['versionInfo'] as Json
    assert.deepEqual([version, revision, os, arch], ['v1.9.9', 'a1b2c3d4', 'linux', 'amd64'])

    using api = fabric()
    const shown = await api.detail(`/routers/${router.id}`)
    assert.equal(shown['connected'], true)
    assert.deepEqual(shown['listenerAddresses'], [{ address: 'tls:127.0.0.1:6000', protocol: 'tls' }])

    const flags = 1 | 32
    const eth0 = { name: 'eth0', hardwareAddress: '00:11:22:33:44:55', mtu: 1500, index: 2, flags }
    await connected.request('updateRouterInterfaces', {
      body: { interfaces: [{ ...eth0, addresses: ['10.0.0.1/8'] }] },
    })
    const [shownInterface] = (await detail())['interfaces'] as Json[]
    assert.equal(shownInterface!['name'], 'eth0')
    assert.deepEqual([shownInterface!['isUp'], shownInterface!['isLoopback']], [true, false])
  }
  const gone = await until('it is offline', async () => {
    const found = await detail()
    return found['isOnline'] === false && found
  })
  assert.equal(gone['syncStatus'], 'SYNC_UNKNOWN')
  assert.equal((gone['interfaces'] as Json[]).length, 1, 'what is stored stays')
})

test('lists, details and clients are told the same of a router', limits, async () => {
  const { controller, admin } = running()
  const router = await TestRouter.enroll(admin, 'told-to-clients', { roleAttributes: ['told-to-clients'] })
  const identityId = await enrolledPassword(admin, 'told', 'correct horse battery')
  const serviceId = await admin.create('services', { name: 'told', encryptionRequired: false })
  const [semantic, edgeRouterRoles] = ['AnyOf', ['#told-to-clients']]
  const [identityRoles, serviceRoles] = [[`@${identityId}`], [`@${serviceId}`]]
  await admin.create('edge-router-policies', { name: 'told', semantic, edgeRouterRoles, identityRoles })
  await admin.create('service-edge-router-policies', { name: 'told', semantic, edgeRouterRoles, serviceRoles })
  await admin.create('service-policies', { name: 'told', type: 'Dial', semantic, identityRoles, serviceRoles })
  const credentials = { username: 'told', password: 'correct horse battery' }
  using client = await ApiClient.login(controller, credentials, { base: clientApi })
  using api = fabric()
  const hasSession = async () => (await admin.detail(`/identities/${identityId}`))['hasApiSession']
  assert.equal(await hasSession(), true)

  const byId = (list: Json[]) => list.find(({ id, name }) => (id ?? name) === router.id || name === router.name)
  const everywhere = async () => {
    const filter = `id = "${router.id}"`
    const places = [
      byId(await admin.list('/edge-routers', filter)),
      byId(await admin.list('/routers', filter)),
      byId(await admin.list('/transit-routers', filter)),
      byId(await admin.list(`/identities/${identityId}/edge-routers`)),
      byId(await admin.list(`/services/${serviceId}/edge-routers`)),
      byId(await client.list('/current-identity/edge-routers')),
    ]
    return places.map((place) => place?.['isOnline'])
  }
  const online = (isOnline: boolean) => Array.from({ length: 6 }, () => isOnline)
  assert.deepEqual(await everywhere(), online(false))
  {
    await using _ = await router.connect({ protocols: { tls: { hostname: 'edge.example.net', port: 3022 } } })
    await until('it has said where clients find it', async () => {
      const { supportedProtocols } = await admin.detail(`/edge-routers/${router.id}`)
      return Object.keys(supportedProtocols as Json).length > 0
    })
    assert.deepEqual(await everywhere(), online(true))
    const detail = await admin.detail(`/edge-routers/${router.id}`)
    assert.deepEqual(detail['capabilities'], ['MULTI_CHANNEL'])
    const [mine] = await client.list('/current-identity/edge-routers')
    assert.deepEqual(mine!['supportedProtocols'], { tls: 'tls://edge.example.net:3022' })
    const { edgeRouters } = (await client.detail(`/services/${serviceId}/edge-routers`)) as { edgeRouters: Json[] }
    assert.deepEqual([edgeRouters[0]!['name'], edgeRouters[0]!['isOnline']], [router.name, true])
    const connected = await api.list('/routers', 'connected = true')
    assert.ok(connected.some(({ id }) => id === router.id))
  }
  await until('it is offline everywhere', async () => (await everywhere()).every((isOnline) => isOnline === false))
  assert.ok(!(await api.list('/routers', 'connected = true')).some(({ id }) => id === router.id))
  await client.delete('/current-api-session')
  assert.equal(await hasSession(), false)
})

test('links are those that their dialers report, as long as these are there', limits, async () => {
  const { admin } = running()
  using api = fabric()
  const [dialer, acceptor] = await Promise.all([
    TestRouter.enroll(admin, 'dialer'),
    TestRouter.enroll(admin, 'acceptor'),
  ])
  const linksOf = async () => {
    const links = await api.list('/links')
    return links.filter((link) => (link['sourceRouter'] as Json)['id'] === dialer.id)
  }
  await using _ = await acceptor.connect()
  {
    await using connected = await dialer.connect()
    await connected.reportLink('link-one', acceptor.id)
    const [link] = await until('the link is shown', async () => {
      const links = await linksOf()
      return links.length > 0 && links
    })
    assert.equal((link!['destRouter'] as Json)['name'], 'acceptor')
    assert.deepEqual([link!['state'], link!['down'], link!['staticCost']], ['Connected', false, 1])
    assert.deepEqual(link!['connections'], [
      { type: 'link.default', source: 'tcp:127.0.0.1:1', dest: 'tcp:127.0.0.1:2' },
    ])

    const mean = 2_000_000.5
    const distribution = { count: 1n, max: 2_000_000n, min: 2_000_000n, mean }
    const histograms = new Map([['link.link-one.latency', distribution]])
    await connected.send('metrics', { body: { sourceId: dialer.id, histograms } })
    await until(
      'its latency is that which was measured',
      async () => (await linksOf())[0]!['sourceLatency'] === 2_000_001,
    )

    await api.patch('/links/link-one', { staticCost: 50, down: true })
    const adjusted = await api.detail('/links/link-one')
    assert.deepEqual([adjusted['staticCost'], adjusted['down']], [50, true])
    assert.equal((await api.delete('/links/link-one')).status, 200)
    assert.deepEqual(await linksOf(), [])
    await connected.reportLink('link-one', acceptor.id, 2)
    await until('the link is there again', async () => (await linksOf()).length === 1)
  }
  await until('its links go with the dialer', async () => (await linksOf()).length === 0)
})

test('the policy advisor counts the routers that are online', limits, async () => {
  const { admin } = running()
  const [up, down] = await Promise.all([
    TestRouter.enroll(admin, 'advised-up', { roleAttributes: ['advised'] }),
    TestRouter.enroll(admin, 'advised-down', { roleAttributes: ['advised'] }),
  ])
  const identity = { name: 'advised', type: 'Default', isAdmin: false, roleAttributes: ['advised'] }
  const identityId = await admin.create('identities', identity)
  const serviceId = await admin.create('services', { name: 'advised', encryptionRequired: false })
  const semantic = 'AnyOf'
  await admin.create('service-policies', {
    ...{ name: 'advised', type: 'Dial', semantic },
    ...{ identityRoles: [`@${identityId}`], serviceRoles: [`@${serviceId}`] },
  })
  const edgeRouterRoles = ['#advised']
  await admin.create('edge-router-policies', {
    name: 'advised',
    semantic,
    edgeRouterRoles,
    identityRoles: ['#advised'],
  })
  const serviceRoles = [`@${serviceId}`]
  await admin.create('service-edge-router-policies', { name: 'advised', semantic, edgeRouterRoles, serviceRoles })
  const advice = async () => {
    const found = await admin.detail(`/identities/${identityId}/policy-advice/${serviceId}`)
    const common = found['commonRouters'] as Json[]
    const online = common.filter(({ isOnline }) => isOnline).map(({ id }) => id)
    return { common: common.length, online }
  }
  assert.deepEqual(await advice(), { common: 2, online: [] })
  {
    await using _ = await up.connect()
    assert.deepEqual(await advice(), { common: 2, online: [up.id] })
    await using __ = await down.connect()
    assert.deepEqual((await advice()).online.sort(), [up.id, down.id].sort())
  }
  await until('nobody is online again', async () => (await advice()).online.length === 0)
})

test('identities are online where routers say so', limits, async () => {
  const { admin } = running()
  const router = await TestRouter.enroll(admin, 'sees-identities', { isTunnelerEnabled: true })
  const identityId = await admin.create('identities', { name: 'seen', type: 'Default', isAdmin: false })
  const status = async (id: string) => (await admin.detail(`/identities/${id}`))['edgeRouterConnectionStatus']
  assert.deepEqual([await status(identityId), await status(router.id)], ['offline', 'offline'])
  {
    await using connected = await router.connect()
    assert.equal(await status(router.id), 'online', 'a tunneler is an identity too')
    await connected.send('connectEvents', { body: { events: [{ identityId, isConnected: true }], fullState: true } })
    await until('it is online', async () => (await status(identityId)) === 'online')
  }
  await until('nobody knows', async () => (await status(identityId)) === 'unknown')
  await using connected = await router.connect()
  await connected.send('connectEvents', { body: { events: [], fullState: true } })
  await until('it is offline', async () => (await status(identityId)) === 'offline')
})
