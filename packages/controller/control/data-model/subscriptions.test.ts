import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ControlMessage, controlMessages } from '@weft/wire/messages'
import { systemClock } from '../../clock.ts'
import { createLogger } from '../../log/logger.ts'
import { TestNetwork } from '../../resources/test-network.ts'
import { controlPair } from '../../testing/control-pair.ts'
import { compareDataModel } from './data-model-validation.ts'
import { RouterDataModel } from './router-data-model.ts'
import { ModelSubscriptions } from './subscriptions.ts'

const log = createLogger({ stream: process.stderr }, { level: 'error', format: 'json' })

function newModel(network: TestNetwork) {
  const { view, registry } = network
  const certificates = { signing: () => [], authorities: () => [] }
  const head = { index: 0, timeline: 'tl1' }
  return new RouterDataModel({ view, specs: registry.specs, writer: network, certificates, head })
}

test('routers that have subscribed are told how far the model is, when it has moved', async () => {
  const network = new TestNetwork()
  using model = newModel(network)
  using subscriptions = new ModelSubscriptions({ model, clock: systemClock, log })
  const indexes: number[] = []
  await using pair = await controlPair('r1', (router) => {
    router.handle(controlMessages.typeOf('currentIndex'), (frame) => {
      indexes.push(controlMessages.decodeAs('currentIndex', frame).dataModelIndex)
    })
  })
  const settled = () => pair.connection.channel.request(controlMessages.encode('ping'))
  network.change((change) => change.create('configTypes', { name: 'one' }))
  subscriptions.tellIndex()
  await settled()
  assert.deepEqual(indexes, [])
  subscriptions.of(pair.connection)
  assert.equal(subscriptions.of(pair.connection), subscriptions.of(pair.connection))
  network.change((change) => change.create('configTypes', { name: 'two' }))
  subscriptions.tellIndex()
  subscriptions.tellIndex()
  await settled()
  assert.deepEqual(indexes, [model.index])
})

test('a router compares its copy with the whole state, and says how they differ', async () => {
  const network = new TestNetwork()
  using model = newModel(network)
  const id = network.change((change) => change.create('services', { name: 'web' }).id)
  const diff = { entityType: 'service', entityId: id, diffType: 'removed', detail: 'not here' }
  const asked: ControlMessage<'validateDataState'>[] = []
  await using pair = await controlPair('r1', (router) => {
    router.handle(controlMessages.typeOf('validateDataState'), (frame) => {
      asked.push(controlMessages.decodeAs('validateDataState', frame))
      const counts = { origEntityCounts: new Map([['Services', 0]]), copyEntityCounts: new Map([['Services', 1]]) }
      return router.reply(
        frame,
        controlMessages.encode('validateDataStateResponse', { body: { ...counts, diffs: [diff] } }),
      )
    })
  })
  const { sent, held, differences } = await compareDataModel(model, pair.connection, { isFixing: true })
  assert.deepEqual([sent.get('Services'), held.get('Services')], [1, 0])
  assert.deepEqual(differences, [diff])
  assert.equal(asked[0]!.body.fix, true)
  const services = asked[0]!.body.state!.events.filter(({ model }) => model?.kind === 'service')
  assert.equal(services.length, 1)
  await pair.router[Symbol.asyncDispose]()
  await assert.rejects(compareDataModel(model, pair.connection))
})
