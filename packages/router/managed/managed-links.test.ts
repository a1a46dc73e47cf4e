import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DataModel } from '@weft/model/data-model'
import { dataState } from '@weft/wire/messages'
import type { LinkConfig } from '../config/link-config.ts'
import { eventually } from '../testing/eventually.ts'
import { testRouterLinks } from '../testing/test-router-links.ts'
import { testDialer } from '../testing/two-registries.ts'
import { ManagedLinks } from './managed-links.ts'

const limits = { timeout: 20_000 }
const local: LinkConfig = {
  listeners: [],
  dialers: [],
  heartbeats: { sendInterval: 10_000, checkInterval: 1_000, closeUnresponsiveTimeout: 60_000 },
  payloadSenderQueueSize: 128,
  ackSenderQueueSize: 64,
}

/** What a controller says of the router and its config. */
function model(data: unknown, typeName = 'router.link.v1'): DataModel {
  const configs = data === undefined ? [] : ['c1']
  const events = [
    { model: { kind: 'configType' as const, value: { id: 't1', name: typeName, target: 'router' } } },
    { model: { kind: 'config' as const, value: { id: 'c1', typeId: 't1', dataJson: JSON.stringify(data ?? {}) } } },
    { model: { kind: 'router' as const, value: { id: 'r1', name: 'r1', configs } } },
  ]
  return DataModel.of(dataState.decode(dataState.encode({ events })))
}

async function setUp(allow: readonly string[], own: LinkConfig = local) {
  const router = await testRouterLinks('r1')
  const alerts: string[] = []
  let told = 0
  const deps = {
    links: router.links,
    alerts: {
      raise: ({ message, details }: { message: string; details: readonly string[] }) =>
        void alerts.push(`${message}\n${details}`),
    },
    applied: () => void told++,
  }
  const managed = new ManagedLinks(deps, { routerId: 'r1', local: own, allow })
  return { router, managed, alerts, told: () => told, [Symbol.asyncDispose]: () => router[Symbol.asyncDispose]() }
}

const listening = (groups = ['default']) => ({
  listeners: [{ bind: 'tls:127.0.0.1:0', advertise: 'tls:127.0.0.1:3022', groups }],
  dialers: [{ groups: 'default' }],
})

test('a config is applied while the router runs, and so is its end', limits, async () => {
  await using set = await setUp(['router.link'])
  await using other = await testRouterLinks('r2')
  const { router, managed, alerts, told } = set
  await managed.follow(model(listening(['far'])))
  assert.deepEqual(alerts, [])
  const [listener] = router.links.listeners()
  assert.deepEqual([listener?.address, listener?.groups], ['tls:127.0.0.1:3022', ['far']])
  router.hearsOf(other)
  await eventually(() => [...router.links.registry.links()].length === 1, 'its dialer dials')
  await managed.follow(model(listening(['far'])))
  assert.equal(told(), 1, 'what is the same is not applied again')
  const inspected = () => managed.inspect().handlers[0]!
  assert.deepEqual(inspected(), {
    ...{ baseType: 'router.link', supportedVersions: [1] },
    controllerConfigs: [{ version: 1, data: listening(['far']) }],
    applied: { source: 'controller', version: 1 },
  })
  await managed.follow(model(undefined))
  assert.deepEqual([router.links.listeners(), told()], [[], 2])
  assert.deepEqual([inspected().controllerConfigs, inspected().applied], [[], undefined])
  await eventually(() => [...router.links.registry.links()].length === 0, 'nobody dials any more')
})

test('a config that is wrong or cannot be used is told, and what was before stays', limits, async () => {
  await using set = await setUp(['all'])
  const { router, managed, alerts } = set
  await managed.follow(model(listening()))
  const before = router.links.listeners()
  await managed.follow(model({ listeners: [{ bind: 'nowhere' }], dialers: [{ maxDefaultConnections: 0 }] }))
  await managed.follow(model({ listeners: [{ bind: 'tcp:127.0.0.1:1' }] }))
  assert.match(alerts[0]!, /^managed config \[router\.link\]: not applied.*\n.*bind/s)
  assert.match(alerts[0]!, /maxDefaultConnections/)
  assert.match(alerts[1]!, /links are accepted over tls only/)
  assert.deepEqual(router.links.listeners(), before)
  await managed.follow(model(undefined))
  assert.deepEqual(router.links.listeners(), [])
})

test('only what is allowed counts, and the file of the router comes first', limits, async () => {
  const dialers = [testDialer]
  for (const [allow, own, typeName] of [
    [[], local, 'router.link.v1'],
    [['host.v1'], local, 'router.link.v1'],
    [['all'], { ...local, dialers }, 'router.link.v1'],
    [['all'], local, 'router.link.v9'],
  ] as const) {
    await using set = await setUp(allow, own)
    await set.managed.follow(model(listening(), typeName))
    assert.equal(set.told(), 0)
    const { applied } = set.managed.inspect().handlers[0]!
    assert.deepEqual(applied, own === local ? undefined : { source: 'local', version: 1 })
  }
})
