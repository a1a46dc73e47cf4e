/** What depends on how many policies there are and how many they select must stay bounded. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { TestController } from '../testing/test-controller.ts'

const IDENTITIES = 1_000
const POLICIES = 1_100

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

before(async () => {
  await controller.write((change) => {
    for (let at = 0; at < IDENTITIES; at++) change.create('identities', { name: `${at}` }, { id: `identity-${at}` })
    change.create('services', { name: 'wiki' }, { id: 'wiki' })
    for (let at = 0; at < POLICIES; at++) {
      const roles = { identityRoles: ['#all'], serviceRoles: ['@wiki'] }
      change.create('servicePolicies', { name: `${at}`, type: 'Dial', semantic: 'AnyOf', ...roles })
    }
  })
})

test('policies that select everybody are found by any of their members', async () => {
  const { json } = await policiesWhere('anyOf(identities) = "identity-7" limit 1')
  assert.equal(json.meta.pagination.totalCount, POLICIES)
  const other = await policiesWhere('anyOf(identities) = "nobody"')
  assert.equal(other.json.meta.pagination.totalCount, 0)
})

test('a filter that would walk all members of all policies is refused, and the next one is answered', async () => {
  for (const filter of ['count(identities) > 5', 'not isEmpty(from identities where name = "nobody")']) {
    const { status, json, text } = await policiesWhere(filter)
    assert.equal(status, 400, text)
    assert.equal(json.error.code, 'INVALID_FILTER')
  }
  const some = await policiesWhere('name = "7" and count(identities) > 5')
  assert.equal(some.json.meta.pagination.totalCount, 1)
})

test('a service that all of them grant to everybody lists each identity once', async () => {
  const { json } = await controller.askAdmin('GET', '/services/wiki/identities?limit=500')
  const everybody = controller.core.tables.size('identities')
  assert.equal(json.meta.pagination.totalCount, everybody)
})

function policiesWhere(filter: string) {
  return controller.askAdmin('GET', `/service-policies?filter=${encodeURIComponent(filter)}`)
}
