import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row } from '../state/row.ts'
import { entityState } from './entity-state.ts'

const common = { id: 'x', createdAt: '', updatedAt: '', tags: {}, isSystem: false }

const cases: readonly (readonly [table: string, row: object, shown: object])[] = [
  ['services', { maxIdleTimeMillis: 2 }, { maxIdleTime: 2_000_000 }],
  ['servicePolicies', { type: 'Dial' }, { policyType: 'Dial' }],
  ['configs', { configTypeId: 't1', data: {} }, { type: 't1', data: {} }],
  ['terminators', { serviceId: 's', routerId: 'r', hostSession: { sessionId: 'y' } }, { service: 's', router: 'r' }],
  ['routers', { kind: 'edge', capabilitiesMask: null }, { capabilitiesMask: 0, version: '' }],
  ['routers', { capabilitiesMask: '5', reportedVersion: 'v2' }, { capabilitiesMask: 5, version: 'v2' }],
  ['apiSessions', { isMfaComplete: true, isMfaRequired: false }, { mfaComplete: true, mfaRequired: false }],
  ['mfas', { isVerified: true, usedSteps: [1] }, { isVerified: true }],
  ['edgeRouterPolicies', { semantic: 'AnyOf' }, { semantic: 'AnyOf' }],
]

for (const [table, row, shown] of cases) {
  test(`${table} ${JSON.stringify(row)}`, () => {
    assert.deepEqual(entityState(table, { ...common, ...row } as Row), { ...common, ...shown })
  })
}

test('an identity has its precedences as numbers, and says whether it is disabled', () => {
  const identity = {
    ...{ ...common, typeId: 'Default', disabledAt: '2026-01-01T00:00:00.000Z', overridingConfigs: [] },
    ...{ defaultHostingPrecedence: 'failed', serviceHostingPrecedences: { s1: 'required' } },
  }
  assert.deepEqual(entityState('identities', identity as Row), {
    ...{ ...common, identityTypeId: 'Default', disabled: true, disabledAt: '2026-01-01T00:00:00.000Z' },
    ...{ defaultHostingPrecedence: 2, serviceHostingPrecedences: { s1: 1 } },
  })
})

test('an authenticator has what is of its method apart', () => {
  const row = {
    ...common,
    identityId: 'i',
    username: null,
    certPem: 'pem',
    certFingerprint: 'f',
    unverifiedCertPem: null,
  }
  const shown = entityState('authenticators', { ...row, method: 'cert', isIssuedByNetwork: true } as Row)
  const subType = { fingerprint: 'f', pem: 'pem', unverifiedPem: null, isIssuedByNetwork: true }
  assert.deepEqual(shown, { ...common, type: 'cert', identityId: 'i', subType })
  const named = entityState('authenticators', { ...row, method: 'updb', username: 'u' } as Row)
  assert.deepEqual(named, { ...common, type: 'updb', identityId: 'i', subType: { username: 'u' } })
})
