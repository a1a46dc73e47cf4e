/** What the events on a management stream tell: every namespace, in order, and whose doing it was. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiClient, assertRefused, type Json } from './kit/api-client.ts'
import { TestStream } from './kit/management-stream.ts'
import { until } from './kit/patience.ts'
import { sharedStart } from './kit/running.ts'
import { TestRouter } from './kit/test-router.ts'

const running = sharedStart()
const limits = { timeout: 60_000 }

async function open(): Promise<TestStream> {
  const { controller, admin } = running()
  return await TestStream.open(controller, admin.token)
}

test('events come in the order in which things happen', limits, async () => {
  const { admin } = running()
  await using stream = await open()
  const { success } = await stream.subscribe(
    { type: 'router' },
    { type: 'link' },
    { type: 'terminator' },
    { type: 'metrics', options: { sourceFilter: '.*', metricFilter: 'mean$' } },
    { type: 'usage', options: { version: 3 } },
    { type: 'connect' },
    { type: 'alert' },
    { type: 'sdk' },
    { type: 'fabric.circuits' },
    { type: 'service' },
    { type: 'entityCount', options: { interval: '1s' } },
    { type: 'entityChange' },
  )
  assert.equal(success, true)
  const [router, other] = await Promise.all([TestRouter.enroll(admin, 'told'), TestRouter.enroll(admin, 'told-too')])
  const identityId = await admin.create('identities', { name: 'told', type: 'Default', isAdmin: false })
  const serviceId = await admin.create('services', { name: 'told', encryptionRequired: false })
  const terminator = { service: serviceId, router: router.id, binding: 'transport', address: 'tcp:127.0.0.1:9' }
  const terminatorId = await admin.create('terminators', terminator)
  await stream.event({
    namespace: 'terminator',
    event_type: 'created',
    terminator_id: terminatorId,
    router_online: false,
  })
  await using far = await other.connect()
  {
    await using connected = await router.connect()
    await stream.event({ namespace: 'router', event_type: 'router-online', router_id: router.id, router_online: true })
    await stream.event({ namespace: 'terminator', event_type: 'router-online', terminator_id: terminatorId })
    const came = await stream.event({ namespace: 'connect', src_type: 'router', src_id: router.id, dst_type: 'ctrl' })
    assert.match(String(came['src_addr']), /^127\.0\.0\.1:\d+$/)
    const called = await stream.event({ namespace: 'connect', src_type: 'identity', dst_id: 'controller' })
    assert.match(String(called['src_addr']), /^127\.0\.0\.1:\d+$/)
    await connected.reportLink('told-link', far.id)
    await stream.event({ namespace: 'link', event_type: 'routerLinkNew', link_id: 'told-link', dst_router_id: far.id })

    const values = new Map([
      ['ingress.rx', 5n],
      ['egress.tx', 7n],
    ])
    const buckets = new Map([['told-circuit', { values, tags: new Map([['serviceId', serviceId]]) }]])
    const mean = 1_500_000
    await connected.send('metrics', {
      body: {
        sourceId: 'somebody else',
        histograms: new Map([['link.told-link.latency', { count: 1n, mean, p50: 3 }]]),
        usageCounters: [{ intervalStartUTC: 60, intervalLength: 60, buckets }],
      },
    })
    const measured = await stream.event({ namespace: 'metrics', source_id: router.id, source_entity_id: 'told-link' })
    assert.deepEqual([measured['metric'], measured['metrics']], ['link.latency', { mean }], 'only what was asked for')
    assert.deepEqual(measured['tags'], { sourceRouterId: router.id, targetRouterId: far.id })
    const used = await stream.event({ namespace: 'usage', circuit_id: 'told-circuit', source_id: router.id })
    assert.deepEqual([used['version'], used['usage']], [3, { 'ingress.rx': 5, 'egress.tx': 7 }])

    const alert = {
      sourceType: 'self',
      severity: 'error',
      message: 'no port',
      relatedEntities: new Map([['self', 'ert']]),
    }
    await connected.send('alerts', { body: { alerts: [alert] } })
    const told = await stream.event({ namespace: 'alert', alert_source_id: router.id, message: 'no port' })
    assert.deepEqual(told['related_entities'], { router: router.id, identity: router.id })

    const connectTimes = [{ connectTime: 1_700_000_000_000, srcAddr: '10.0.0.1:5', dstAddr: '10.0.0.2:6' }]
    await connected.send('connectEvents', { body: { events: [{ identityId, isConnected: true, connectTimes }] } })
    await stream.event({ namespace: 'sdk', event_type: 'sdk-online', identity_id: identityId })
    const seen = await stream.event({ namespace: 'connect', src_id: identityId, dst_id: router.id })
    assert.equal(seen['timestamp'], '2023-11-14T22:13:20.000Z')
  }
  await stream.event({ namespace: 'link', event_type: 'fault', link_id: 'told-link' })
  await stream.event({ namespace: 'router', event_type: 'router-offline', router_id: router.id })
  await stream.event({ namespace: 'terminator', event_type: 'router-offline', terminator_id: terminatorId })
  await stream.event({ namespace: 'sdk', event_type: 'sdk-status-unknown', identity_id: identityId })
  const { counts } = (await stream.event({ namespace: 'entityCount' })) as { counts: Json }
  assert.deepEqual(counts, { ...(await admin.detail('/summary')), ...counts }, 'the same kinds as in the summary')
  assert.ok('routers.edge' in counts)
  const ofRouter = stream.events.filter((event) => event['namespace'] === 'router' && event['router_id'] === router.id)
  assert.deepEqual(
    ofRouter.map((event) => event['event_type']),
    ['router-online', 'router-offline'],
  )
  const { kinds } = stream
  assert.deepEqual(
    [kinds.get('router'), kinds.get('usage'), kinds.get('entityChange')],
    ['router', 'usage.v3', 'entity.change'],
  )
})

test('changes name who made them, and sessions are among them', limits, async () => {
  const { controller, admin } = running()
  await using stream = await open()
  await stream.subscribe({ type: 'entityChange' })
  const router = await TestRouter.enroll(admin, 'author')
  const ofRouter = (type: string, id: string) =>
    until(`${id} ${type}`, () =>
      stream.events.find(
        ({ eventType, finalState }) => eventType === type && (finalState as Json | null)?.['id'] === id,
      ),
    )
  const metadata = async (type: string, id: string) => (await ofRouter(type, id))['metadata'] as Record<string, Json>
  const enrolled = await metadata('updated', router.id)
  assert.deepEqual(enrolled['author'], { type: 'router', id: router.id, name: 'author' })
  assert.match(String(enrolled['source']!['remoteAddr']), /^127\.0\.0\.1:\d+$/)
  using another = await ApiClient.login(controller)
  const session = await another.detail('/current-api-session')
  const opened = await metadata('created', String(session['id']))
  assert.equal(opened['author']!['type'], 'identity')
  const shown = JSON.stringify(stream.events)
  assert.ok(!shown.includes(another.token!), 'no token is shown')
  await another.delete('/current-api-session')
  await until('its end is told', () =>
    stream.events.some(({ eventType, initialState }) => {
      return eventType === 'deleted' && (initialState as Json)['id'] === session['id']
    }),
  )
})

test(
  'what a router hosts for an identity it changes itself; what is hosted in nobody’s name is the operator’s',
  limits,
  async () => {
    const { controller, admin } = running()
    const router = await TestRouter.enroll(admin, 'owner', { isTunnelerEnabled: true })
    await using connected = await router.connect()
    using api = new ApiClient(controller, { base: '/fabric/v1', token: admin.token! })
    const service = await admin.create('services', { name: 'owned', encryptionRequired: false })
    const policy = { name: 'owned', semantic: 'AnyOf', serviceRoles: [`@${service}`] }
    await admin.create('service-policies', { ...policy, type: 'Bind', identityRoles: [`@${router.id}`] })
    await admin.create('service-edge-router-policies', { ...policy, edgeRouterRoles: ['#all'] })
    const hosted = await connected.request('createTunnelTerminatorV2', {
      body: { address: 'owned', serviceId: service },
    })
    assert.equal((hosted.message as { body: Json }).body['result'], 'Success')
    for (const refused of [
      await api.patch('/terminators/owned', { cost: 3 }),
      await admin.patch('/terminators/owned', { cost: 3 }),
    ]) {
      assertRefused(refused, 400, 'ENTITY_CAN_NOT_BE_UPDATED')
    }
    assert.equal((await api.delete('/terminators/owned')).status, 200)

    const nobodys = await api.create('services', { name: 'of nobody', terminatorStrategy: 'smartrouting' })
    const body = { serviceId: nobodys, binding: 'transport', address: 'tcp:127.0.0.1:9' }
    const { message } = await connected.request('fabricCreateTerminator', { body })
    const path = `/terminators/${(message as { body: string }).body}`
    assert.equal((await api.patch(path, { cost: 3 })).status, 200)
    assert.equal((await api.delete(path)).status, 200)
  },
)

test('a subscription that cannot be meant is refused, and the stream goes on', limits, async () => {
  await using stream = await open()
  const cases = [
    [{ type: 'nothing' }, /unknown event type/],
    [{ type: 'usage', options: { version: 4 } }, /wanted 2 or 3/],
    [{ type: 'metrics', options: { metricFilter: '(' } }, /missing closing \)/],
    [{}, /has no type/],
  ] as const
  for (const [subscription, why] of cases) {
    const { success, body } = await stream.subscribe(subscription as Json)
    assert.equal(success, false)
    assert.match(body, why)
  }
  for (const body of ['{', 'null', '{"format":"xml"}', '{"format":"json","subscriptions":7}']) {
    assert.equal((await stream.request('streamEvents', { body })).message.success, false)
  }
  assert.equal((await stream.subscribe({ type: 'circuit', options: null })).success, true)
})
