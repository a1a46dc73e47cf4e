import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { putRevocation, revokeIdentity } from '../auth/revoke-identity.ts'
import type { Change } from '../resource-kit/change.ts'
import { TestFabric, TestRouter } from './test-fabric.ts'

/** Alice and Bob with a circuit each to two services, and one that the fabric asked for. */
async function running(test: TestContext) {
  const net = new TestFabric(test)
  const [a, b] = [net.router('a'), net.router('b')]
  net.link(a, b)
  for (const service of ['s', 'other']) {
    net.service(service)
    net.terminator(`of-${service}`, service, b)
  }
  for (const identityId of ['alice', 'bob']) {
    net.identity(identityId, 's')
    const roles = { semantic: 'AnyOf', identityRoles: [`@${identityId}`], serviceRoles: ['@other'] }
    net.change((change) => change.create('servicePolicies', { name: `more-${identityId}`, type: 'Dial', ...roles }))
    const apiSessionId = `session-of-${identityId}`
    const row = { token: apiSessionId, identityId, authenticatorId: null, ipAddress: '' }
    net.change((change) => change.create('apiSessions', row, { id: apiSessionId }))
    for (const service of ['s', 'other']) {
      const token = { id: `token-of-${identityId}-${service}`, issuedAt: 0, endsAt: 60 }
      await net.dial(a, service, { circuitId: `${identityId}-${service}`, identityId, apiSessionId, token })
    }
  }
  await net.dial(a, 's', { circuitId: 'fabric-s' })
  const left = async (mutate: (change: Change) => unknown) => {
    net.change(mutate)
    await net.settle()
    return [...net.state.circuits.all()].map(({ id }) => id).sort()
  }
  return { net, a, left }
}

const all = ['alice-other', 'alice-s', 'bob-other', 'bob-s', 'fabric-s']

const cases: readonly [string, (change: Change) => unknown, readonly string[]][] = [
  ['the dial policy of one service', (change) => change.remove('servicePolicies', 'dial-alice'), ['alice-s']],
  [
    'the roles that a policy names',
    (change) => change.update('servicePolicies', 'dial-bob', { serviceRoles: ['@other'] }),
    ['bob-s'],
  ],
  ['the identity', (change) => change.remove('identities', 'alice'), ['alice-other', 'alice-s']],
  [
    'the identity, disabled',
    (change) => change.update('identities', 'bob', { disabledAt: '2026-05-01T12:00:00.000Z' }),
    ['bob-other', 'bob-s'],
  ],
  ['the API session', (change) => change.remove('apiSessions', 'session-of-alice'), ['alice-other', 'alice-s']],
  ['the service', (change) => change.remove('services', 's'), ['alice-s', 'bob-s', 'fabric-s']],
  ['the router at an end', (change) => change.remove('routers', 'b'), all],
  ['the token, revoked', (change) => putRevocation(change, 'token-of-bob-s', 'JTI'), ['bob-s']],
  [
    'the API session, revoked',
    (change) => putRevocation(change, 'session-of-bob', 'API_SESSION'),
    ['bob-other', 'bob-s'],
  ],
  ['the identity, revoked', (change) => revokeIdentity(change, 'alice'), ['alice-other', 'alice-s']],
  ['a name only', (change) => change.update('identities', 'alice', { name: 'Alice' }), []],
]

describe('circuits end with what allowed them', () => {
  for (const [what, mutate, ended] of cases) {
    test(what, async (t) => {
      const { net, a, left } = await running(t)
      await using _ = net
      assert.deepEqual(
        await left(mutate),
        all.filter((id) => !ended.includes(id)),
      )
      assert.deepEqual(a.unroutes.map(({ circuitId }) => circuitId).sort(), [...ended].sort())
    })
  }

  test('the time of their token, when nobody renews it', async (t) => {
    const { net, a, left } = await running(t)
    await using _ = net
    net.outdated.add('session-of-alice')
    net.pass(5_000)
    assert.deepEqual(await left(() => {}), ['bob-other', 'bob-s', 'fabric-s'])
    assert.deepEqual(a.unroutes.map(({ circuitId }) => circuitId).sort(), ['alice-other', 'alice-s'])
  })

  test('also at a router that is not connected at that time, as soon as it is back', async (t) => {
    const { net, left } = await running(t)
    await using _ = net
    const b = net.state.routers.get('b')!.connection
    net.state.routers.disconnect(b)
    await left((change) => change.remove('servicePolicies', 'dial-alice'))
    const back = net.connect(new TestRouter('b', { isResumed: true }))
    assert.deepEqual(back.unroutes, [{ circuitId: 'alice-s', when: 'now' }])
    // It is told once.
    net.state.routers.disconnect(back)
    assert.deepEqual(net.connect(new TestRouter('b', { isResumed: true })).unroutes, [])
    // To a router that was deleted meanwhile nothing is owed.
    net.state.routers.disconnect(net.state.routers.get('b')!.connection)
    await left((change) => change.remove('routers', 'b'))
    assert.deepEqual(net.router('b').unroutes, [])
  })

  test('whoever knows of other reasons ends them by what they have in common', async (t) => {
    const { net } = await running(t)
    await using _ = net
    const removal = { when: 'now', reason: 'revoked' } as const
    assert.equal(
      net.fabric.removal.removeFound('identity', 'alice', removal, ({ serviceId }) => serviceId === 's'),
      1,
    )
    assert.equal(
      net.fabric.removal.removeWhere(({ identityId }) => identityId !== undefined, removal),
      3,
    )
    assert.deepEqual(
      [...net.state.circuits.all()].map(({ id }) => id),
      ['fabric-s'],
    )
    assert.deepEqual(net.state.circuits.find('identity', 'alice'), [])
  })
})
