import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { type ControlMessage, peerDataKey, retryHint } from '@weft/wire/messages'
import { type CarriedService, createCarriedService, hostAt, tokensFor } from '../../testing/carried-service.ts'
import { TestController } from '../../testing/test-controller.ts'
import { enrollRouter, TestRouter } from '../../testing/test-router.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const tunneler = await enrollRouter(controller, { isTunnelerEnabled: true })
const router = await TestRouter.connect(controller, tunneler)
after(() => router[Symbol.asyncDispose]())

const { view } = controller.core.kit

interface Refused {
  readonly errorCode: number | undefined
  readonly retryHint: number | undefined
  readonly circuitId: string | undefined
  readonly body: Buffer
}

function refusal({ name, message }: { readonly name: string; readonly message: object }): Refused {
  assert.equal(name, 'error')
  return message as Refused
}

/** A service that is hosted at the router, and may be dialled by the client and by the router itself. */
async function hosted(): Promise<CarriedService> {
  const service = await createCarriedService(controller)
  const { serviceId, host, dialPolicyId } = service
  await controller.write((change) => {
    const { identityRoles } = change.view.get('servicePolicies', dialPolicyId)!
    change.update('servicePolicies', dialPolicyId, { identityRoles: [...identityRoles, `@${tunneler.id}`] })
  })
  const hosting = await hostAt(router, await tokensFor(controller, 'stored', host, { serviceId, type: 'Bind' }))
  assert.equal(hosting.result, 'Success', hosting.msg)
  return service
}

async function bearerOf({ serviceId, client }: CarriedService) {
  const { apiSessionToken } = await tokensFor(controller, 'bearer', client, { serviceId, type: 'Dial' })
  return { apiSessionToken, identityId: client.identityId, serviceId }
}

async function routeOf(circuitId: string) {
  return (await router.hears('route', ({ body }) => body.circuitId === circuitId)).body
}

test('a host is told who dials, as the controller knows it, in every generation of the request', async () => {
  const service = await hosted()
  const { serviceId, serviceName, client } = service
  const { name } = view.get('identities', client.identityId)!
  const forged = new Map([
    [peerDataKey.dialerIdentityId, Buffer.from('somebody')],
    [peerDataKey.dialerIdentityName, Buffer.from('Somebody')],
    [peerDataKey.appData, Buffer.from('hello')],
  ])
  const { apiSessionToken, sessionToken } = await tokensFor(controller, 'stored', client, { serviceId, type: 'Dial' })
  const bearer = await bearerOf(service)
  const said = { peerData: forged }
  const circuits = {
    v1: (await router.ask('createCircuit', { body: { apiSessionToken, sessionToken, ...said } })).message,
    v2: (await router.ask('createCircuitV2', { apiSessionToken, sessionToken, ...said })).message,
    v3: (await router.ask('createCircuitV3', { ...bearer, ...said })).message,
    tunnel: (await router.ask('createTunnelCircuitV2', { body: { serviceName, ...said } })).message,
  }
  const idOf = (message: object) =>
    'circuitId' in message
      ? String(message.circuitId)
      : (message as ControlMessage<'createCircuitResponse'>).body.circuitId
  for (const [generation, message] of Object.entries(circuits)) {
    const { egress, context, tags } = await routeOf(idOf(message))
    const told = (key: number) => egress!.peerData.get(key)?.toString()
    const isNamed = generation !== 'tunnel'
    assert.equal(told(peerDataKey.dialerIdentityId), isNamed ? client.identityId : undefined, generation)
    assert.equal(told(peerDataKey.dialerIdentityName), isNamed ? name : undefined, generation)
    assert.equal(told(peerDataKey.appData), 'hello', generation)
    assert.equal(tags.get('clientId'), isNamed ? client.identityId : tunneler.id, generation)
    assert.equal(tags.get('serviceId'), serviceId)
    assert.equal(context!.fields.has('apiSessionId'), isNamed, generation)
    assert.equal(context!.fields.has('sessionId'), generation === 'v1' || generation === 'v2', generation)
    assert.equal(context!.fields.get('attemptNumber'), '1')
  }
})

test('a router may name the circuit that it asks for, once', async () => {
  const bearer = await bearerOf(await hosted())
  const circuitId = randomUUID()
  const { message } = await router.ask('createCircuitV3', { ...bearer, circuitId })
  assert.equal((message as ControlMessage<'createCircuitV3Response'>).circuitId, circuitId)
  assert.equal(refusal(await router.ask('createCircuitV3', { ...bearer, circuitId })).errorCode, 1)
  assert.equal(refusal(await router.ask('createCircuitV3', { ...bearer, circuitId: 'x'.repeat(65) })).errorCode, 1)
  const unnamed = (await router.ask('createCircuitV3', { ...bearer, circuitId: '' })).message
  assert.match((unnamed as ControlMessage<'createCircuitV3Response'>).circuitId, /^\S{20,}$/)
})

