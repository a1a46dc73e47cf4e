import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '../operation/api-error.ts'
import type { Caller } from '../operation/caller.ts'
import { nothingReported } from './posture-reports.ts'
import { permissionsOf, postureQueriesOf, requestedConfigs } from './service-as-seen.ts'
import { viewingIdentity } from './service-viewer.ts'
import { TestNetwork } from './test-network.ts'

/** Ann may dial and host the wiki, Bob may dial it, Cleo may nothing; Ann has a config of her own. */
function office() {
  const network = new TestNetwork()
  network.change((change) => {
    change.create('configTypes', { name: 'intercept' }, { id: 'type-1' })
    change.create('configTypes', { name: 'host' }, { id: 'type-2' })
    change.create('configs', { name: 'c1', configTypeId: 'type-1', data: { of: 'everyone' } }, { id: 'c1' })
    change.create('configs', { name: 'c2', configTypeId: 'type-2', data: { of: 'hosts' } }, { id: 'c2' })
    change.create('configs', { name: 'c3', configTypeId: 'type-1', data: { of: 'ann' } }, { id: 'c3' })
    change.create('services', { name: 'wiki', configs: ['c1', 'c2'], roleAttributes: ['web'] }, { id: 'wiki' })
    const serviceConfigs = { wiki: { 'type-1': 'c3' } }
    change.create('identities', { name: 'Ann', roleAttributes: ['staff'], serviceConfigs }, { id: 'ann' })
    change.create('identities', { name: 'Bob', roleAttributes: ['staff'] }, { id: 'bob' })
    change.create('identities', { name: 'Cleo' }, { id: 'cleo' })
    const policy = { semantic: 'AnyOf', serviceRoles: ['#web'] }
    change.create('servicePolicies', { ...policy, name: 'd', type: 'Dial', identityRoles: ['#staff'] }, { id: 'dial' })
    change.create('servicePolicies', { ...policy, name: 'b', type: 'Bind', identityRoles: ['@ann'] }, { id: 'host' })
  })
  return { network, wiki: network.view.get('services', 'wiki')! }
}

describe('what callers may do with a service', () => {
  const { network, wiki } = office()
  const cases: readonly [id: string, permissions: readonly string[]][] = [
    ['ann', ['Bind', 'Dial']],
    ['bob', ['Dial']],
    ['cleo', ['Invalid']],
  ]
  for (const [id, permissions] of cases) {
    for (const place of ['list', 'detail'] as const) {
      test(`is [${permissions.join(' ')}] for ${id} in a ${place}`, () => {
        assert.deepEqual(permissionsOf(wiki, network.rendering(network.caller(id), place)), permissions)
      })
    }
  }

  test('is not told in lists that select services otherwise', () => {
    assert.equal(permissionsOf(wiki, network.rendering(network.caller('ann'), 'sublist')), null)
    assert.equal(permissionsOf(wiki, network.rendering(network.caller('ann'), 'list', 'roleFilter=%23web')), null)
  })

  test('follows the identity an administrator asks to look as, by id or name', () => {
    const admin = network.caller('cleo', { isAdmin: true })
    for (const who of ['bob', 'Bob']) {
      assert.deepEqual(permissionsOf(wiki, network.rendering(admin, 'list', `asIdentity=${who}`)), ['Dial'])
    }
  })

  const refusals: readonly [caller: Caller, who: string, code: string][] = [
    [network.caller('bob'), 'ann', 'UNAUTHORIZED'],
    [network.caller('bob', { isAdmin: true }), 'nobody', 'NOT_FOUND'],
  ]
  for (const [caller, who, code] of refusals) {
    test(`answers ${code} to ${caller.isAdmin ? 'an administrator' : 'others'} who would look as ${who}`, () => {
      const { call } = network.rendering(caller, 'list', `asIdentity=${who}`)
      assert.throws(
        () => viewingIdentity(call, network.view),
        (error) => error instanceof ApiError && error.code === code,
      )
    })
  }
})

describe('the configs of a service', () => {
  const { network, wiki } = office()
  const [everyone, hosts, hers] = [{ of: 'everyone' }, { of: 'hosts' }, { of: 'ann' }]
  const cases: readonly [id: string, query: string, configs: object][] = [
    ['bob', '', {}],
    ['bob', 'configTypes=all', { intercept: everyone, host: hosts }],
    ['bob', 'configTypes=intercept', { intercept: everyone }],
    ['bob', 'configTypes=type-2', { host: hosts }],
    ['bob', 'configTypes=intercept,host', { intercept: everyone, host: hosts }],
    ['bob', 'configTypes=intercept&configTypes=host', { intercept: everyone, host: hosts }],
    ['bob', 'configTypes=unknown', {}],
    ['ann', 'configTypes=all', { intercept: hers, host: hosts }],
  ]
  for (const [id, query, configs] of cases) {
    test(`as ${id} sees them with ${query || 'no query'}`, () => {
      assert.deepEqual(requestedConfigs(wiki, network.rendering(network.caller(id), 'list', query)), configs)
    })
  }

  test('come as the login asked for them', () => {
    const session = network.change((change) =>
      change.create('apiSessions', { token: 't', identityId: 'bob', configTypes: ['type-1'] }),
    )
    const caller = network.caller('bob', { sessionId: session.id })
    assert.deepEqual(requestedConfigs(wiki, network.rendering(caller, 'list')), { intercept: everyone })
  })

  test('are not told elsewhere', () => {
    for (const place of ['detail', 'sublist'] as const) {
      const rendering = network.rendering(network.caller('ann'), place, 'configTypes=all')
      assert.equal(requestedConfigs(wiki, rendering), null)
    }
  })
})

describe('the posture queries of a service', () => {
  test('stand in for policies while the network has no checks', () => {
    const { network, wiki } = office()
    const queries = postureQueriesOf(wiki, network.rendering(network.caller('ann'), 'list'), nothingReported)
    assert.deepEqual(
      queries.map(({ policyId, isPassing }) => [policyId, isPassing]),
      [
        ['dummy bind policy: no posture checks defined', true],
        ['dummy dial policy: no posture checks defined', true],
      ],
    )
    const below = network.rendering(network.caller('ann'), 'sublist')
    assert.deepEqual(postureQueriesOf(wiki, below, nothingReported), [])
  })

  test('name each policy with its checks, and fail while nothing is reported', () => {
    const { network, wiki } = office()
    network.change((change) => {
      change.create(
        'postureChecks',
        { name: 'mfa', typeId: 'MFA', timeoutSeconds: 60, promptOnWake: true },
        { id: 'mfa' },
      )
      change.update('servicePolicies', 'dial', { postureCheckRoles: ['@mfa'] })
    })
    const rendering = network.rendering(network.caller('ann'), 'list')
    const [host, dial] = postureQueriesOf(wiki, rendering, nothingReported)
    assert.deepEqual([host?.policyId, host?.isPassing, host?.postureQueries], ['host', true, []])
    assert.deepEqual([dial?.policyId, dial?.isPassing], ['dial', false])
    const [query] = dial!.postureQueries as Record<string, unknown>[]
    const { queryType, isPassing, timeout, timeoutRemaining, timeoutAt, promptOnWake, processes } = query!
    assert.deepEqual([queryType, isPassing, timeout, timeoutRemaining], ['MFA', false, 60, 0])
    assert.deepEqual([timeoutAt, promptOnWake, processes], [rendering.now, true, null])
  })
})
