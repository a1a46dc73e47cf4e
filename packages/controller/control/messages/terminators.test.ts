import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { type ControlMessage, type ControlMessageInit, retryHint } from '@weft/wire/messages'
import { type CarriedService, createCarriedService, tokensFor } from '../../testing/carried-service.ts'
import { TestController } from '../../testing/test-controller.ts'
import { enrollRouter, TestRouter } from '../../testing/test-router.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const tunneler = await enrollRouter(controller, { isTunnelerEnabled: true })
const router = await TestRouter.connect(controller, tunneler)
after(() => router[Symbol.asyncDispose]())
const other = await TestRouter.connect(controller, await enrollRouter(controller))
after(() => other[Symbol.asyncDispose]())

const { view } = controller.core.kit

type Wanted = Partial<ControlMessageInit<'createTerminatorV2'>['body']>

/** Whoever hosts a service, with a way to do so at a router. */
async function hosting(service?: CarriedService, user = service?.host) {
  const carried = service ?? (await createCarriedService(controller))
  const { serviceId } = carried
  const shown = await tokensFor(controller, 'stored', user ?? carried.host, { serviceId, type: 'Bind' })
  const tokens = { apiSessionToken: shown.apiSessionToken, sessionToken: shown.sessionToken }
  const host = async (wanted: Wanted = {}, at = router) => {
    const { message } = await at.ask('createTerminatorV2', { body: { address: randomUUID(), ...tokens, ...wanted } })
    return message.body
  }
  return { service: carried, tokens, host }
}

/** Lets another identity host the service too. */
async function alsoHosted({ bindPolicyId, client }: CarriedService): Promise<void> {
  await controller.write((change) => {
    const { identityRoles } = change.view.get('servicePolicies', bindPolicyId)!
    change.update('servicePolicies', bindPolicyId, { identityRoles: [...identityRoles, `@${client.identityId}`] })
  })
}

test('a terminator has the id that its router chose, is made once, and follows what the router says of it', async () => {
  const { service, host } = await hosting()
  const address = randomUUID()
  const peerData = new Map([[1003, Buffer.from('key')]])
  const made = await host({ address, cost: 5, precedence: 'Required', peerData })
  assert.deepEqual([made.terminatorId, made.result], [address, 'Success'])
  const row = view.get('terminators', address)!
  assert.partialDeepStrictEqual(row, {
    serviceId: service.serviceId,
    routerId: router.id,
    hostId: service.host.identityId,
    binding: 'edge',
    address,
    cost: 5,
    precedence: 'required',
    sourceCtrl: 'controller',
    isSystem: true,
    peerData: { 1003: Buffer.from('key').toString('base64') },
  })
  assert.equal((await host({ address, cost: 5, precedence: 'Required', peerData })).result, 'Success')
  assert.equal(view.get('terminators', address), row)
  assert.equal((await host({ address, cost: 6 })).result, 'Success')
  assert.partialDeepStrictEqual(view.get('terminators', address), { cost: 6, precedence: 'default' })
})

test('a terminator that is another’s is not taken over by its id', async () => {
  const { service, host } = await hosting()
  await alsoHosted(service)
  const { host: byAnother } = await hosting(service, service.client)
  const { host: ofAnother } = await hosting()
  const { terminatorId: address } = await host()
  for (const attempt of [host({ address }, other), byAnother({ address }), ofAnother({ address })]) {
    const { result, errorCode, retryHint: hint } = await attempt
    assert.deepEqual([result, errorCode, hint], ['FailedOther', 1, retryHint.notRetriable])
  }
  assert.partialDeepStrictEqual(view.get('terminators', address), {
    routerId: router.id,
    hostId: service.host.identityId,
    serviceId: service.serviceId,
  })
})

test('an instance is one host’s alone, with as many sessions and routers as it likes', async () => {
  const { service, host } = await hosting()
  await alsoHosted(service)
  const { host: again } = await hosting(service)
  const { host: byAnother } = await hosting(service, service.client)
  const instanceId = 'instance'
  assert.equal((await host({ instanceId })).result, 'Success')
  assert.equal((await again({ instanceId }, other)).result, 'Success')
  const refused = await byAnother({ instanceId })
  assert.deepEqual([refused.errorCode, refused.retryHint], [13, retryHint.notRetriable])
  assert.match(refused.msg, /shared identity instance belongs to different identity/)
  assert.equal((await byAnother({ instanceId: 'another' })).result, 'Success')
  assert.equal((await byAnother()).result, 'Success')
})