test('whoever shows no token that counts is refused, and begins anew', async () => {
  const { serviceId, client } = await hosted()
  const { apiSessionToken, sessionToken } = await tokensFor(controller, 'stored', client, { serviceId, type: 'Dial' })
  const { identityId } = client
  const junk = ['', 'opaque', 'ey', 'eyJ.eyJ.x', `ey${'x'.repeat(20_000)}`, '\0', 'ÿ'.repeat(100)]
  for (const token of junk) {
    const v1 = refusal(await router.ask('createCircuit', { body: { apiSessionToken: token, sessionToken } }))
    const v2 = refusal(await router.ask('createCircuitV2', { apiSessionToken: token, sessionToken }))
    const v3 = refusal(await router.ask('createCircuitV3', { apiSessionToken: token, identityId, serviceId }))
    for (const { errorCode, retryHint: hint } of [v1, v2, v3]) {
      assert.deepEqual([errorCode, hint], [2, retryHint.startOver], JSON.stringify(token.slice(0, 20)))
    }
    const session = refusal(await router.ask('createCircuit', { body: { apiSessionToken, sessionToken: token } }))
    assert.deepEqual([session.errorCode, session.retryHint], [3, retryHint.startOver])
  }
  // A token that is not there at all is no token either.
  assert.equal(refusal(await router.ask('createCircuitV3', { identityId, serviceId })).errorCode, 2)
  assert.equal(refusal(await router.ask('createCircuitV2', { sessionToken })).errorCode, 2)
})

test('a circuit that cannot be made is refused with its id, and may be tried again', async () => {
  const service = await createCarriedService(controller)
  const refused = refusal(await router.ask('createCircuitV3', await bearerOf(service)))
  assert.deepEqual([refused.errorCode, refused.retryHint], [1, retryHint.default])
  assert.match(refused.circuitId!, /^\S{20,}$/)
  assert.match(refused.body.toString(), /has no terminators/)
})

test('a service that demands encryption is not dialled without a key', async () => {
  const service = await hosted()
  const bearer = await bearerOf(service)
  await controller.write((change) => change.update('services', service.serviceId, { encryptionRequired: true }))
  const without = refusal(await router.ask('createCircuitV3', bearer))
  assert.deepEqual([without.errorCode, without.retryHint], [11, retryHint.startOver])
  // The host has to send one too; this one does not.
  const peerData = new Map([[peerDataKey.publicKey, Buffer.alloc(32, 1)]])
  const answered = refusal(await router.ask('createCircuitV3', { ...bearer, peerData }))
  assert.equal(answered.errorCode, 11)
  await router.hears('unroute', ({ body }) => body.circuitId === answered.circuitId && body.now)
})

test('a router dials for itself what its own identity may dial, and no other', async () => {
  const { serviceName, serviceId } = await hosted()
  const dial = (name: string) => router.ask('createTunnelCircuitV2', { body: { serviceName: name } })
  const { name, message } = await dial(serviceName)
  assert.equal(name, 'createTunnelCircuitV2Response')
  assert.notEqual((message as ControlMessage<'createTunnelCircuitV2Response'>).body.address, '')
  const unknown = refusal(await dial('unknown'))
  assert.deepEqual([unknown.errorCode, unknown.retryHint], [6, retryHint.notRetriable])
  // By id it is not known here.
  assert.equal(refusal(await dial(serviceId)).errorCode, 6)
  // Routers and services are joined, and yet only a policy for the service lets anybody dial.
  const { serviceName: ofOthers } = await createCarriedService(controller)
  assert.equal(refusal(await dial(ofOthers)).errorCode, 6)
  const carrying = view
    .rows('serviceEdgeRouterPolicies')
    .find(({ serviceRoles }) => serviceRoles.includes(`@${serviceId}`))
  await controller.write((change) => change.remove('serviceEdgeRouterPolicies', carrying!.id))
  const denied = refusal(await dial(serviceName))
  assert.deepEqual([denied.errorCode, denied.retryHint], [14, retryHint.default])
  await using other = await TestRouter.connect(controller, await enrollRouter(controller))
  const noTunneler = refusal(await other.ask('createTunnelCircuitV2', { body: { serviceName } }))
  assert.deepEqual([noTunneler.errorCode, noTunneler.retryHint], [7, retryHint.notRetriable])
})
