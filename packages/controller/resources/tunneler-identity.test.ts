import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '../operation/api-error.ts'
import { TestNetwork } from './test-network.ts'

function withTunneler() {
  const network = new TestNetwork()
  const router = network.change((change) =>
    change.create('routers', { name: 'east', kind: 'edge', isTunnelerEnabled: true }, { idKind: 'short' }),
  )
  return { network, id: router.id }
}

describe('a router that is a tunneler', () => {
  test('has an identity and a policy under its own id', () => {
    const { network, id } = withTunneler()
    const identity = network.view.get('identities', id)
    assert.deepEqual([identity?.name, identity?.typeId], ['east', 'Router'])
    const policy = network.view.get('edgeRouterPolicies', id)
    assert.deepEqual([policy?.edgeRouterRoles, policy?.identityRoles], [[`@${id}`], [`@${id}`]])
    assert.equal(policy?.isSystem, true)
  })

  test('gives its identity every new name', () => {
    const { network, id } = withTunneler()
    network.change((change) => change.update('routers', id, { name: 'west' }))
    assert.equal(network.view.get('identities', id)?.name, 'west')
  })

  test('cannot take the name of another identity, and changes nothing when it tries', () => {
    const { network, id } = withTunneler()
    network.change((change) => change.create('identities', { name: 'taken' }))
    const rename = () => network.change((change) => change.update('routers', id, { name: 'taken' }))
    assert.throws(rename, (error) => error instanceof ApiError && error.code === 'COULD_NOT_VALIDATE')
    assert.equal(network.view.get('routers', id)?.name, 'east')
  })

  test('loses both when it stops being one', () => {
    const { network, id } = withTunneler()
    network.change((change) => change.update('routers', id, { isTunnelerEnabled: false }))
    assert.equal(network.view.get('identities', id), undefined)
    assert.equal(network.view.get('edgeRouterPolicies', id), undefined)
    assert.notEqual(network.view.get('routers', id), undefined)
  })

  test('takes both with it when it is deleted, and its invitation', () => {
    const { network, id } = withTunneler()
    assert.equal(network.view.countOf('enrollments', 'edgeRouterId', id), 1)
    network.change((change) => change.remove('routers', id))
    assert.equal(network.view.get('identities', id), undefined)
    assert.equal(network.view.get('edgeRouterPolicies', id), undefined)
    assert.equal(network.view.countOf('enrollments', 'edgeRouterId', id), 0)
  })

  test('keeps its identity from being deleted or renamed alone', () => {
    const { network, id } = withTunneler()
    const isRefused = (error: unknown) => error instanceof ApiError && error.status === 400
    assert.throws(() => network.change((change) => change.remove('identities', id)), isRefused)
    assert.throws(() => network.change((change) => change.update('identities', id, { name: 'mine' })), isRefused)
    network.change((change) => change.update('identities', id, { roleAttributes: ['east'] }))
  })
})
