import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { dataState } from '@weft/wire/messages'
import { silentLogger } from '../../log/logger.ts'
import { TestNetwork } from '../../resources/test-network.ts'
import { RouterDataModel } from './router-data-model.ts'
import { StateTurns } from './state-turns.ts'
import { ModelSubscription, type SubscribeRequest } from './subscription.ts'

const TIMELINE = 'tl1'

/** A router that subscribes, with a clock that is wound by hand. */
function subscribed(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const network = new TestNetwork()
  const { view, registry } = network
  const certificates = { signing: () => [], authorities: () => [] }
  const head = { index: 0, timeline: TIMELINE }
  const model = new RouterDataModel({ view, specs: registry.specs, writer: network, certificates, head })
  const sent: string[] = []
  const failures: Error[] = []
  const clock = { time: 0, monotonic: () => clock.time }
  const note = async (what: string) => {
    const failure = failures.shift()
    if (failure !== undefined) throw failure
    sent.push(what)
  }
  const channel = {
    sendState: (body: Buffer, id: string) => note(`${id} state ${dataState.decode(body).endIndex}`),
    sendChangeSet: (_: Buffer, id: string) => note(`${id} change`),
  }
  const subscription = new ModelSubscription({
    routerId: 'r1',
    ...{ model, channel, turns: new StateTurns(), clock, log: silentLogger },
  })
  t.after(() => {
    subscription[Symbol.dispose]()
    model[Symbol.dispose]()
  })
  let changes = 0
  return {
    model,
    failures,
    pass(seconds: number) {
      clock.time += seconds * 1_000
      t.mock.timers.tick(seconds * 1_000)
    },
    change: () => network.change((change) => change.create('configTypes', { name: `type ${++changes}` })),
    subscribe: (request: Partial<SubscribeRequest>) =>
      subscription.subscribe({
        ...{ currentIndex: 0, subscriptionDurationSeconds: 300, renew: false, timelineId: '', subscriptionId: 'one' },
        ...request,
      }),
    /** What was sent since it was asked for last. */
    async sent(): Promise<readonly string[]> {
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
      return sent.splice(0)
    },
  }
}

test('who knows nothing gets the whole state and then every change', async (t) => {
  const { subscribe, change, sent, model } = subscribed(t)
  change()
  assert.deepEqual(await sent(), [])
  subscribe({})
  assert.deepEqual(await sent(), [`one state ${model.index}`])
  change()
  change()
  assert.deepEqual(await sent(), ['one change', 'one change'])
})

test('the first request is answered even when there is nothing new, further ones are not', async (t) => {
  const { subscribe, sent, model } = subscribed(t)
  const current = { currentIndex: model.index, timelineId: TIMELINE }
  subscribe(current)
  assert.deepEqual(await sent(), [`one state ${model.index}`])
  subscribe({ ...current, renew: true })
  subscribe({ ...current, subscriptionId: 'two' })
  assert.deepEqual(await sent(), [])
})

test('a new subscription says where the router stands, a renewal does not', async (t) => {
  const { subscribe, change, sent, model } = subscribed(t)
  subscribe({})
  await sent()
  change()
  change()
  await sent()
  const missed = { currentIndex: model.index - 1, timelineId: TIMELINE }
  subscribe({ ...missed, renew: true })
  assert.deepEqual(await sent(), [])
  subscribe({ ...missed, subscriptionId: 'two' })
  assert.deepEqual(await sent(), ['two change'])
})

test('of another history, or of a future, nothing can follow but the whole state', async (t) => {
  const { subscribe, sent, model } = subscribed(t)
  subscribe({})
  await sent()
  subscribe({ currentIndex: model.index, timelineId: 'another', subscriptionId: 'two' })
  assert.deepEqual(await sent(), [`two state ${model.index}`])
  subscribe({ currentIndex: model.index + 50, timelineId: TIMELINE, subscriptionId: 'three' })
  assert.deepEqual(await sent(), [`three state ${model.index}`])
})

for (const [asked, granted] of [
  [1, 10],
  [300, 300],
  [86_400, 360],
] as const) {
  test(`a subscription for ${asked} seconds lasts ${granted}`, async (t) => {
    const { subscribe, change, sent, pass } = subscribed(t)
    subscribe({ subscriptionDurationSeconds: asked })
    await sent()
    pass(granted - 1)
    change()
    assert.deepEqual(await sent(), ['one change'])
    pass(1)
    change()
    assert.deepEqual(await sent(), [])
    subscribe({ currentIndex: 0, subscriptionDurationSeconds: asked })
    assert.equal((await sent()).length, 1)
  })
}

test('what could not be sent is made good soon by the whole state, with no change in between', async (t) => {
  const { subscribe, change, sent, failures, pass, model } = subscribed(t)
  subscribe({})
  await sent()
  failures.push(new Error('too slow'), new Error('still too slow'))
  change()
  assert.deepEqual(await sent(), [])
  pass(1)
  assert.deepEqual(await sent(), [])
  pass(1)
  assert.deepEqual(await sent(), [`one state ${model.index}`])
  change()
  assert.deepEqual(await sent(), ['one change'])
})
