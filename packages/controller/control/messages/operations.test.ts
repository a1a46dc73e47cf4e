import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { createCarriedService, hostAt, tokensFor } from '../../testing/carried-service.ts'
import { TestController } from '../../testing/test-controller.ts'
import { enrollRouter, TestRouter } from '../../testing/test-router.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

const { view } = controller.core.kit

function connected(values = {}) {
  return enrollRouter(controller, values).then((enrolled) => TestRouter.connect(controller, enrolled))
}

test('a router out of service has its terminators as the last resort, and gets back what they were', async () => {
  await using router = await connected()
  await using other = await connected()
  const { serviceId, host } = await createCarriedService(controller)
  const tokens = await tokensFor(controller, 'stored', host, { serviceId, type: 'Bind' })
  const [one, two, third, elsewhere] = [
    await hostAt(router, tokens),
    await hostAt(router, tokens),
    await hostAt(router, tokens),
    await hostAt(other, tokens),
  ]
  const precedence = (...ids: readonly { id: string }[]) => ids.map(({ id }) => view.get('terminators', id)!.precedence)
  const { apiSessionToken, sessionToken } = tokens
  const set = (terminatorId: string, wanted: 'Required' | 'Failed') => {
    const body = { terminatorId, apiSessionToken, sessionToken, precedence: wanted, updatePrecedence: true }
    return router.ask('updateTerminator', { body })
  }
  await set(two.id, 'Required')
  await set(third.id, 'Failed')
  const { message: quiesced } = await router.ask('quiesceRouter', {})
  assert.equal(quiesced.success, true)
  assert.deepEqual(precedence(one, two, third, elsewhere), ['failed', 'failed', 'failed', 'default'])
  // Twice is the same as once.
  await router.ask('quiesceRouter', {})
  const { message: dequiesced } = await router.ask('dequiesceRouter', {})
  assert.equal(dequiesced.success, true)
  assert.deepEqual(precedence(one, two, third, elsewhere), ['default', 'required', 'failed', 'default'])
})

test('a router that leaves for good is deleted, and its channel ends', async () => {
  await using router = await connected()
  await router.send('decommissionRouter', {})
  await router.channel.closed
  assert.equal(view.get('routers', router.id), undefined)
})

test('a router is told where the controllers are when it connects, and when it asks', async () => {
  await using router = await connected()
  const { body } = await router.hears('updateCtrlAddresses')
  assert.equal(body.isLeader, true)
  assert.ok(body.index >= 1)
  assert.deepEqual(body.controllers, [{ id: 'controller', endpoints: [{ address: 'tls:127.0.0.1:6262', groups: [] }] }])
  await router.send('requestClusterMembers', {})
  await router.ask('inspectRequest', { body: { requestedValues: [] } })
  assert.equal(router.all('updateCtrlAddresses').length, 2)
})

test('a router asks whether anybody is there', async () => {
  await using router = await TestRouter.connect(controller, await enrollRouter(controller))
  const { message } = await router.ask('ping', {})
  assert.deepEqual([message.success, message.body], [true, 'ok'])
})

test('a router asks what the controller can do', async () => {
  await using router = await connected()
  const { message } = await router.ask('inspectRequest', { body: { requestedValues: ['Capability', 'unknown'] } })
  assert.equal(message.body.success, true)
  assert.deepEqual(
    message.body.values.map(({ value }) => value),
    ['ziti.fabric', 'ziti.edge'],
  )
})

test('without an identity a router hosts and dials services of the fabric, and no other', async () => {
  await using router = await connected({ collection: 'transit-routers' })
  await using other = await connected({ collection: 'transit-routers' })
  const suffix = randomUUID()
  const [ofFabric, ofEdge] = await controller.write((change) =>
    [true, false].map((isFabricOnly) => change.create('services', { name: `${isFabricOnly} ${suffix}`, isFabricOnly })),
  )
  const create = (serviceId: string, values = {}) =>
    router.ask('fabricCreateTerminator', {
      body: { serviceId, address: 'tcp:127.0.0.1:80', binding: 'transport', ...values },
    })
  assert.equal((await create(ofEdge!.id)).message.success, false)
  assert.equal((await create(ofFabric!.id, { cost: 65_536 })).message.success, false)
  assert.equal((await create(ofFabric!.id, { address: '' })).message.success, false)
  const { message } = await create(ofFabric!.id)
  assert.equal(message.success, true)
  const terminatorId = message.body
  assert.partialDeepStrictEqual(view.get('terminators', terminatorId), {
    address: 'tcp:127.0.0.1:80',
    binding: 'transport',
    routerId: router.id,
    hostId: '',
  })

  const dial = async (service: string) => (await router.ask('circuitRequest', { body: { service } })).name
  assert.equal(await dial(ofEdge!.id), 'circuitFailed')
  assert.equal(await dial(ofEdge!.name), 'circuitFailed')
  assert.equal(await dial(`instance@${ofFabric!.id}`), 'circuitFailed')
  assert.equal(await dial(ofFabric!.id), 'circuitSuccess')
  assert.equal(await dial(ofFabric!.name), 'circuitSuccess')

  const update = { terminatorId, cost: 7, updateCost: true }
  assert.equal((await other.ask('fabricUpdateTerminator', { body: update })).message.success, false)
  assert.equal((await router.ask('fabricUpdateTerminator', { body: update })).message.success, true)
  assert.equal(view.get('terminators', terminatorId)!.cost, 7)
  await other.ask('fabricRemoveTerminator', { body: { terminatorId } })
  assert.ok(view.get('terminators', terminatorId))
  await router.ask('fabricRemoveTerminator', { body: { terminatorId } })
  assert.equal(view.get('terminators', terminatorId), undefined)
})

test('health checks are counted by service', async () => {
  await using router = await connected()
  const { serviceId, host } = await createCarriedService(controller)
  const { apiSessionToken, sessionToken } = await tokensFor(controller, 'stored', host, { serviceId, type: 'Bind' })
  const check = (checkPassed: boolean, token = sessionToken) =>
    router.send('healthEvent', { body: { apiSessionToken, sessionToken: token, checkPassed } })
  await check(true)
  await check(true)
  await check(false)
  await check(true, 'of nobody')
  const terminatorId = randomUUID()
  await router.send('tunnelHealthEvent', { terminatorId, checkPassed: true })
  await router.ask('inspectRequest', { body: { requestedValues: [] } })
  const counted = (await controller.metrics()).split('\n').filter((line) => line.includes(serviceId))
  assert.deepEqual(counted.map((line) => line.slice(-1)).sort(), ['1', '2'])
})
