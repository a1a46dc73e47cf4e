import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AccessPolicy,
  type AccessView,
  advise,
  grantingPolicies,
  mayAccess,
  type PolicyKind,
  type PolicyLookup,
  policiesSelecting,
  policyLookup,
  policyMembers,
  related,
  routersOfIdentity,
  routersOfService,
  type SelectedKind,
  type ServiceAccess,
} from './access.ts'
import type { Candidates, Semantic } from './role-selection.ts'

const NETWORKS = 60
const attributes = ['a', 'b', 'c', 'all']

/** Which two kinds a kind of policy brings together. */
const sides: Readonly<Record<PolicyKind, readonly [SelectedKind, SelectedKind]>> = {
  servicePolicies: ['identities', 'services'],
  edgeRouterPolicies: ['identities', 'edgeRouters'],
  serviceEdgeRouterPolicies: ['services', 'edgeRouters'],
}

interface Policy {
  readonly id: string
  readonly kind: PolicyKind
  readonly semantic: Semantic
  readonly type: ServiceAccess
  readonly roles: Readonly<Partial<Record<SelectedKind, readonly string[]>>>
}

type Entities = ReadonlyMap<string, readonly string[]>

class Network implements AccessView {
  readonly entities: Readonly<Record<SelectedKind, Entities>>
  readonly policies: readonly Policy[]

  constructor(entities: Network['entities'], policies: readonly Policy[]) {
    this.entities = entities
    this.policies = policies
  }

  candidates(kind: SelectedKind): Candidates {
    const entities = this.entities[kind]
    const holders = (attribute: string) => [...entities.keys()].filter((id) => entities.get(id)!.includes(attribute))
    return {
      all: () => entities.keys(),
      has: (id) => entities.has(id),
      withAttribute: holders,
      countWithAttribute: (attribute) => holders(attribute).length,
      attributesOf: (id) => entities.get(id) ?? [],
    }
  }

  policy(kind: PolicyKind, id: string): AccessPolicy | undefined {
    const policy = this.policies.find((known) => known.kind === kind && known.id === id)
    return policy && seen(policy)
  }

  *policiesNaming(kind: PolicyKind, selectedKind: SelectedKind, term: string): Generator<AccessPolicy> {
    for (const policy of this.policies) {
      if (policy.kind === kind && policy.roles[selectedKind]?.includes(term)) yield seen(policy)
    }
  }

  /** Whether a policy selects an entity, in the plainest words. */
  isMember({ roles, semantic }: Policy, kind: SelectedKind, id: string): boolean {
    const list = roles[kind] ?? []
    const held = this.entities[kind].get(id)!
    const wanted = list.filter((role) => role.startsWith('#')).map((role) => role.slice(1))
    if (list.includes('#all') || list.includes(`@${id}`)) return true
    if (wanted.length === 0) return false
    const isHeld = (attribute: string) => held.includes(attribute)
    return semantic === 'AllOf' ? wanted.every(isHeld) : wanted.some(isHeld)
  }

  /** The policies that select both. */
  joining(kind: PolicyKind, left: string, right: string, type?: ServiceAccess): readonly string[] {
    const [leftKind, rightKind] = sides[kind]
    return this.policies
      .filter((policy) => policy.kind === kind && (type === undefined || policy.type === type))
      .filter((policy) => this.isMember(policy, leftKind, left) && this.isMember(policy, rightKind, right))
      .map(({ id }) => id)
  }

  ids(kind: SelectedKind): readonly string[] {
    return [...this.entities[kind].keys()]
  }
}

for (let seed = 1; seed <= NETWORKS; seed++) {
  test(`every question has the answer of the plainest one (seed ${seed})`, () => {
    const network = randomNetwork(seed)
    for (const kind of Object.keys(sides) as readonly PolicyKind[]) compareKind(network, kind)
    for (const identity of network.ids('identities')) {
      const enters = network
        .ids('edgeRouters')
        .filter((id) => network.joining('edgeRouterPolicies', identity, id).length)
      assert.deepEqual(sorted(routersOfIdentity(network, identity)), sorted(enters))
      for (const service of network.ids('services')) comparePair(network, identity, service, enters)
    }
  })
}

test('what does not exist reaches nothing and is reached by nothing', () => {
  const network = randomNetwork(7)
  const [service] = network.ids('services')
  assert.deepEqual([...policiesSelecting(network, 'servicePolicies', 'identities', 'gone')], [])
  assert.deepEqual([...grantingPolicies(network, 'gone', service!)], [])
  for (const identity of network.ids('identities')) {
    assert.deepEqual([...grantingPolicies(network, identity, 'gone')], [])
    assert.equal(mayAccess(network, identity, 'gone', 'Dial'), false)
  }
  assert.equal(related(network, 'servicePolicies', 'services', 'gone', 'identities').size, 0)
})

