import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '../operation/api-error.ts'
import { TestNetwork } from './test-network.ts'

/** An identity whose config replaces the service's. */
function withOverride() {
  const network = new TestNetwork()
  return network.change((change) => {
    const { id: configTypeId } = change.create('configTypes', { name: 'any' })
    const { id: configId } = change.create('configs', { name: 'mine', configTypeId, data: {} })
    const { id: serviceId } = change.create('services', { name: 'wiki' })
    const serviceConfigs = { [serviceId]: { [configTypeId]: configId } }
    const { id: identityId } = change.create('identities', { name: 'ann', serviceConfigs })
    return { network, configId, serviceId, identityId }
  })
}

describe('a config that overrides a service’s for an identity', () => {
  test('cannot be deleted', () => {
    const { network, configId } = withOverride()
    const remove = () => network.change((change) => change.remove('configs', configId))
    assert.throws(remove, (error) => error instanceof ApiError && error.code === 'CAN_NOT_DELETE_REFERENCED_ENTITY')
  })

  test('can be deleted once the service is gone', () => {
    const { network, configId, serviceId, identityId } = withOverride()
    network.change((change) => change.remove('services', serviceId))
    assert.deepEqual(network.view.get('identities', identityId)?.serviceConfigs, {})
    network.change((change) => change.remove('configs', configId))
    assert.equal(network.view.get('configs', configId), undefined)
  })

  test('can be deleted once the identity is gone', () => {
    const { network, configId, identityId } = withOverride()
    network.change((change) => change.remove('identities', identityId))
    network.change((change) => change.remove('configs', configId))
    assert.equal(network.view.get('configs', configId), undefined)
  })
})
