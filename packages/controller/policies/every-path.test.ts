/**
 * Who may reach what is asked in many ways: below identities, services, routers and policies, by advice, by filters, by
 * what a list of services shows. All of them must give the answer of the plainest possible one.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Row } from '../state/row.ts'
import { NaiveAccess } from '../testing/naive-access.ts'
import { RandomPolicies } from '../testing/random-policies.ts'
import { Seeded } from '../testing/seeded.ts'
import { TestController } from '../testing/test-controller.ts'

const NETWORKS = process.env['WEFT_LONG'] ? 100 : 5
const STEPS = 12
const SIZES = { entities: 7, policies: 6 }

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const { tables } = controller.core

type Entity = NaiveAccess['identities'][number]

for (let seed = 1; seed <= NETWORKS; seed++) {
  test(`every path has the same answer (seed ${seed})`, async () => {
    const policies = new RandomPolicies(new Seeded(seed), `seed${seed}`)
    await controller.write((change) => policies.fill(change, SIZES))
    await assertAgreement()
    for (let at = 0; at < STEPS; at++) await controller.write((change) => policies.step(change))
    await assertAgreement()
  })
}

async function assertAgreement(): Promise<void> {
  const naive = new NaiveAccess(tables)
  const checks = [
    ...naive.identities.map((identity) => checkIdentity(naive, identity)),
    ...naive.services.map((service) => checkService(naive, service)),
    ...naive.routers.map((router) => checkRouter(naive, router)),
    ...checkPolicies(naive),
  ]
  await Promise.all(checks)
}

async function checkIdentity(naive: NaiveAccess, identity: Entity): Promise<void> {
  const at = `/identities/${identity.id}`
  const pairs = naive.services.map((service) => ({ service, ...naive.pair(identity, service) }))
  const services = (test: (pair: (typeof pairs)[number]) => boolean) => pairs.filter(test).map(({ service }) => service)
  await assertListed(
    `${at}/services`,
    services(({ policies }) => policies.length > 0),
  )
  await assertListed(
    `${at}/services?policyType=dial`,
    services(({ isDialAllowed }) => isDialAllowed),
  )
  await assertListed(
    `${at}/services?policyType=bind`,
    services(({ isBindAllowed }) => isBindAllowed),
  )
  await assertListed(`${at}/service-policies`, naive.policiesOf('servicePolicies', 'identityRoles', identity))
  await assertListed(`${at}/edge-router-policies`, naive.policiesOf('edgeRouterPolicies', 'identityRoles', identity))
  await assertListed(
    `${at}/edge-routers`,
    naive.routers.filter((router) => naive.entersBy(identity, router)),
  )
  await assertFound('identities', identity, naive.policiesOf('servicePolicies', 'identityRoles', identity))
  await checkPermissions(naive, identity)
  await checkSessions(naive, identity)
  for (const { service, isDialAllowed, isBindAllowed } of pairs) {
    const advice = await data(`${at}/policy-advice/${service.id}`)
    const enters = naive.routers.filter((router) => naive.entersBy(identity, router))
    const carries = naive.routers.filter((router) => naive.isCarriedBy(service, router))
    assert.deepEqual(
      [advice.isDialAllowed ?? false, advice.isBindAllowed ?? false],
      [isDialAllowed, isBindAllowed],
      `${at} and ${service.id}`,
    )
    assert.equal(advice.identityRouterCount ?? 0, enters.length)
    assert.equal(advice.serviceRouterCount ?? 0, carries.length)
    assert.deepEqual(ids(advice.commonRouters ?? []), ids(enters.filter((router) => carries.includes(router))))
  }
}

/** What lists and details of services show to the identity itself, and to an administrator who looks as the identity. */
async function checkPermissions(naive: NaiveAccess, identity: Entity): Promise<void> {
  const token = await controller.loginAs(identity.id)
  await controller.write((change) => change.update('identities', identity.id, { permissions: ['service.read'] }))
  const expected = naive.services.map((service) => {
    const { isDialAllowed, isBindAllowed } = naive.pair(identity, service)
    const permissions = [...(isBindAllowed ? ['Bind'] : []), ...(isDialAllowed ? ['Dial'] : [])]
    return [service.id, permissions.length === 0 ? ['Invalid'] : permissions]
  })
  const shown = (list: readonly { id: string; permissions: unknown }[]) =>
    list.map(({ id, permissions }) => [id, permissions])
  const asSeen = await controller.ask({ path: '/services?limit=500', token })
  assert.deepEqual(shown(asSeen.json.data), expected, `the list of ${identity.id}`)
  assert.deepEqual(shown(await data(`/services?limit=500&asIdentity=${identity.id}`)), expected)
  for (const [id, permissions] of expected) {
    const detail = await controller.ask({ path: `/services/${id}`, token })
    assert.deepEqual(detail.json.data.permissions, permissions)
  }
}

