/** A change of any field of a policy takes effect, at once, and every path that tells of access tells the same. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Json } from './kit/api-client.ts'
import { sharedStart } from './kit/running.ts'

const limits = { timeout: 60_000 }
const running = sharedStart()

const ids = (rows: readonly Json[]) => rows.map(({ id }) => String(id)).toSorted()

interface Access {
  readonly dial: boolean
  readonly bind: boolean
}

/** An identity with two attributes and a service with two, and how each of them sees the other. */
async function pair(name: string) {
  const { admin } = running()
  const roleAttributes = [`${name}-a`, `${name}-b`]
  const identityId = await admin.create('identities', { name, type: 'User', isAdmin: false, roleAttributes })
  const serviceId = await admin.create('services', { name, encryptionRequired: true, roleAttributes })

  const holds = async (path: string, id: string) => ids(await admin.list(path)).includes(id)
  /** What the policies leave, by every path; all must agree. */
  const access = async (): Promise<Access> => {
    const mayBe = async (policyType: string) => {
      const bySides = [
        await holds(`/identities/${identityId}/services?policyType=${policyType}`, serviceId),
        await holds(`/services/${serviceId}/identities?policyType=${policyType}`, identityId),
      ]
      assert.equal(bySides[0], bySides[1], `the two sides disagree about ${policyType}`)
      return bySides[0]!
    }
    const answer = { dial: await mayBe('dial'), bind: await mayBe('bind') }
    const either = answer.dial || answer.bind
    assert.equal(await holds(`/identities/${identityId}/services`, serviceId), either)
    assert.equal(await holds(`/services/${serviceId}/identities`, identityId), either)
    const advice = await admin.detail(`/identities/${identityId}/policy-advice/${serviceId}`)
    assert.deepEqual({ dial: advice['isDialAllowed'] === true, bind: advice['isBindAllowed'] === true }, answer)
    const seen = await admin.list(`/services?asIdentity=${identityId}`)
    const permissions = seen.find(({ id }) => id === serviceId)?.['permissions'] as string[] | undefined
    assert.deepEqual(
      { dial: permissions?.includes('Dial') ?? false, bind: permissions?.includes('Bind') ?? false },
      answer,
    )
    return answer
  }
  return { identityId, serviceId, access }
}

const none: Access = { dial: false, bind: false }
const dial: Access = { dial: true, bind: false }
const bind: Access = { dial: false, bind: true }

describe('a service policy', () => {
  for (const verb of ['PUT', 'PATCH'] as const) {
    test(`changes access with every one of its fields, by ${verb}`, limits, async () => {
      const { admin } = running()
      const name = `services-${verb.toLowerCase()}`
      const { access, identityId, serviceId } = await pair(name)
      const a = `#${name}-a`
      let policy: Json = { name, type: 'Dial', semantic: 'AllOf', identityRoles: [a], serviceRoles: [a] }
      assert.deepEqual(await access(), none)
      const id = await admin.create('service-policies', policy)
      const change = async (fields: Json) => {
        policy = { ...policy, ...fields }
        const reply = await admin.request(verb, `/service-policies/${id}`, verb === 'PUT' ? policy : fields)
        assert.equal(reply.status, 200, reply.text)
        return access()
      }
      assert.deepEqual(await access(), dial)
      assert.deepEqual(await change({ type: 'Bind' }), bind)
      assert.deepEqual(await change({ type: 'Dial' }), dial)
      assert.deepEqual(await change({ identityRoles: [a, '#other'] }), none)
      assert.deepEqual(await change({ semantic: 'AnyOf' }), dial)
      assert.deepEqual(await change({ semantic: 'AllOf' }), none)
      assert.deepEqual(await change({ identityRoles: [a, `#${name}-b`] }), dial)
      assert.deepEqual(await change({ serviceRoles: ['#other'] }), none)
      assert.deepEqual(await change({ serviceRoles: [`@${serviceId}`] }), dial)
      assert.deepEqual(await change({ identityRoles: [`@${identityId}`] }), dial)
      assert.deepEqual(await change({ identityRoles: [] }), none)
      assert.deepEqual(await change({ identityRoles: ['#all'], serviceRoles: ['#all'] }), dial)
      assert.equal((await admin.delete(`/service-policies/${id}`)).status, 200)
      assert.deepEqual(await access(), none)
    })
  }

  test('follows its members: their attributes, and their end', limits, async () => {
    const { admin } = running()
    const { access, identityId, serviceId } = await pair('members')
    const roles = { identityRoles: ['#members-a'], serviceRoles: ['#members-a'] }
    const id = await admin.create('service-policies', { name: 'members', type: 'Dial', semantic: 'AnyOf', ...roles })
    assert.deepEqual(await access(), dial)
    await admin.patch(`/identities/${identityId}`, { roleAttributes: [] })
    assert.deepEqual(await access(), none)
    await admin.patch(`/identities/${identityId}`, { roleAttributes: ['members-a'] })
    assert.deepEqual(await access(), dial)
    await admin.patch(`/services/${serviceId}`, { roleAttributes: ['elsewhere'] })
    assert.deepEqual(await access(), none)
    await admin.patch(`/service-policies/${id}`, { serviceRoles: [`@${serviceId}`] })
    assert.deepEqual(await access(), dial)
    await admin.delete(`/services/${serviceId}`)
    const policy = await admin.detail(`/service-policies/${id}`)
    assert.deepEqual(policy['serviceRoles'] ?? [], [])
    assert.deepEqual(await admin.list(`/service-policies/${id}/services`), [])
  })

  test('lists the posture checks it asks for, as they change', limits, async () => {
    const { admin } = running()
    const check = await admin.create('posture-checks', {
      ...{ name: 'domain', typeId: 'DOMAIN', domains: ['example.org'], roleAttributes: ['strict'] },
    })
    const id = await admin.create('service-policies', {
      ...{ name: 'posture', type: 'Dial', semantic: 'AnyOf', identityRoles: ['#none'], serviceRoles: ['#none'] },
    })
    const checks = async () => ids(await admin.list(`/service-policies/${id}/posture-checks`))
    assert.deepEqual(await checks(), [])
    await admin.patch(`/service-policies/${id}`, { postureCheckRoles: ['#strict'] })
    assert.deepEqual(await checks(), [check])
    await admin.patch(`/posture-checks/${check}`, { typeId: 'DOMAIN', roleAttributes: [] })
    assert.deepEqual(await checks(), [])
    await admin.patch(`/service-policies/${id}`, { postureCheckRoles: [`@${check}`] })
    assert.deepEqual(await checks(), [check])
  })
})

