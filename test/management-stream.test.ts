/** The management stream over a real connection: who gets in, events, inspections, validations, and who is cut off. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { managementMessages } from '@weft/wire/messages'
import { ApiClient, type Json } from './kit/api-client.ts'
import { enrolledPassword } from './kit/enrolled.ts'
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

test('only administrators and those with all rights on operations get in', limits, async () => {
  const { controller, admin } = running()
  await assert.rejects(TestStream.open(controller, undefined), /refused with 401/)
  await assert.rejects(TestStream.open(controller, 'no session'), /refused with 401/)
  const password = 'Reader-pass-1'
  const cases = [
    [['admin_readonly', 'ops.read'], false],
    [['ops'], true],
  ] as const
  for (const [permissions, isAllowed] of cases) {
    const username = `may-${permissions.join('-')}`
    const id = await enrolledPassword(admin, username, password)
    await admin.patch(`/identities/${id}`, { permissions })
    using caller = await ApiClient.login(controller, { username, password })
    const opening = TestStream.open(controller, caller.token)
    if (isAllowed) await using(await opening)
    else await assert.rejects(opening, /refused with 401/)
  }
  using plain = new ApiClient(controller, { base: '/fabric/v1', token: admin.token! })
  const reply = await plain.get('/ws-api')
  assert.deepEqual([reply.status, reply.text], [400, 'Bad Request\n'])
  using anonymous = new ApiClient(controller, { base: '/fabric/v1' })
  assert.equal((await anonymous.get('/ws-api')).status, 401)
})

test('a stream ends with the permission of whoever opened it', limits, async () => {
  const { controller, admin } = running()
  const credentials = { username: 'operator', password: 'Operator-pass-1' }
  const id = await enrolledPassword(admin, credentials.username, credentials.password)
  await admin.patch(`/identities/${id}`, { permissions: ['ops'] })
  using first = await ApiClient.login(controller, credentials)
  await using stays = await TestStream.open(controller, first.token)
  assert.equal((await first.delete('/current-api-session')).status, 200)
  await stays.channel.closed
  using second = await ApiClient.login(controller, credentials)
  await using stream = await TestStream.open(controller, second.token)
  await admin.patch(`/identities/${id}`, { permissions: ['ops.read'] })
  await stream.channel.closed
})

test('inspections ask those whose id or name matches', limits, async () => {
  const { controller, admin } = running()
  const router = await TestRouter.enroll(admin, 'inspected')
  const inspections = { links: { links: [] }, note: 'plain text' }
  await using _ = await router.connect({ inspections })
  await using stream = await open()
  const { message } = await stream.request('inspect', {
    body: { appRegex: '^(inspected|controller)$', requestedValues: ['note', 'links', 'connected-routers', 'nothing'] },
  })
  const { success, values } = message.body
  const answered = values.map(({ appId, name }) => `${appId === router.id ? 'router' : appId} ${name}`).sort()
  assert.deepEqual(answered, ['controller connected-routers', 'router links', 'router note'])
  assert.equal(success, true)
  const routers = values.find(({ name }) => name === 'connected-routers')
  assert.ok((JSON.parse(routers!.value) as Json[]).some(({ id }) => id === router.id))

  using api = new ApiClient(controller, { base: '/fabric/v1', token: admin.token! })
  const reply = await api.post('/inspections', { appRegex: router.id, requestedValues: ['note', 'links'] })
  const { values: shown } = reply.body as unknown as { values: Json[] }
  assert.deepEqual(shown, [
    { appId: router.id, name: 'note', value: 'plain text' },
    { appId: router.id, name: 'links', value: { links: [] } },
  ])
  const bad = await stream.request('inspect', { body: { appRegex: '(', requestedValues: ['links'] } })
  assert.deepEqual(bad.message.body.errors, ['controller: error parsing regexp: missing closing ): `(`'])
})

test('metrics are inspected as events, and as Prometheus reads them', limits, async () => {
  const { controller, admin } = running()
  const router = await TestRouter.enroll(admin, 'measured')
  const metrics = {
    sourceId: 'somebody else',
    timestamp: { seconds: 1_700_000_000, nanos: 500_000_000 },
    intValues: { 'edge.connections': 3 },
    histograms: { 'link.l1.latency': { count: 2, mean: 1.5, p50: 1 } },
  }
  await using _ = await router.connect({
    inspections: { metrics, 'metrics:prometheus': metrics, 'metrics:odd': metrics },
  })
  using api = new ApiClient(controller, { base: '/fabric/v1', token: admin.token! })
  const inspect = async (value: string, appRegex = router.id) => {
    const reply = await api.post('/inspections', { appRegex, requestedValues: [value] })
    const { values } = reply.body as unknown as { values: { value: unknown }[] }
    return values[0]!.value
  }
  const [connections, latency] = (await inspect('metrics')) as Json[]
  const { namespace, event_src_id, source_id, metric_type, metric, timestamp } = connections!
  assert.deepEqual([namespace, event_src_id, source_id], ['metrics', 'controller', router.id])
  assert.deepEqual([metric_type, metric, connections!['metrics']], ['intValue', 'edge.connections', { value: 3 }])
  assert.equal(timestamp, '2023-11-14T22:13:20.500Z')
  assert.deepEqual([latency!['metric'], latency!['source_entity_id']], ['link.latency', 'l1'])
  const [text] = (await inspect('metrics:prometheus')) as string[]
  const name = 'ziti_edge_connections'
  const head = `# HELP ${name} ${name}\n# TYPE ${name} gauge\n`
  assert.equal(text, `${head}${name}{source_id="${router.id}"} 3 1700000000500\n`)
  assert.deepEqual(await inspect('metrics:odd'), metrics, 'a format that nobody knows changes nothing')
  const own = (await inspect('metrics', '^controller$')) as Json[]
  assert.ok(own.some((event) => event['source_id'] === 'controller' && event['metric'] === 'weft_http_requests_total'))
})

test('the controller shows what routers are told', limits, async () => {
  const { admin } = running()
  const serviceId = await admin.create('services', { name: 'shown to routers', encryptionRequired: true })
  const identityId = await admin.create('identities', { name: 'shown to routers', type: 'Default', isAdmin: false })
  const roles = { serviceRoles: [`@${serviceId}`], identityRoles: [`@${identityId}`] }
  const policy = { name: 'shown to routers', type: 'Dial', semantic: 'AnyOf', ...roles }
  const policyId = await admin.create('service-policies', policy)
  await using stream = await open()
  const { message } = await stream.request('inspect', {
    body: { appRegex: '^controller$', requestedValues: ['router-data-model'] },
  })
  const shown = JSON.parse(message.body.values[0]!.value) as Record<string, Record<string, Json>>
  assert.equal(shown['services']?.[serviceId]?.['name'], 'shown to routers')
  const { services, identities, policyType } = shown['servicePolicies']![policyId]!
  assert.deepEqual([services, identities, policyType], [[serviceId], [identityId], 'DialPolicy'])
})

test('validations tell how many results follow, and what differs', limits, async () => {
  const { admin } = running()
  const [router, other] = await Promise.all([
    TestRouter.enroll(admin, 'judged'),
    TestRouter.enroll(admin, 'judged-too'),
  ])
  const found = { id: 'unknown-link', dest: 'nobody', dialed: true }
  const circuits = { 'stray-circuit': { id: 'stray-circuit', ctrlId: 'controller', destinations: {} } }
  const inspections = {
    links: { links: [found] },
    'router-circuits': { circuits },
    'sdk-terminators': { entries: [{ id: 'stray', state: 'established' }] },
  }
  await using _ = await other.connect()
  await using connected = await router.connect({ inspections })
  await connected.reportLink('believed-link', other.id)
  await using stream = await open()
  const body = { filter: `name = "judged" or name = "absent"` }
  const links = stream.collect('linksResult')
  const started = await stream.request('validateLinks', { body })
  assert.deepEqual([started.message.body.success, started.message.body.count], [true, 1])
  const { details } = (await until('links are validated', () => links[0])).body
  assert.deepEqual(
    details.map(({ linkId, isValid, ctrlState, routerState }) => [linkId, isValid, ctrlState, routerState]),
    [
      ['unknown-link', true, 'LinkUnknown', 'LinkEstablished'],
      ['believed-link', false, 'LinkEstablished', 'LinkUnknown'],
    ],
  )
  const circuitResults = stream.collect('circuitsResult')
  await stream.request('validateCircuits', { body })
  const [stray] = (await until('circuits are validated', () => circuitResults[0])).body.details.values()
  assert.deepEqual([stray!.circuitId, stray!.missingInCtrl, stray!.missingInForwarder], ['stray-circuit', true, false])
  const hosted = stream.collect('sdkTerminatorsResult')
  await stream.request('validateSdkTerminators', { body })
  const [terminator] = (await until('terminators are validated', () => hosted[0])).body.details
  assert.deepEqual([terminator!.terminatorId, terminator!.isValid], ['stray', false])

  const bad = await stream.request('validateLinks', { body: { filter: 'name ~ ' } })
  assert.equal(bad.message.body.success, false)
  const dialers = await stream.request('validateControllerDialers', {})
  assert.match(dialers.message.body.message, /not enabled/)
})

test('terminators that are not hosted are told, and deleted when asked', limits, async () => {
  const { admin } = running()
  const [router, away] = await Promise.all([TestRouter.enroll(admin, 'hosting'), TestRouter.enroll(admin, 'not-there')])
  const service = await admin.create('services', { name: 'hosted', encryptionRequired: false })
  const create = (at: TestRouter) =>
    admin.create('terminators', { service, router: at.id, binding: 'transport', address: 'tcp:127.0.0.1:9' })
  const [kept, lost, unknown] = [await create(router), await create(router), await create(away)]
  await using stream = await open()
  const results = stream.collect('terminatorResult')
  const hosts = stream.collect('terminatorHostResult')
  const validate = async (fixInvalid: boolean) => {
    results.length = 0
    const body = { terminatorsFilter: `service = "${service}"`, fixInvalid, expectedPerSvcAndHost: 9 }
    const { message } = await stream.request('validateTerminators', { body })
    await until('all are told', () => results.length === message.body.count)
    return new Map(results.map(({ body: { terminatorId, state, fixed } }) => [terminatorId, `${state} ${fixed}`]))
  }
  await using _ = await router.connect({ hosts: (id) => id === kept })
  const first = await validate(false)
  const invalid = 'InvalidUnknownTerminator'
  const told = [first.get(kept), first.get(lost) ?? `${invalid} false`, first.get(unknown)]
  assert.deepEqual(told, ['Valid false', `${invalid} false`, 'Unknown false'])
  await until('its hosts are told', () => hosts.some(({ body }) => body.serviceId === service))
  await validate(true)
  await until('it is deleted', async () => (await admin.get(`/terminators/${lost}`)).status === 404)
  assert.equal((await admin.get(`/terminators/${kept}`)).status, 200)
  assert.equal((await admin.get(`/terminators/${unknown}`)).status, 200, 'of a router that is away nothing is known')
})

test('how the data models of routers differ is told', limits, async () => {
  const { admin } = running()
  const router = await TestRouter.enroll(admin, 'model-differs')
  const modelDifferences = [{ entityType: 'service', entityId: 's1', diffType: 'removed', detail: 'is gone' }]
  await using _ = await router.connect({ modelDifferences })
  await using stream = await open()
  const results = stream.collect('dataModelResult')
  const body = { routerFilter: 'name = "model-differs"', validateCtrl: true }
  const { message } = await stream.request('validateDataModel', { body })
  assert.equal(message.body.count, 2)
  await until('both are told', () => results.length === 2)
  const found = new Map(results.map(({ body }) => [body.componentType, body]))
  assert.equal(found.get('controller')?.validateSuccess, true)
  assert.deepEqual(found.get('router')?.errors, ['service id: s1 removed: is gone'])
})

test('traces of channels go to who reads them, until they are turned off', limits, async () => {
  const { admin } = running()
  const router = await TestRouter.enroll(admin, 'traced')
  await using connected = await router.connect()
  await using stream = await open()
  const traces = stream.collect('trace')
  const filter = { enabledFilter: true, filterType: 'INCLUDE', contentTypes: [1_010, 1_020, 1_043] } as const
  await stream.channel.send(managementMessages.encode('streamTraces', { body: filter }))
  const toggle = async (enable: boolean, appRegex: string, pipeRegex: string) => {
    const body = { enable, verbosity: 'ReportMatches', appRegex, pipeRegex } as const
    return (await stream.request('togglePipeTraces', { body })).message
  }
  const { success, body } = await toggle(true, '^controller$', router.id)
  assert.deepEqual([success, body], [true, `App controller matched? true\nLink ctrl ${router.id} matched? true\n`])
  const own = { timestamp: 5n, identity: 'somebody else', channel: 'l/1', contentType: 1_020, sequence: 3 }
  await connected.send('traceEvent', { body: own })
  const reported = await until('what the router traces comes', () => traces.find(({ body }) => body.channel === 'l/1'))
  assert.equal(reported.body.identity, router.id, 'a router traces in its own name')
  assert.equal((await toggle(true, '(', '.*')).success, false)
  assert.equal((await toggle(false, '^controller$', router.id)).success, true)
})

test('one stream has room for so many subscriptions, and works on so many requests at once', limits, async () => {
  await using stream = await open()
  const subscribed = await Promise.all(Array.from({ length: 40 }, () => stream.subscribe({ type: 'cluster' })))
  assert.equal(subscribed.filter(({ success }) => success).length, 32)
  const body = { appRegex: 'controller', requestedValues: ['connected-routers'] }
  const inspected = await Promise.all(Array.from({ length: 200 }, () => stream.request('inspect', { body })))
  assert.ok(inspected.every(({ message }) => message.body.success))
})

test('what is no message of tools costs the message or the stream, and nothing else', limits, async () => {
  await using broken = await open()
  await broken.channel.send({ contentType: 10_048, body: Buffer.from([0xff, 0xff]) })
  const alive = await broken.request('inspect', { body: { appRegex: 'nobody', requestedValues: [] } })
  assert.equal(alive.message.body.success, true)
  await broken.channel.send({ contentType: 10_040, body: Buffer.alloc(2 * 1024 * 1024) })
  await broken.channel.closed
  await using next = await open()
  assert.equal((await next.subscribe({ type: 'router' })).success, true)
})

test('who does not read is cut off, and the controller goes on', limits, async () => {
  const { admin } = running()
  await using stream = await open()
  assert.equal((await stream.subscribe({ type: 'entityChange' })).success, true)
  stream.channel.pauseReading()
  const tags = { filler: 'x'.repeat(200_000) }
  const id = await admin.create('services', { name: 'filler', encryptionRequired: false })
  let isOpen = true
  stream.channel.closed.then(() => {
    isOpen = false
  })
  for (let round = 0; round < 400 && isOpen; round++) {
    const reply = await admin.patch(`/services/${id}`, { tags: { ...tags, round } })
    assert.equal(reply.status, 200)
    if (round === 150) stream.channel.resumeReading()
  }
  await stream.channel.closed
})

async function using(stream: TestStream): Promise<void> {
  await stream[Symbol.asyncDispose]()
}