/** From either side of a kind of policies, and from the policies themselves. */
function compareKind(network: Network, kind: PolicyKind): void {
  const [left, right] = sides[kind]
  for (const policy of network.policies.filter((known) => known.kind === kind)) {
    for (const side of sides[kind]) {
      const expected = network.ids(side).filter((id) => network.isMember(policy, side, id))
      assert.deepEqual(sorted(policyMembers(network, network.policy(kind, policy.id)!, side)), sorted(expected))
    }
  }
  const ofKind = network.policies.filter((policy) => policy.kind === kind).map(seen)
  const lookups: Partial<Record<SelectedKind, PolicyLookup>> = {
    [left]: policyLookup(ofKind, left),
    [right]: policyLookup(ofKind, right),
  }
  for (const from of sides[kind]) {
    const to = from === left ? right : left
    for (const id of network.ids(from)) {
      const selecting = [...policiesSelecting(network, kind, from, id)].map((policy) => policy.id)
      const expected = network.policies.filter((policy) => policy.kind === kind && network.isMember(policy, from, id))
      assert.deepEqual(sorted(selecting), sorted(expected.map((policy) => policy.id)))
      const found = lookups[from]!(id, network.entities[from].get(id)!)
      assert.deepEqual(
        found.map((policy) => policy.id),
        expected.map((policy) => policy.id),
      )
      for (const type of kind === 'servicePolicies' ? ([undefined, 'Dial', 'Bind'] as const) : [undefined]) {
        const joined = (other: string) =>
          from === left ? network.joining(kind, id, other, type) : network.joining(kind, other, id, type)
        const others = network.ids(to).filter((other) => joined(other).length > 0)
        assert.deepEqual(sorted(related(network, kind, from, id, to, type)), sorted(others))
      }
    }
  }
}

function comparePair(network: Network, identity: string, service: string, enters: readonly string[]): void {
  const joining = (type?: ServiceAccess) => network.joining('servicePolicies', identity, service, type)
  for (const type of [undefined, 'Dial', 'Bind'] as const) {
    const granting = [...grantingPolicies(network, identity, service, type)].map(({ id }) => id)
    assert.deepEqual(sorted(granting), sorted(joining(type)))
    if (type !== undefined) assert.equal(mayAccess(network, identity, service, type), joining(type).length > 0)
  }
  const carried = network
    .ids('edgeRouters')
    .filter((id) => network.joining('serviceEdgeRouterPolicies', service, id).length)
  assert.deepEqual(sorted(routersOfService(network, service)), sorted(carried))
  const { identityRouters, serviceRouters, commonRouters, ...may } = advise(network, identity, service)
  assert.deepEqual(may, {
    isDialAllowed: joining('Dial').length > 0,
    isBindAllowed: joining('Bind').length > 0,
  })
  assert.deepEqual(sorted(identityRouters), sorted(enters))
  assert.deepEqual(sorted(serviceRouters), sorted(carried))
  assert.deepEqual(sorted(commonRouters), sorted(enters.filter((id) => carried.includes(id))))
}

function seen({ id, semantic, type, kind, roles }: Policy): AccessPolicy {
  return { id, semantic, ...(kind === 'servicePolicies' && { type }), roles: (selected) => roles[selected] ?? [] }
}

function sorted(ids: Iterable<string>): readonly string[] {
  return [...ids].sort()
}

function randomNetwork(seed: number): Network {
  let state = seed
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 8) % limit
  }
  const some = <T>(list: readonly T[], oneIn: number) => list.filter(() => below(oneIn) === 0)
  const entities = (prefix: string): Entities =>
    new Map(Array.from({ length: 1 + below(8) }, (_, at) => [`${prefix}${at}`, some(attributes, 2)]))
  const all = {
    identities: entities('i'),
    services: entities('s'),
    edgeRouters: entities('r'),
    postureChecks: entities('p'),
  }
  const roles = (kind: SelectedKind): readonly string[] => {
    const choice = below(8)
    if (choice === 0) return []
    if (choice === 1) return ['#all']
    const ids = choice < 5 ? some([...all[kind].keys(), 'gone'], 4) : []
    return [...some(['#a', '#b', '#c'], 3), ...ids.map((id) => `@${id}`)]
  }
  const policies = (Object.keys(sides) as readonly PolicyKind[]).flatMap((kind) =>
    Array.from({ length: below(8) }, (_, at): Policy => {
      const [left, right] = sides[kind]
      const semantic = below(2) === 0 ? 'AllOf' : 'AnyOf'
      const type = below(2) === 0 ? 'Dial' : 'Bind'
      return { id: `${kind}${at}`, kind, semantic, type, roles: { [left]: roles(left), [right]: roles(right) } }
    }),
  )
  return new Network(all, policies)
}
