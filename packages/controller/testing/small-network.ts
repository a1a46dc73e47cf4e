/** A small network for tests of what clients see: somebody who may use a service, and a service he does not know of. */
import { randomUUID } from 'node:crypto'
import type { TestController } from './test-controller.ts'

export interface SmallNetwork {
  readonly identityId: string
  /** Of a session of the identity. */
  readonly token: string
  /** He may dial it by `dialPolicyId` and host it by `bindPolicyId`. */
  readonly serviceId: string
  readonly dialPolicyId: string
  readonly bindPolicyId: string
  /** He may do nothing with it. */
  readonly hiddenServiceId: string
  /** Of the service, an `intercept.v1`. */
  readonly configId: string
  readonly routerId: string
}

export async function createSmallNetwork(controller: TestController): Promise<SmallNetwork> {
  const suffix = randomUUID()
  const rows = await controller.write((change) => {
    const name = (about: string) => `${about} ${suffix}`
    const identity = { name: name('user'), roleAttributes: [suffix] }
    const { id: identityId } = change.create('identities', identity, { idKind: 'short' })
    const intercept = [...change.view.rows('configTypes')].find((type) => type.name === 'intercept.v1')!
    const data = { protocols: ['tcp'], addresses: ['web.weft'], portRanges: [{ low: 80, high: 80 }] }
    const config = { name: name('config'), configTypeId: intercept.id, data }
    const { id: configId } = change.create('configs', config)
    const service = { name: name('service'), encryptionRequired: true, configs: [configId] }
    const { id: serviceId } = change.create('services', service)
    const { id: hiddenServiceId } = change.create('services', { name: name('hidden'), encryptionRequired: true })
    const roles = { semantic: 'AnyOf', identityRoles: [`#${suffix}`], serviceRoles: [`@${serviceId}`] }
    const { id: dialPolicyId } = change.create('servicePolicies', { name: name('dial'), type: 'Dial', ...roles })
    const { id: bindPolicyId } = change.create('servicePolicies', { name: name('bind'), type: 'Bind', ...roles })
    const router = { name: name('router'), kind: 'edge', isVerified: true }
    const { id: routerId } = change.create('routers', router, { idKind: 'short' })
    const routers = { semantic: 'AnyOf', edgeRouterRoles: [`@${routerId}`] }
    change.create('edgeRouterPolicies', { name: name('enter'), identityRoles: [`#${suffix}`], ...routers })
    change.create('serviceEdgeRouterPolicies', { name: name('carry'), serviceRoles: [`@${serviceId}`], ...routers })
    return { identityId, serviceId, dialPolicyId, bindPolicyId, hiddenServiceId, configId, routerId }
  })
  return { ...rows, token: await controller.loginAs(rows.identityId) }
}