/** A policy that joins two kinds of things, and the lists by which each of them tells of the other. */
interface Joining {
  readonly collection: string
  readonly left: { readonly roles: string; readonly collection: string; readonly body: Json }
  readonly right: { readonly roles: string; readonly collection: string; readonly body: Json }
}

const identity = { type: 'User', isAdmin: false }
const joinings: readonly Joining[] = [
  {
    collection: 'edge-router-policies',
    left: { roles: 'identityRoles', collection: 'identities', body: identity },
    right: { roles: 'edgeRouterRoles', collection: 'edge-routers', body: {} },
  },
  {
    collection: 'service-edge-router-policies',
    left: { roles: 'serviceRoles', collection: 'services', body: { encryptionRequired: true } },
    right: { roles: 'edgeRouterRoles', collection: 'edge-routers', body: {} },
  },
]

describe('a policy about routers', () => {
  for (const { collection, left, right } of joinings) {
    for (const verb of ['PUT', 'PATCH'] as const) {
      test(`of ${collection} changes access with every one of its fields, by ${verb}`, limits, async () => {
        const { admin } = running()
        const name = `${collection}-${verb.toLowerCase()}`
        const roleAttributes = [`${name}-a`, `${name}-b`]
        const leftId = await admin.create(left.collection, { ...left.body, name: `${name} left`, roleAttributes })
        const rightId = await admin.create(right.collection, { ...right.body, name: `${name} right`, roleAttributes })
        const a = `#${name}-a`
        let policy: Json = { name, semantic: 'AllOf', [left.roles]: [a], [right.roles]: [a] }
        const id = await admin.create(collection, policy)

        const isJoined = async () => {
          const both = [
            ids(await admin.list(`/${left.collection}/${leftId}/${right.collection}`)).includes(rightId),
            ids(await admin.list(`/${right.collection}/${rightId}/${left.collection}`)).includes(leftId),
          ]
          assert.equal(both[0], both[1], 'the two sides disagree')
          const selected = ids(await admin.list(`/${collection}/${id}/${left.collection}`)).includes(leftId)
          const selecting = ids(await admin.list(`/${left.collection}/${leftId}/${collection}`)).includes(id)
          assert.equal(selected, selecting, 'the policy and its member disagree')
          return both[0]!
        }
        const change = async (fields: Json) => {
          policy = { ...policy, ...fields }
          const reply = await admin.request(verb, `/${collection}/${id}`, verb === 'PUT' ? policy : fields)
          assert.equal(reply.status, 200, reply.text)
          return isJoined()
        }
        assert.equal(await isJoined(), true)
        assert.equal(await change({ [left.roles]: [a, '#other'] }), false)
        assert.equal(await change({ semantic: 'AnyOf' }), true)
        assert.equal(await change({ semantic: 'AllOf' }), false)
        assert.equal(await change({ [left.roles]: [`@${leftId}`] }), true)
        assert.equal(await change({ [right.roles]: ['#other'] }), false)
        assert.equal(await change({ [right.roles]: [`@${rightId}`] }), true)
        assert.equal(await change({ [right.roles]: [] }), false)
        assert.equal(await change({ [left.roles]: ['#all'], [right.roles]: ['#all'] }), true)
        assert.equal((await admin.delete(`/${collection}/${id}`)).status, 200)
      })
    }
  }
})
