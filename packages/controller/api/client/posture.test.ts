import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createSmallNetwork, type SmallNetwork } from '../../testing/small-network.ts'
import { TestController } from '../../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

const post = (path: string, body: unknown, token: string) => controller.askClient({ method: 'POST', path, body, token })
const domain = (name: string) => ({ id: 'a check', typeId: 'DOMAIN', domain: name })

/** A network in which dialling asks for a domain, and hosting for nothing. */
async function createGuarded(): Promise<SmallNetwork> {
  const network = await createSmallNetwork(controller)
  await controller.write((change) => {
    const { id } = change.create('postureChecks', { name: randomUUID(), typeId: 'DOMAIN', domains: ['corp'] })
    change.update('servicePolicies', network.dialPolicyId, { postureCheckRoles: [`@${id}`] })
  })
  return network
}

describe('posture', () => {
  test('that fails refuses a session and is remembered', async () => {
    const { identityId, serviceId, token, dialPolicyId } = await createGuarded()
    await post('/posture-response', domain('home'), token)
    const { status, json } = await post('/sessions', { serviceId }, token)
    assert.deepEqual([status, json.error.code], [409, 'INVALID_POSTURE'])
    assert.deepEqual(
      json.error.cause.data[dialPolicyId].map((check: { typeId: string; isPassing: boolean }) => [
        check.typeId,
        check.isPassing,
      ]),
      [['DOMAIN', false]],
    )
    const { json: failed } = await controller.askAdmin('GET', `/identities/${identityId}/failed-service-requests`)
    const [{ checks }] = failed.data[0].policyFailures
    assert.deepEqual([checks[0].actualValue, checks[0].expectedValue], ['home', ['corp']])
    assert.equal((await post('/sessions', { serviceId, type: 'Bind' }, token)).status, 201)
  })

  test('that passes allows a session, and ends it when it fails', async () => {
    const { serviceId, token } = await createGuarded()
    assert.equal((await post('/posture-response-bulk', [domain('Corp')], token)).status, 201)
    const { json } = await controller.askClient({ path: '/services', token })
    const dial = json.data[0].postureQueries.find((set: { policyType: string }) => set.policyType === 'Dial')
    assert.deepEqual([dial.isPassing, dial.postureQueries[0].timeoutRemaining], [true, -1])
    const dialled = await post('/sessions', { serviceId }, token)
    const bound = await post('/sessions', { serviceId, type: 'Bind' }, token)
    await post('/posture-response', domain('elsewhere'), token)
    const status = async (id: string) => (await controller.askClient({ path: `/sessions/${id}`, token })).status
    assert.deepEqual([await status(dialled.json.data.id), await status(bound.json.data.id)], [404, 200])
  })

  test('says which services ask for a code after a wake', async () => {
    const { serviceId, token, identityId, dialPolicyId } = await createSmallNetwork(controller)
    await controller.write((change) => {
      const check = { name: randomUUID(), typeId: 'MFA', timeoutSeconds: 3_600, promptOnWake: true }
      const { id } = change.create('postureChecks', check)
      change.update('servicePolicies', dialPolicyId, { postureCheckRoles: [`@${id}`] })
    })
    const wake = () => post('/posture-response', { id: '0', typeId: 'ENDPOINT_STATE', woken: true }, token)
    assert.deepEqual((await wake()).json.data.services, [])
    await controller.write((change) => {
      const [session] = [...change.view.find('apiSessions', 'identityId', identityId)]
      change.update('apiSessions', session!.id, { isMfaComplete: true, mfaPassedAt: change.now })
    })
    const { json } = await wake()
    assert.deepEqual(
      json.data.services.map(({ id, timeout, timeoutRemaining }: Record<string, unknown>) => [
        id,
        timeout,
        timeoutRemaining,
      ]),
      [[serviceId, 3_600, 300]],
    )
  })

  test('that is not well-formed is refused whole', async () => {
    const { token, identityId } = await createGuarded()
    const refused = async (path: string, body: unknown) => {
      const { status, json } = await post(path, body, token)
      return [status, json.error.code, json.error.cause?.field]
    }
    const single = '/posture-response'
    const bulk = '/posture-response-bulk'
    assert.deepEqual(await refused(single, { id: '0' }), [400, 'COULD_NOT_VALIDATE', 'typeId'])
    assert.deepEqual(await refused(single, { typeId: 'OS' }), [400, 'COULD_NOT_VALIDATE', 'id'])
    assert.deepEqual(await refused(single, { id: '0', typeId: 'MAC' }), [400, 'COULD_NOT_VALIDATE', 'macAddresses'])
    assert.deepEqual(await refused(single, { id: '0', typeId: 'NOPE' }), [400, 'COULD_NOT_PARSE_BODY', undefined])
    assert.deepEqual(await refused(single, { id: '0', typeId: 'toString' }), [400, 'COULD_NOT_PARSE_BODY', undefined])
    assert.deepEqual(await refused(single, []), [400, 'COULD_NOT_PARSE_BODY', undefined])
    assert.deepEqual(await refused(bulk, domain('corp')), [400, 'COULD_NOT_PARSE_BODY', undefined])
    assert.deepEqual(await refused(bulk, [null]), [400, 'COULD_NOT_VALIDATE', 'typeId'])
    const mixed = [domain('corp'), { id: '0', typeId: 'NOPE' }]
    assert.deepEqual(await refused(bulk, mixed), [400, 'COULD_NOT_PARSE_BODY', undefined])
    assert.deepEqual((await refused(bulk, Array(1_001).fill(domain('corp'))))[0], 400)
    const { json } = await controller.askAdmin('GET', `/identities/${identityId}/posture-data`)
    assert.equal(json.data.domain.domain, null)
  })

  test('may leave out what is optional (missing wake and unlock times)', async () => {
    const { token } = await createGuarded()
    for (const body of [
      { typeId: 'ENDPOINT_STATE' },
      { typeId: 'PROCESS' },
      { typeId: 'ENDPOINT_STATE', woken: null },
    ]) {
      assert.equal((await post('/posture-response', { id: '0', ...body }, token)).status, 201)
    }
    assert.equal((await post('/posture-response-bulk', [], token)).status, 201)
  })
})

