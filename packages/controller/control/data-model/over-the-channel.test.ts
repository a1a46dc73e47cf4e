import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import type { ControlMessage } from '@weft/wire/messages'
import { TestController } from '../../testing/test-controller.ts'
import { enrollRouter, TestRouter } from '../../testing/test-router.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

const SUBSCRIPTION = { subscriptionDurationSeconds: 300, subscriptionId: 'one' }

async function subscribed(values = {}) {
  const router = await TestRouter.connect(controller, await enrollRouter(controller, values))
  await router.send('subscribeToDataModel', { body: SUBSCRIPTION })
  const { body } = await router.hears('dataState')
  return { router, state: body }
}

/** The ids of what events speak of, by kind. */
function ids(events: ControlMessage<'dataState'>['body']['events'], kind: string): readonly string[] {
  return events.flatMap(({ model }) => (model?.kind === kind ? [(model.value as { id: string }).id] : []))
}

function changesOf(router: TestRouter) {
  return router.all('dataStateChangeSet').filter(({ body }) => !body.isSynthetic)
}

test('each change reaches a router once, in order, with the index of the one before', async () => {
  const { router: opened, state } = await subscribed()
  await using router = opened
  const names = Array.from({ length: 20 }, () => randomUUID())
  for (const name of names) await controller.askAdmin('POST', '/services', { name, encryptionRequired: true })
  const last = names.at(-1)!
  const namesOf = (message: ControlMessage<'dataStateChangeSet'>) =>
    message.body.changes.flatMap(({ model }) => (model?.kind === 'service' ? [model.value.name] : []))
  await router.hears('dataStateChangeSet', (message) => namesOf(message).includes(last))
  let index = state.endIndex
  for (const { body, subscriptionId } of changesOf(router)) {
    assert.equal(body.previousIndex, index)
    assert.ok(body.index > index)
    assert.equal(subscriptionId, SUBSCRIPTION.subscriptionId)
    index = body.index
  }
  assert.deepEqual(changesOf(router).flatMap(namesOf), names)
})

test('who has missed something gets it again, and who is on another timeline gets everything', async () => {
  const { router: opened, state } = await subscribed()
  await using router = opened
  await controller.askAdmin('POST', '/services', { name: randomUUID(), encryptionRequired: true })
  await router.hears('dataStateChangeSet', ({ body }) => !body.isSynthetic)
  const { endIndex: currentIndex, timelineId } = state
  const again = { ...SUBSCRIPTION, currentIndex, timelineId, subscriptionId: 'two' }
  await router.send('subscribeToDataModel', { body: again })
  await router.hears('dataStateChangeSet', ({ subscriptionId }) => subscriptionId === 'two')
  assert.equal(router.all('dataState').length, 1)
  const elsewhere = { ...again, timelineId: 'another', subscriptionId: 'three' }
  await router.send('subscribeToDataModel', { body: elsewhere })
  await router.hears('dataState', ({ subscriptionId }) => subscriptionId === 'three')
})

test('a config for routers reaches the routers that have it, while they are connected too', async () => {
  const config = await controller.write((change) => {
    const type = change.create('configTypes', { name: randomUUID(), target: 'router' })
    return change.create('configs', { name: randomUUID(), configTypeId: type.id, data: {} })
  })
  const { router: has, state } = await subscribed({ configs: [config.id] })
  await using first = has
  const { router: hasNot, state: without } = await subscribed()
  await using second = hasNot
  assert.ok(ids(state.events, 'config').includes(config.id))
  assert.equal(ids(without.events, 'config').includes(config.id), false)

  await controller.askAdmin('PATCH', `/edge-routers/${second.id}`, { configs: [config.id] })
  const told = await second.hears('dataStateChangeSet', ({ body }) => ids(body.changes, 'config').includes(config.id))
  const order = told.body.changes.map(({ model }) => model?.kind)
  assert.ok(order.indexOf('router') < order.lastIndexOf('config'))
  await controller.write((change) => change.update('configs', config.id, { data: { changed: true } }))
  for (const router of [first, second]) {
    await router.hears('dataStateChangeSet', ({ body }) =>
      body.changes.some(({ model }) => model?.kind === 'config' && model.value.dataJson.includes('changed')),
    )
  }
})

test('revocations are part of the whole state', async () => {
  const id = randomUUID()
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  await controller.write((change) => change.create('revocations', { type: 'JTI', expiresAt }, { id }))
  const { router, state } = await subscribed()
  await using _router = router
  assert.ok(ids(state.events, 'revocation').includes(id))
})

test('after a new start of the controller routers go on where they were, and revocations still count', async () => {
  await using before = await TestController.start()
  const enrolled = await enrollRouter(before)
  const id = randomUUID()
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  await before.write((change) => change.create('revocations', { type: 'JTI', expiresAt }, { id }))
  const whole = async (at: TestController) => {
    await using router = await TestRouter.connect(at, enrolled)
    await router.send('subscribeToDataModel', { body: SUBSCRIPTION })
    return (await router.hears('dataState')).body
  }
  const state = await whole(before)
  await using after = await before.restarted()
  const again = await whole(after)
  assert.ok(ids(again.events, 'revocation').includes(id))
  assert.equal(again.timelineId, state.timelineId)
  assert.ok(again.endIndex >= state.endIndex)
})

test('transit routers get the model too, when they ask', async () => {
  const { router, state } = await subscribed({ collection: 'transit-routers' })
  await using _router = router
  assert.ok(ids(state.events, 'router').includes(router.id))
})

test('a router is told when an identity is disabled for a while, and when that is over', async () => {
  const identityId = await controller.write(
    (change) => change.create('identities', { name: randomUUID() }, { idKind: 'short' }).id,
  )
  const { router: opened } = await subscribed()
  await using router = opened
  const told = (disabled: boolean) =>
    router.hears('dataStateChangeSet', ({ body }) =>
      body.changes.some(
        ({ model }) => model?.kind === 'identity' && model.value.id === identityId && model.value.disabled === disabled,
      ),
    )
  const disabledUntil = new Date(Date.now() + 500).toISOString()
  await controller.write((change) => change.update('identities', identityId, { disabledAt: change.now, disabledUntil }))
  await told(true)
  await told(false)
})
