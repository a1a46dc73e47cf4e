import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Caller, nobody } from './caller.ts'
import type { Access, Action } from './operation.ts'
import { allows, assignableGrants } from './permissions.ts'

const actions: readonly Action[] = ['read', 'create', 'update', 'delete']

function caller(facts: Partial<Omit<Caller, 'grants'>> & { readonly grants?: readonly string[] } = {}): Caller {
  return { ...nobody, kind: 'full', ...facts, grants: new Set(facts.grants) }
}

describe('the grants that can be given', () => {
  test('are those of the peers', () => {
    const entities = [
      ...['auth-policy', 'ca', 'config', 'config-type', 'edge-router-policy', 'enrollment', 'external-jwt-signer'],
      ...['identity', 'posture-check', 'router', 'service', 'service-edge-router-policy', 'service-policy'],
      'terminator',
    ]
    const expected = [
      'admin_readonly',
      ...entities.flatMap((entity) => [entity, ...actions.map((action) => `${entity}.${action}`)]),
      ...['ops', 'ops.read', 'ops.update', 'ops.delete'],
    ]
    assert.deepEqual(assignableGrants.toSorted(), expected.toSorted())
    assert.equal(new Set(assignableGrants).size, assignableGrants.length)
  })

  for (const entity of ['admin', 'authenticator', 'revocation', 'controllers', 'controller-settings', 'mfa']) {
    test(`do not include ${entity}`, () => {
      assert.ok(!assignableGrants.some((grant) => grant === entity || grant.startsWith(`${entity}.`)))
    })
  }
})

describe('an operation on an entity is allowed', () => {
  for (const action of actions) {
    const access: Access = { entity: 'service', action }
    const cases: readonly [who: string, caller: Caller, isAllowed: boolean][] = [
      ['to nobody', nobody, false],
      ['without grants', caller(), false],
      ['with the grant of the entity', caller({ grants: ['service'] }), true],
      ['with the grant of the action', caller({ grants: [`service.${action}`] }), true],
      [
        'with the grants of all other actions',
        caller({ grants: actions.filter((other) => other !== action).map((other) => `service.${other}`) }),
        false,
      ],
      ['with the grant of a longer name', caller({ grants: ['service-policy', `service-policy.${action}`] }), false],
      ['with the right to read everything', caller({ grants: ['admin_readonly'] }), action === 'read'],
      ['to administrators', caller({ isAdmin: true }), true],
      ['to an administrator whose second factor is outstanding', caller({ kind: 'partial', isAdmin: true }), false],
      ['with a grant while a second factor is outstanding', caller({ kind: 'partial', grants: ['service'] }), false],
    ]
    for (const [who, asking, isAllowed] of cases) {
      test(`${action} ${who}: ${isAllowed ? 'yes' : 'no'}`, () => assert.equal(allows(asking, access), isAllowed))
    }
  }
})

describe('what is not about an entity', () => {
  const admin = caller({ isAdmin: true })
  const reader = caller({ grants: ['admin_readonly', ...assignableGrants] })
  const partial = caller({ kind: 'partial', isAdmin: true })
  const cases: readonly [access: Access, ...isAllowed: readonly [boolean, boolean, boolean, boolean]][] = [
    ['anyone', true, true, true, true],
    ['partial', false, true, true, true],
    ['session', false, false, true, true],
    ['admin', false, false, false, true],
  ]
  for (const [access, ...expected] of cases) {
    test(`${access} is for ${['nobody', 'a half session', 'any session', 'administrators'].filter((_, at) => expected[at]).join(', ')}`, () => {
      assert.deepEqual(
        [nobody, partial, reader, admin].map((who) => allows(who, access)),
        expected,
      )
    })
  }
})
