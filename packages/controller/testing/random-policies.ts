/**
 * Networks of identities, services, edge routers and all three kinds of policies, changed at random: every semantic,
 * `#attribute`, `@id`, `#all` and empty lists.
 */

import { isSelectable } from '../policies/access-view.ts'
import type { Change } from '../resource-kit/change.ts'
import type { Row, TableName } from '../state/row.ts'
import type { View } from '../state/view.ts'
import type { Seeded } from './seeded.ts'

const attributes = ['a', 'b', 'c', 'd', 'all']
const entityTables = ['identities', 'services', 'routers'] as const

const policyRoles = {
  servicePolicies: { identityRoles: 'identities', serviceRoles: 'services' },
  edgeRouterPolicies: { identityRoles: 'identities', edgeRouterRoles: 'routers' },
  serviceEdgeRouterPolicies: { serviceRoles: 'services', edgeRouterRoles: 'routers' },
} as const

type EntityTable = (typeof entityTables)[number]
type PolicyTable = keyof typeof policyRoles

const policyTables = Object.keys(policyRoles) as readonly PolicyTable[]

export class RandomPolicies {
  readonly #random: Seeded
  readonly #prefix: string
  #count = 0

  /** Ids and names begin with the prefix, and are the same for the same seed. */
  constructor(random: Seeded, prefix: string) {
    this.#random = random
    this.#prefix = prefix
  }

  /** A network to begin with, in place of any other. Administrators stay: somebody must ask. */
  fill(change: Change, sizes: { readonly entities: number; readonly policies: number }): void {
    for (const table of [...policyTables, ...entityTables]) {
      for (const id of idsOf(change.view, table, isChangeable)) change.remove(table, id)
    }
    for (const table of entityTables) for (let at = 0; at < sizes.entities; at++) this.#addEntity(change, table)
    for (const table of policyTables) for (let at = 0; at < sizes.policies; at++) this.#addPolicy(change, table)
  }

  /** One change: mostly of what somebody may reach. */
  step(change: Change): void {
    const random = this.#random
    const table = random.chance(2) ? random.pick(policyTables) : random.pick(entityTables)
    const ids = idsOf(change.view, table, isChangeable)
    const kind = ids.length === 0 ? 0 : random.below(8)
    if (kind < 2) this.#add(change, table)
    else if (kind === 2) change.remove(table, random.pick(ids))
    else change.update(table, random.pick(ids), this.#values(change.view, table))
  }

  #add(change: Change, table: EntityTable | PolicyTable): void {
    if (isPolicyTable(table)) this.#addPolicy(change, table)
    else this.#addEntity(change, table)
  }

  #addEntity(change: Change, table: EntityTable): void {
    this.#create(change, table, { ...this.#values(change.view, table), ...this.#visibility(table) })
  }

  #addPolicy(change: Change, table: PolicyTable): void {
    this.#create(change, table, this.#values(change.view, table))
  }

  #create(change: Change, table: EntityTable | PolicyTable, values: Readonly<Record<string, unknown>>): void {
    const id = `${this.#prefix}-${++this.#count}`
    change.create(table, { name: `${table} ${id}`, ...values }, { id })
  }

  #values(view: View, table: EntityTable | PolicyTable): Readonly<Record<string, unknown>> {
    const random = this.#random
    if (!isPolicyTable(table)) return { roleAttributes: random.some(attributes) }
    const roles = Object.entries(policyRoles[table]).map(([name, of]) => [name, this.#roles(view, of)])
    const type = table === 'servicePolicies' ? { type: random.pick(['Dial', 'Bind']) } : {}
    return { semantic: random.pick(['AllOf', 'AnyOf']), ...type, ...Object.fromEntries(roles) }
  }

  /** Some of them no role can select. */
  #visibility(table: EntityTable): Readonly<Record<string, unknown>> {
    const isHidden = this.#random.chance(6)
    if (table === 'services') return { isFabricOnly: isHidden }
    return table === 'routers' ? { kind: isHidden ? 'transit' : 'edge' } : {}
  }

  #roles(view: View, table: EntityTable): readonly string[] {
    const random = this.#random
    const kind = random.below(8)
    if (kind === 0) return []
    if (kind === 1) return ['#all']
    const named = random.some(idsOf(view, table, isSelectable), 6).slice(0, 3)
    const wanted = random.some(
      attributes.filter((attribute) => attribute !== 'all'),
      3,
    )
    return [...wanted.map((attribute) => `#${attribute}`), ...(kind < 5 ? named.map((id) => `@${id}`) : [])]
  }
}

function isPolicyTable(table: string): table is PolicyTable {
  return table in policyRoles
}

function isChangeable(row: Row): boolean {
  return !(row as { readonly isAdmin?: boolean }).isAdmin
}

function idsOf(view: View, table: TableName, test: (row: Row) => boolean): readonly string[] {
  return view
    .rows(table)
    .filter(test)
    .map(({ id }) => id)
    .toArray()
}
