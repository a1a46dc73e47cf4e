/**
 * Who may reach what, told in the plainest way: every policy against every pair. What the inverted indexes are compared
 * with.
 */
import { isSelectable } from '../policies/access-view.ts'
import type { Row } from '../state/row.ts'
import type { View } from '../state/view.ts'

interface Entity extends Row {
  readonly roleAttributes: readonly string[]
}

type Roles = readonly string[]
type RoleList = 'identityRoles' | 'serviceRoles' | 'edgeRouterRoles'
type PolicyTable = 'servicePolicies' | 'edgeRouterPolicies' | 'serviceEdgeRouterPolicies'
type Policy = Row & Partial<Record<RoleList, Roles>> & { readonly semantic: string }

export interface NaivePair {
  readonly policies: readonly string[]
  readonly isDialAllowed: boolean
  readonly isBindAllowed: boolean
}

/** The rules of role lists, as the specification words them. */
export function naiveSelects(roles: Roles, semantic: string, { id, roleAttributes }: Entity): boolean {
  if (roles.includes('#all') || roles.includes(`@${id}`)) return true
  const wanted = roles.filter((role) => role.startsWith('#')).map((role) => role.slice(1))
  if (wanted.length === 0) return false
  const isHeld = (attribute: string) => roleAttributes.includes(attribute)
  return semantic === 'AllOf' ? wanted.every(isHeld) : wanted.some(isHeld)
}

/** All answers about a view, from its rows alone. */
export class NaiveAccess {
  readonly identities: readonly Entity[]
  readonly services: readonly Entity[]
  readonly routers: readonly Entity[]
  readonly #view: View

  constructor(view: View) {
    this.#view = view
    this.identities = view.rows('identities').toArray()
    this.services = view.rows('services').toArray().filter(isSelectable)
    this.routers = view.rows('routers').toArray().filter(isSelectable)
  }

  /** The service policies that bring the two together. */
  pair(identity: Entity, service: Entity): NaivePair {
    const policies = this.#view
      .rows('servicePolicies')
      .toArray()
      .filter(
        ({ identityRoles, serviceRoles, semantic }) =>
          naiveSelects(identityRoles, semantic, identity) && naiveSelects(serviceRoles, semantic, service),
      )
    return {
      policies: policies.map(({ id }) => id),
      isDialAllowed: policies.some(({ type }) => type === 'Dial'),
      isBindAllowed: policies.some(({ type }) => type === 'Bind'),
    }
  }

  entersBy(identity: Entity, router: Entity): boolean {
    return this.#view
      .rows('edgeRouterPolicies')
      .some(
        ({ identityRoles, edgeRouterRoles, semantic }) =>
          naiveSelects(identityRoles, semantic, identity) && naiveSelects(edgeRouterRoles, semantic, router),
      )
  }

  isCarriedBy(service: Entity, router: Entity): boolean {
    return this.#view
      .rows('serviceEdgeRouterPolicies')
      .some(
        ({ serviceRoles, edgeRouterRoles, semantic }) =>
          naiveSelects(serviceRoles, semantic, service) && naiveSelects(edgeRouterRoles, semantic, router),
      )
  }

  /** The policies of a kind whose roles select an entity. */
  policiesOf(table: PolicyTable, roles: RoleList, entity: Entity): readonly Row[] {
    const policies = this.#view.rows(table).toArray() as unknown as readonly Policy[]
    return policies.filter((policy) => naiveSelects(policy[roles] ?? [], policy.semantic, entity))
  }

  /** The entities that a list of roles of a policy selects. */
  members(policy: Policy, roles: RoleList): readonly Row[] {
    const { identities, services, routers } = this
    const candidates = { identityRoles: identities, serviceRoles: services, edgeRouterRoles: routers }[roles]
    return candidates.filter((entity) => naiveSelects(policy[roles] ?? [], policy.semantic, entity))
  }
}
