/**
 * Who may reach what: the relations that follow from the three kinds of policies.
 *
 * Nothing is denormalised. Each question is answered from two inverted indexes, attribute to members and term to policies,
 * so that writing a policy over everything costs as much as writing one over one thing. The view decides of which state
 * the answer speaks; the same code serves the controller's tables and a router's replica.
 */
import {
  type Candidates,
  type RoleList,
  type Semantic,
  selected,
  selectedByAny,
  selects,
  termsOf,
} from './role-selection.ts'

export type SelectedKind = 'identities' | 'services' | 'edgeRouters' | 'postureChecks'
export type PolicyKind = 'servicePolicies' | 'edgeRouterPolicies' | 'serviceEdgeRouterPolicies'
export type ServiceAccess = 'Dial' | 'Bind'

/** A policy as access sees it. The lists it does not have are empty. */
export interface AccessPolicy {
  readonly id: string
  readonly semantic: Semantic
  /** Of service policies. */
  readonly type?: ServiceAccess
  roles(kind: SelectedKind): readonly string[]
}

export interface AccessView {
  candidates(kind: SelectedKind): Candidates
  policy(kind: PolicyKind, id: string): AccessPolicy | undefined
  /** The policies whose roles for `selectedKind` contain the term. */
  policiesNaming(kind: PolicyKind, selectedKind: SelectedKind, term: string): Iterable<AccessPolicy>
}

/** The policies of a kind that select an entity. */
export function* policiesSelecting(
  view: AccessView,
  kind: PolicyKind,
  selectedKind: SelectedKind,
  id: string,
): Generator<AccessPolicy> {
  const candidates = view.candidates(selectedKind)
  if (!candidates.has(id)) return
  const attributes = candidates.attributesOf(id)
  const seen = new Set<string>()
  for (const term of termsOf(id, attributes)) {
    for (const policy of view.policiesNaming(kind, selectedKind, term)) {
      if (seen.has(policy.id)) continue
      seen.add(policy.id)
      if (selects(policy.roles(selectedKind), policy.semantic, id, attributes)) yield policy
    }
  }
}

/** The entities a policy selects. */
export function policyMembers(view: AccessView, policy: AccessPolicy, kind: SelectedKind): Iterable<string> {
  return selected(policy.roles(kind), policy.semantic, view.candidates(kind))
}

/** The entities that some policy selects together with the given one. */
export function related(
  view: AccessView,
  kind: PolicyKind,
  from: SelectedKind,
  id: string,
  to: SelectedKind,
  type?: ServiceAccess,
): ReadonlySet<string> {
  const lists: RoleList[] = []
  for (const policy of policiesSelecting(view, kind, from, id)) {
    if (type !== undefined && policy.type !== type) continue
    lists.push({ roles: policy.roles(to), semantic: policy.semantic })
  }
  return selectedByAny(lists, view.candidates(to))
}

/** Of some policies, those that select an entity, in the order in which they were given. */
export type PolicyLookup = (id: string, attributes: readonly string[]) => readonly AccessPolicy[]

/** Prepares some policies to be asked about many entities: each question looks only at policies that share a term. */
export function policyLookup(policies: Iterable<AccessPolicy>, kind: SelectedKind): PolicyLookup {
  const ordered = [...policies]
  const places = new Map<string, number[]>()
  for (const [place, policy] of ordered.entries()) {
    for (const term of policy.roles(kind)) {
      const known = places.get(term)
      if (known === undefined) places.set(term, [place])
      else known.push(place)
    }
  }
  return (id, attributes) => {
    const shared = new Set<number>()
    for (const term of termsOf(id, attributes)) for (const place of places.get(term) ?? []) shared.add(place)
    const inOrder = [...shared].sort((a, b) => a - b)
    const named = inOrder.map((place) => ordered[place]!)
    return named.filter((policy) => selects(policy.roles(kind), policy.semantic, id, attributes))
  }
}

/** The service policies that give an identity this access to a service. */
export function* grantingPolicies(
  view: AccessView,
  identityId: string,
  serviceId: string,
  type?: ServiceAccess,
): Generator<AccessPolicy> {
  const services = view.candidates('services')
  if (!services.has(serviceId)) return
  const attributes = services.attributesOf(serviceId)
  for (const policy of policiesSelecting(view, 'servicePolicies', 'identities', identityId)) {
    if (type !== undefined && policy.type !== type) continue
    if (selects(policy.roles('services'), policy.semantic, serviceId, attributes)) yield policy
  }
}

export function mayAccess(view: AccessView, identityId: string, serviceId: string, type: ServiceAccess): boolean {
  for (const _ of grantingPolicies(view, identityId, serviceId, type)) return true
  return false
}

/** The edge routers by which an identity may enter. */
export function routersOfIdentity(view: AccessView, identityId: string): ReadonlySet<string> {
  return related(view, 'edgeRouterPolicies', 'identities', identityId, 'edgeRouters')
}

/** The edge routers that may carry a service. */
export function routersOfService(view: AccessView, serviceId: string): ReadonlySet<string> {
  return related(view, 'serviceEdgeRouterPolicies', 'services', serviceId, 'edgeRouters')
}

/** What stands between an identity and a service, as the policy advisor reports it. Posture is not looked at. */
export interface Advice {
  readonly isDialAllowed: boolean
  readonly isBindAllowed: boolean
  readonly identityRouters: ReadonlySet<string>
  readonly serviceRouters: ReadonlySet<string>
  readonly commonRouters: readonly string[]
}

export function advise(view: AccessView, identityId: string, serviceId: string): Advice {
  const identityRouters = routersOfIdentity(view, identityId)
  const serviceRouters = routersOfService(view, serviceId)
  return {
    isDialAllowed: mayAccess(view, identityId, serviceId, 'Dial'),
    isBindAllowed: mayAccess(view, identityId, serviceId, 'Bind'),
    identityRouters,
    serviceRouters,
    commonRouters: [...identityRouters].filter((id) => serviceRouters.has(id)),
  }
}
