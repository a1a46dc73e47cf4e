import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change } from '../../resource-kit/change.ts'
import { TestNetwork } from '../../resources/test-network.ts'
import { RandomPolicies } from '../../testing/random-policies.ts'
import { Seeded } from '../../testing/seeded.ts'
import { Replica } from './replica.ts'
import { RouterDataModel, type RouterDataModelOptions } from './router-data-model.ts'

const head = { index: 0, timeline: 'tl1' }
const noCertificates = { signing: () => [], authorities: () => [] }

function modelOf(network: TestNetwork, certificates = noCertificates, options: RouterDataModelOptions = {}) {
  const { view, registry } = network
  const deps = { view, specs: registry.specs, writer: network, certificates, head }
  const model = new RouterDataModel(deps, options)
  model.follow(() => {})
  return model
}

async function wholeState(model: RouterDataModel, routerId: string): Promise<Replica> {
  const replica = new Replica()
  replica.takeState((await model.stateFor(routerId)).body)
  return replica
}

function catchUp(model: RouterDataModel, replica: Replica, routerId: string): void {
  for (;;) {
    const next = model.after(replica.index)
    if (next === undefined) return
    assert.notEqual(next, 'unknown')
    replica.takeChangeSet((next as Exclude<typeof next, 'unknown'>).bodyFor(routerId))
  }
}

for (const seed of [1, 2, 3, 4, 5, 6]) {
  test(`a copy that gets every change equals the whole state, seed ${seed}`, async () => {
    const network = new TestNetwork()
    const random = new Seeded(seed)
    const policies = new RandomPolicies(random, 'n')
    network.change((change) => policies.fill(change, { entities: 12, policies: 8 }))
    const model = modelOf(network)
    const copy = await wholeState(model, 'nobody')
    for (let step = 0; step < 200; step++) {
      // Several changes at once are one batch, and only their sum is seen.
      network.change((change) => {
        for (let times = 1 + random.below(4); times > 0; times--) policies.step(change)
        if (random.chance(4)) changePostureChecks(change, random)
      })
      catchUp(model, copy, 'nobody')
      if (step % 20 === 0) assert.deepEqual(copy.content(), (await wholeState(model, 'nobody')).content())
    }
    assert.deepEqual(copy.content(), (await wholeState(model, 'nobody')).content())
    assert.equal(copy.timelineId, 'tl1')
  })
}

function changePostureChecks(change: Change, random: Seeded): void {
  const ids = [...change.view.rows('postureChecks').map(({ id }) => id)]
  if (ids.length > 4) change.remove('postureChecks', random.pick(ids))
  else {
    const name = `check ${ids.length} ${random.below(1_000_000)}`
    change.create('postureChecks', { typeId: 'DOMAIN', name, domains: ['example'], roleAttributes: ['a'] })
  }
  const policies = [...change.view.rows('servicePolicies').map(({ id }) => id)]
  if (policies.length > 0) change.update('servicePolicies', random.pick(policies), { postureCheckRoles: ['#a'] })
}

test('configs for routers reach the routers that have them, and no other', async () => {
  const network = new TestNetwork()
  const model = modelOf(network)
  const make = (change: Change) => {
    const type = change.create('configTypes', { name: 'router.thing.v1', target: 'router' })
    const config = change.create('configs', { name: 'c1', configTypeId: type.id, data: { a: 1 } })
    change.create('routers', { name: 'r1', kind: 'edge', configs: [config.id] }, { id: 'r1' })
    change.create('routers', { name: 'r2', kind: 'edge' }, { id: 'r2' })
    return config.id
  }
  const [mine, others] = [await wholeState(model, 'r1'), await wholeState(model, 'r2')]
  const config = network.change(make)
  catchUp(model, mine, 'r1')
  catchUp(model, others, 'r2')
  assert.ok(mine.has('config', config))
  assert.ok(!others.has('config', config))
  assert.ok((await wholeState(model, 'r1')).has('config', config))
  assert.ok(!(await wholeState(model, 'r2')).has('config', config))
  network.change((change) => change.update('configs', config, { data: { a: 2 } }))
  catchUp(model, others, 'r2')
  assert.ok(!others.has('config', config), 'a change set of which nothing is left still counts')
  network.change((change) => change.update('routers', 'r2', { configs: [config] }))
  catchUp(model, others, 'r2')
  assert.ok(others.has('config', config))
})

test('who has missed more than is kept, or knows what never was, gets the whole state', () => {
  const network = new TestNetwork()
  const model = modelOf(network)
  assert.equal(model.after(model.index), undefined)
  network.change((change) => change.create('configTypes', { name: 'one' }))
  assert.equal(model.after(model.index + 1), 'unknown')
  assert.equal(model.after(model.index - 5), 'unknown')
})

test('of the changes so many are kept as was said, with a tenth to spare', () => {
  const network = new TestNetwork()
  const model = modelOf(network, noCertificates, { logSize: 10 })
  const indexes = Array.from({ length: 30 }, (_, at) => {
    network.change((change) => change.create('configTypes', { name: `type ${at}` }))
    return model.index
  })
  const kept = indexes.filter((index) => model.after(index) !== 'unknown')
  assert.ok(kept.length >= 10 && kept.length <= 12, `${kept.length} are kept`)
  assert.deepEqual(kept, indexes.slice(-kept.length))
})

test('services of the fabric alone are nobody else’s business', async () => {
  const network = new TestNetwork()
  const model = modelOf(network)
  const copy = await wholeState(model, 'r1')
  const id = network.change((change) => change.create('services', { name: 's', isFabricOnly: true }).id)
  catchUp(model, copy, 'r1')
  assert.ok(!copy.has('service', id))
})

test('new certificates are told with the next change, and old ones taken back', async () => {
  const network = new TestNetwork()
  let signing = [Buffer.from('first')]
  const model = modelOf(network, { signing: () => signing, authorities: () => [Buffer.from('ca')] } as never)
  const copy = await wholeState(model, 'r1')
  const keys = () => copy.content().filter((line) => line.startsWith('publicKey')).length
  assert.equal(keys(), 2)
  signing = [Buffer.from('second')]
  network.change((change) => change.create('controllers', { name: 'one', ctrlAddress: 'tls:127.0.0.1:1' }))
  catchUp(model, copy, 'r1')
  assert.equal(keys(), 2)
  assert.deepEqual(copy.content(), (await wholeState(model, 'r1')).content())
})

test('while no router listens nothing is kept, and who comes then gets the whole state', async () => {
  const network = new TestNetwork()
  const model = modelOf(network)
  const ofNobody = new RouterDataModel({
    view: network.view,
    specs: network.registry.specs,
    writer: network,
    certificates: noCertificates,
    head,
  })
  const copy = await wholeState(ofNobody, 'r1')
  const id = network.change((change) => change.create('configTypes', { name: 'one' }).id)
  assert.equal(ofNobody.index, model.index)
  assert.equal(ofNobody.after(copy.index), 'unknown')
  assert.ok((await wholeState(ofNobody, 'r1')).has('configType', id))
})

test('a change of which routers know nothing is not told', async () => {
  const network = new TestNetwork()
  const model = modelOf(network)
  const id = network.change((change) => change.create('routers', { name: 'r1', kind: 'edge' }, { id: 'r1' }).id)
  const { index } = model
  network.change((change) => change.update('routers', id, { capabilitiesMask: '2' }))
  assert.equal(model.index, index)
  network.change((change) => change.update('routers', id, { name: 'r2' }))
  assert.notEqual(model.index, index)
})
