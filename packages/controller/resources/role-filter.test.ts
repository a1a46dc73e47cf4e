import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { narrowByRoles } from './role-filter.ts'
import { TestNetwork } from './test-network.ts'

const network = new TestNetwork()
network.change((change) => {
  change.create('identities', { name: 'ann', roleAttributes: ['sales', 'all'] }, { id: 'ann' })
  change.create('identities', { name: 'bob', roleAttributes: ['sales', 'bern'] }, { id: 'bob' })
  change.create('identities', { name: 'cleo', roleAttributes: ['bern'] }, { id: 'cleo' })
  change.create('identities', { name: 'dan' }, { id: 'dan' })
})

function narrowed(roles: readonly string[], semantic: string): string[] | undefined {
  const query = new URLSearchParams(roles.map((role) => ['roleFilter', role]))
  if (semantic !== '') query.set('roleSemantic', semantic)
  const { call } = network.rendering(network.caller('ann'), 'list', query.toString())
  const found = narrowByRoles('identities')(call, network.view)
  return found && [...found].sort()
}

describe('a list narrowed by roles', () => {
  const cases: readonly [roles: readonly string[], semantic: string, found: readonly string[]][] = [
    [['#sales'], '', ['ann', 'bob']],
    [['#sales', '#bern'], '', ['bob']],
    [['#sales', '#bern'], 'anyOf', ['ann', 'bob', 'cleo']],
    [['@dan'], 'AllOf', ['dan']],
    [['@dan', '#sales', '#bern'], 'AllOf', ['bob', 'dan']],
    [['@nobody', '#nothing'], 'AnyOf', []],
    // Here the keyword of policies is an attribute like any other.
    [['#all'], 'AllOf', ['ann']],
    [['#all', '#sales'], 'AllOf', ['ann']],
    [['#all', '#bern'], 'AnyOf', ['ann', 'bob', 'cleo']],
  ]
  for (const [roles, semantic, found] of cases) {
    test(`${roles.join(' ')} ${semantic} holds [${found.join(' ')}]`, () => {
      assert.deepEqual(narrowed(roles, semantic), found)
    })
  }

  test('is the whole list without roles', () => assert.equal(narrowed([], ''), undefined))

  for (const [roles, semantic] of [
    [['sales'], ''],
    [['#sales'], 'some'],
  ] as const) {
    test(`refuses ${roles.join(' ')} ${semantic}`, () => assert.throws(() => narrowed(roles, semantic)))
  }
})