describe('a session', () => {
  test('ends soon after its policy no longer grants it', async () => {
    const { serviceId, token, dialPolicyId } = await createSmallNetwork(controller)
    const { json } = await post('/sessions', { serviceId }, token)
    const bound = await post('/sessions', { serviceId, type: 'Bind' }, token)
    await controller.write((change) => change.remove('servicePolicies', dialPolicyId))
    await ends(json.data.id, token)
    assert.equal((await controller.askClient({ path: `/sessions/${bound.json.data.id}`, token })).status, 200)
  })

  test('ends when its second factor has run out', async () => {
    const { serviceId, token, identityId, dialPolicyId } = await createSmallNetwork(controller)
    await controller.write((change) => {
      const { id } = change.create('postureChecks', { name: randomUUID(), typeId: 'MFA', timeoutSeconds: 1 })
      change.update('servicePolicies', dialPolicyId, { postureCheckRoles: [`@${id}`] })
      const [session] = [...change.view.find('apiSessions', 'identityId', identityId)]
      change.update('apiSessions', session!.id, { isMfaComplete: true, mfaPassedAt: change.now })
    })
    const { status, json } = await post('/sessions', { serviceId }, token)
    assert.equal(status, 201)
    await ends(json.data.id, token)
  })
})

/** Waits until a session has ended; nobody touches it in the meantime. */
async function ends(id: string, token: string): Promise<void> {
  const deadline = Date.now() + 10_000
  const status = async () => (await controller.askClient({ path: `/sessions/${id}`, token })).status
  while ((await status()) !== 404) {
    assert.ok(Date.now() < deadline, 'the session goes on')
    await setTimeout(100)
  }
}
