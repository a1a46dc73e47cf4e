import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import type { Change } from '../../resource-kit/change.ts'
import { createSmallNetwork } from '../../testing/small-network.ts'
import { TestController } from '../../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const network = await createSmallNetwork(controller)
const { identityId, serviceId, configId, dialPolicyId, bindPolicyId, hiddenServiceId } = network

async function lastChangeAt(token = network.token): Promise<string> {
  const { status, json } = await controller.askClient({ path: '/current-api-session/service-updates', token })
  assert.equal(status, 200)
  return json.data.lastChangeAt
}

const moving: Readonly<Record<string, (change: Change) => void>> = {
  'a change of a service': (change) => change.update('services', serviceId, { tags: { a: 'b' } }),
  'a change of its config': (change) => change.update('configs', configId, { tags: { a: 'b' } }),
  'the end of a policy': (change) => change.remove('servicePolicies', bindPolicyId),
  'another service': (change) =>
    change.update('servicePolicies', dialPolicyId, { serviceRoles: [`@${serviceId}`, `@${hiddenServiceId}`] }),
  'a check that fails': (change) => {
    const check = { name: randomUUID(), typeId: 'DOMAIN', domains: ['corp'], roleAttributes: [] }
    const { id } = change.create('postureChecks', check)
    change.update('servicePolicies', dialPolicyId, { postureCheckRoles: [`@${id}`] })
  },
  'the loss of a role': (change) => change.update('identities', identityId, { roleAttributes: [] }),
}

const still: Readonly<Record<string, (change: Change) => void>> = {
  'a change of another service': (change) => change.update('services', hiddenServiceId, { tags: { a: 'b' } }),
  'the name of a policy': (change) => change.update('servicePolicies', bindPolicyId, { name: randomUUID() }),
  'the tags of the identity': (change) => change.update('identities', identityId, { tags: { a: 'b' } }),
  'a terminator': (change) =>
    void change.create('terminators', {
      serviceId,
      routerId: network.routerId,
      binding: 'transport',
      address: 'tcp:a:1',
    }),
}

describe('the last change of services', () => {
  test('is the same while nothing changes', async () => {
    const first = await lastChangeAt()
    assert.equal(await lastChangeAt(), first)
  })

  for (const [what, mutate] of Object.entries(still)) {
    test(`stays with ${what}`, async () => {
      const before = await lastChangeAt()
      await controller.write(mutate)
      assert.equal(await lastChangeAt(), before)
    })
  }

  for (const [what, mutate] of Object.entries(moving)) {
    test(`moves with ${what}, once`, async () => {
      const before = await lastChangeAt()
      await controller.write(mutate)
      const after = await lastChangeAt()
      assert.ok(after > before, `${after} after ${before}`)
      assert.equal(await lastChangeAt(), after)
    })
  }

  test('is that of the identity, by whichever session it asks', async () => {
    const known = await lastChangeAt()
    assert.equal(await lastChangeAt(await controller.loginAs(identityId)), known)
  })
})