/** What sessions of the identity say they are granted by, and by how many routers they can be served. */
async function checkSessions(naive: NaiveAccess, identity: Entity): Promise<void> {
  const granted = (id: string, type: string) => tables.get('servicePolicies', id)?.type === type
  for (const service of naive.services.slice(0, 3)) {
    const routers = naive.routers.filter(
      (router) => naive.entersBy(identity, router) && naive.isCarriedBy(service, router),
    )
    for (const type of ['Dial', 'Bind']) {
      const values = { type, identityId: identity.id, serviceId: service.id }
      const { id } = await controller.write((change) => change.create('sessions', values))
      const session = await data(`/sessions/${id}`)
      const policies = naive.pair(identity, service).policies.filter((policy) => granted(policy, type))
      assert.deepEqual(ids(session.servicePolicies), policies.toSorted())
      assert.equal(session.edgeRouters?.length ?? 0, routers.length)
    }
  }
}

async function checkService(naive: NaiveAccess, service: Entity): Promise<void> {
  const at = `/services/${service.id}`
  const pairs = naive.identities.map((identity) => ({ identity, ...naive.pair(identity, service) }))
  const callers = (test: (pair: (typeof pairs)[number]) => boolean) =>
    pairs.filter(test).map(({ identity }) => identity)
  await assertListed(
    `${at}/identities`,
    callers(({ policies }) => policies.length > 0),
  )
  await assertListed(
    `${at}/identities?policyType=dial`,
    callers(({ isDialAllowed }) => isDialAllowed),
  )
  await assertListed(
    `${at}/identities?policyType=bind`,
    callers(({ isBindAllowed }) => isBindAllowed),
  )
  const selecting = naive.policiesOf('serviceEdgeRouterPolicies', 'serviceRoles', service)
  await assertListed(`${at}/service-policies`, naive.policiesOf('servicePolicies', 'serviceRoles', service))
  await assertListed(`${at}/service-edge-router-policies`, selecting)
  await assertListed(
    `${at}/edge-routers`,
    naive.routers.filter((router) => naive.isCarriedBy(service, router)),
  )
  await assertFound('services', service, naive.policiesOf('servicePolicies', 'serviceRoles', service))
}

async function checkRouter(naive: NaiveAccess, router: Entity): Promise<void> {
  const at = `/edge-routers/${router.id}`
  const selecting = (table: 'edgeRouterPolicies' | 'serviceEdgeRouterPolicies') =>
    naive.policiesOf(table, 'edgeRouterRoles', router)
  await assertListed(
    `${at}/identities`,
    naive.identities.filter((identity) => naive.entersBy(identity, router)),
  )
  await assertListed(
    `${at}/services`,
    naive.services.filter((service) => naive.isCarriedBy(service, router)),
  )
  await assertListed(`${at}/edge-router-policies`, selecting('edgeRouterPolicies'))
  await assertListed(`${at}/service-edge-router-policies`, selecting('serviceEdgeRouterPolicies'))
}

/** The members below the policies themselves. */
function* checkPolicies(naive: NaiveAccess): Generator<Promise<void>> {
  for (const policy of tables.rows('servicePolicies')) {
    const at = `/service-policies/${policy.id}`
    yield assertListed(`${at}/identities`, naive.members(policy, 'identityRoles'))
    yield assertListed(`${at}/services`, naive.members(policy, 'serviceRoles'))
  }
  for (const policy of tables.rows('edgeRouterPolicies')) {
    const at = `/edge-router-policies/${policy.id}`
    yield assertListed(`${at}/identities`, naive.members(policy, 'identityRoles'))
    yield assertListed(`${at}/edge-routers`, naive.members(policy, 'edgeRouterRoles'))
  }
  for (const policy of tables.rows('serviceEdgeRouterPolicies')) {
    const at = `/service-edge-router-policies/${policy.id}`
    yield assertListed(`${at}/services`, naive.members(policy, 'serviceRoles'))
    yield assertListed(`${at}/edge-routers`, naive.members(policy, 'edgeRouterRoles'))
  }
}

async function assertListed(path: string, expected: readonly Row[]): Promise<void> {
  const list = await data(`${path}${path.includes('?') ? '&' : '?'}limit=500`)
  assert.deepEqual(ids(list), ids(expected), path)
}

/** By a filter over the members of service policies. */
async function assertFound(symbol: 'identities' | 'services', { id }: Row, expected: readonly Row[]): Promise<void> {
  const filter = encodeURIComponent(`anyOf(${symbol}) = "${id}" limit none`)
  assert.deepEqual(ids(await data(`/service-policies?filter=${filter}`)), ids(expected), `${symbol} has ${id}`)
}

async function data(path: string) {
  const answer = await controller.askAdmin('GET', path)
  assert.equal(answer.status, 200, `${path}: ${answer.text}`)
  return answer.json.data
}

function ids(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id).sort()
}