test('what cannot be a terminator is refused with the reason', async () => {
  const { host, tokens } = await hosting()
  const codeOf = async (wanted: Wanted) => (await host(wanted)).errorCode
  assert.equal(await codeOf({ address: '' }), 8)
  assert.equal(await codeOf({ address: 'x'.repeat(5_000) }), 8)
  assert.equal(await codeOf({ cost: 65_536 }), 10)
  assert.equal(await codeOf({ precedence: 7 }), 9)
  assert.equal(await codeOf({ sessionToken: 'unknown' }), 3)
  assert.equal(await codeOf({ apiSessionToken: 'unknown' }), 2)
  assert.equal((await host({ cost: 65_535, ...tokens })).result, 'Success')
})

test('a host changes what its terminator costs and how it ranks, each by itself', async () => {
  const { host, tokens } = await hosting()
  const { terminatorId } = await host({ cost: 1 })
  const update = (fields: object, at = router) =>
    at.ask('updateTerminator', { body: { terminatorId, ...tokens, cost: 9, precedence: 'Failed', ...fields } })
  assert.equal((await update({ updateCost: true })).name, 'updateTerminatorResponse')
  assert.partialDeepStrictEqual(view.get('terminators', terminatorId), { cost: 9, precedence: 'default' })
  await update({ updatePrecedence: true, cost: 20 })
  assert.partialDeepStrictEqual(view.get('terminators', terminatorId), { cost: 9, precedence: 'failed' })
  const codeOf = async (asked: ReturnType<typeof update>) => {
    const { name, message } = await asked
    assert.equal(name, 'error')
    return (message as ControlMessage<'error'>).errorCode
  }
  assert.equal(await codeOf(update({ updateCost: true }, other)), 8)
  assert.equal(await codeOf(update({ updateCost: true, terminatorId: randomUUID() })), 8)
  assert.equal(await codeOf(update({ updateCost: true, cost: 65_536 })), 10)
  assert.equal(await codeOf(update({ updateCost: true, sessionToken: 'unknown' })), 3)
  // Nor may the host of another service.
  const { tokens: others } = await hosting()
  assert.equal(await codeOf(update({ updateCost: true, ...others })), 8)
})

test('a router removes what is its own, and of others it learns nothing', async () => {
  const { host } = await hosting()
  const [own, foreign] = [await host(), await host({}, other)]
  const terminatorIds = [own.terminatorId, foreign.terminatorId, 'unknown']
  const { message } = await router.ask('removeTerminators', { body: { terminatorIds } })
  assert.equal(message.success, true)
  assert.equal(view.get('terminators', own.terminatorId), undefined)
  assert.ok(view.get('terminators', foreign.terminatorId))
  assert.equal((await router.ask('removeTerminators', { body: {} })).message.success, true)
})

test('a router hosts for itself what its own identity may host', async () => {
  const service = await createCarriedService(controller)
  const { serviceId, bindPolicyId } = service
  const address = randomUUID()
  const host = async (wanted: object = {}, at = router) =>
    (await at.ask('createTunnelTerminatorV2', { body: { serviceId, address, startTime: 7, ...wanted } })).message.body
  const denied = await host()
  assert.deepEqual([denied.errorCode, denied.retryHint], [6, retryHint.notRetriable])
  await controller.write((change) => {
    const { identityRoles } = change.view.get('servicePolicies', bindPolicyId)!
    change.update('servicePolicies', bindPolicyId, { identityRoles: [...identityRoles, `@${tunneler.id}`] })
  })
  const made = await host({ cost: 3 })
  assert.deepEqual([made.terminatorId, made.result, made.startTime], [address, 'Success', 7])
  assert.partialDeepStrictEqual(view.get('terminators', address), {
    binding: 'tunnel',
    hostId: tunneler.id,
    routerId: tunneler.id,
    cost: 3,
  })
  assert.equal((await host({ cost: 3 })).result, 'Success')
  assert.equal((await host({ serviceId: 'unknown' })).errorCode, 6)
  assert.equal((await host({}, other)).errorCode, 7)
  const { host: bySdk } = await hosting(service)
  const taken = await bySdk({ address })
  assert.deepEqual([taken.errorCode, taken.retryHint], [1, retryHint.notRetriable])

  const update = (terminatorId: string, at = router) =>
    at.ask('updateTunnelTerminator', { body: { terminatorId, cost: 8, updateCost: true } })
  assert.equal((await update(address)).name, 'updateTunnelTerminatorResponse')
  assert.equal(view.get('terminators', address)!.cost, 8)
  // A health check may speak before the terminator is there.
  for (const asked of [update('not yet'), update(address, other), update((await bySdk()).terminatorId)]) {
    const { errorCode, retryHint: hint } = (await asked).message as ControlMessage<'error'>
    assert.deepEqual([errorCode, hint], [8, retryHint.notRetriable])
  }
})
