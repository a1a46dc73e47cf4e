import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ChangeSet, changeSet, type DataState, dataState } from '@weft/wire/messages'
import type { ControllerConnection } from '../control/controller-connection.ts'
import { TestController } from '../testing/test-controller.ts'
import { ModelSubscription } from './model-subscription.ts'

const limits = { timeout: 20_000 }
const log = { debug() {}, info() {}, warn() {}, error() {} }

function state(endIndex: number, ...names: string[]): DataState {
  const events = names.map((id) => ({ model: { kind: 'service' as const, value: { id, name: id } } }))
  return dataState.decode(dataState.encode({ events, endIndex, timelineId: 't1' }))
}

function change(index: number, previousIndex: number, id: string): ChangeSet {
  const changes = [{ model: { kind: 'service' as const, value: { id, name: id } } }]
  return changeSet.decode(changeSet.encode({ index, previousIndex, changes }))
}

async function setUp() {
  const controller = await TestController.connect()
  const { connection } = controller
  const time = { now: 0 }
  let resets = 0
  const choice: { connection: ControllerConnection | undefined } = { connection }
  const controllers = { any: () => choice.connection, forgetIndexes: () => void resets++ }
  const clock = { monotonic: () => time.now }
  const subscription = new ModelSubscription({ controllers, clock, log }, { routerId: 'r1' })
  /** What was asked for last. */
  const asked = async () => {
    const [told] = await controller.takes(1)
    assert.ok(told?.name === 'subscribeToDataModel')
    return told.message.body
  }
  const services = () => [...subscription.model.tables.service.keys()].join()
  return {
    ...{ controller, connection, subscription, time, choice, asked, services, resets: () => resets },
    async [Symbol.asyncDispose]() {
      subscription[Symbol.dispose]()
      await controller[Symbol.asyncDispose]()
    },
  }
}

test('asks once, takes the whole and what follows on it, and renews in time', limits, async () => {
  await using set = await setUp()
  const { subscription, connection, time, asked, services } = set
  subscription.check()
  subscription.check()
  const first = await asked()
  assert.deepEqual([first.currentIndex, first.renew, first.subscriptionDurationSeconds], [0, false, 300])
  const { subscriptionId } = first
  subscription.takeState(connection, subscriptionId, state(42, 'web'))
  subscription.takeChangeSet(connection, subscriptionId, change(45, 42, 'ssh'))
  assert.equal(services(), 'web,ssh')
  assert.deepEqual([subscription.model.index, subscription.revision], [45, 2])
  time.now = 300_000
  subscription.check()
  const renewed = await asked()
  assert.deepEqual(
    [renewed.subscriptionId, renewed.renew, renewed.currentIndex, renewed.timelineId],
    [subscriptionId, true, 45, 't1'],
  )
})

test('what was not asked for does not count; synthetic changes do, from anyone', limits, async () => {
  await using set = await setUp()
  await using other = await TestController.connect('ctrl2')
  const { subscription, connection, asked, services } = set
  subscription.takeState(connection, undefined, state(40, 'early'))
  subscription.check()
  const { subscriptionId } = await asked()
  subscription.takeState(connection, 'another', state(41, 'foreign'))
  subscription.takeState(other.connection, subscriptionId, state(42, 'foreign'))
  assert.equal(services(), '')
  subscription.takeState(connection, undefined, state(43, 'web'))
  subscription.takeChangeSet(connection, subscriptionId, change(43, 42, 'late'))
  subscription.takeChangeSet(other.connection, undefined, { ...change(99, 98, 'key'), isSynthetic: true })
  assert.deepEqual([services(), subscription.model.index], ['web,key', 43])
})

test('a gap is noticed, and asked for under a new id from where the router stands', limits, async () => {
  await using set = await setUp()
  const { subscription, connection, asked, services } = set
  subscription.check()
  const first = await asked()
  subscription.takeState(connection, first.subscriptionId, state(42, 'web'))
  subscription.takeChangeSet(connection, first.subscriptionId, change(47, 46, 'missing one'))
  const again = await asked()
  assert.notEqual(again.subscriptionId, first.subscriptionId)
  assert.deepEqual([again.currentIndex, again.renew], [42, false])
  assert.equal(services(), 'web')
  subscription.takeChangeSet(connection, again.subscriptionId, change(46, 42, 'a'))
  subscription.takeChangeSet(connection, again.subscriptionId, change(47, 46, 'b'))
  assert.deepEqual([services(), subscription.model.index], ['web,a,b', 47])
})

test('a controller that is gone is replaced, and a network that was set back is believed', limits, async () => {
  await using set = await setUp()
  await using other = await TestController.connect('ctrl2')
  const { subscription, connection, choice, asked, services, resets } = set
  subscription.check()
  const { subscriptionId } = await asked()
  subscription.takeState(connection, subscriptionId, state(42, 'web'))
  connection.channel.close()
  choice.connection = other.connection
  subscription.check()
  const [told] = await other.takes(1)
  assert.ok(told?.name === 'subscribeToDataModel')
  assert.equal(told.message.body.currentIndex, 42)
  subscription.takeState(other.connection, told.message.body.subscriptionId, state(7, 'restored'))
  assert.deepEqual([services(), subscription.model.index, resets()], ['restored', 7, 1])
})

test('a comparison tells the differences, and takes the other over only when asked to', limits, async () => {
  await using set = await setUp()
  const { subscription, connection, asked, services } = set
  subscription.check()
  const { subscriptionId } = await asked()
  subscription.takeState(connection, subscriptionId, state(42, 'web'))
  const { diffs, origEntityCounts } = subscription.validate(connection, state(42, 'web', 'ssh'), false)
  assert.deepEqual(
    diffs.map(({ entityId, diffType }) => `${entityId} ${diffType}`),
    ['ssh removed'],
  )
  assert.equal(origEntityCounts.get('Services'), 2)
  assert.equal(services(), 'web')
  subscription.validate(connection, state(42, 'web', 'ssh'), true)
  assert.equal(services(), 'web,ssh')
  await asked()
})
