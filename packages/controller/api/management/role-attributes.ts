/**
 * Role attributes: which ones are in use, and by whom.
 *
 * Both lists come from the inverted indexes by which policies are evaluated. Only the filter counts here; paging
 * parameters are not read, and without a limit in the filter everything is listed.
 */
import { compareBytes } from '../../query/byte-order.ts'
import type { SymbolTable } from '../../query/symbol.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { answerFilter } from '../../resource-kit/list-answer.ts'
import type { TableName } from '../../state/row.ts'
import type { View } from '../../state/view.ts'
import type { Answer, Call, Operation } from '../operation.ts'

/** An index whose keys are attributes, or roles that name attributes. */
interface Source {
  readonly table: string
  readonly index: string
}

/** Entities that have attributes: who may see them, and where they are used. Members are named as the answer names them. */
interface Kind {
  readonly name: string
  readonly permission: string
  readonly entities: Readonly<Record<string, Source>>
  readonly policies: Readonly<Record<string, Source>>
}

function kind(
  name: string,
  permission: string,
  member: string,
  table: string,
  roles: string,
  policies: readonly string[],
) {
  return {
    name,
    permission,
    entities: { [member]: { table, index: 'roleAttributes' } },
    policies: Object.fromEntries(policies.map((policy) => [policy, { table: policy, index: roles }])),
  }
}

const kinds: readonly Kind[] = [
  kind('Identity', 'identity', 'identities', 'identities', 'identityRoles', ['servicePolicies', 'edgeRouterPolicies']),
  kind('EdgeRouter', 'router', 'edgeRouters', 'routers', 'edgeRouterRoles', [
    'edgeRouterPolicies',
    'serviceEdgeRouterPolicies',
  ]),
  kind('Service', 'service', 'services', 'services', 'serviceRoles', ['servicePolicies', 'serviceEdgeRouterPolicies']),
  kind('PostureCheck', 'posture-check', 'postureChecks', 'postureChecks', 'postureCheckRoles', ['servicePolicies']),
]

export function roleAttributeOperations({ view }: Kit): Operation[] {
  return kinds.flatMap((kind) => {
    const path = `/${kind.name.replace(/\B[A-Z]/, '-$&').toLowerCase()}-role-attribute`
    const read = { method: 'GET', access: { entity: kind.permission, action: 'read' } } as const
    return [
      {
        ...read,
        operationId: `list${kind.name}RoleAttributes`,
        path: `${path}s`,
        handle: (call) => answerAttributes(call, attributesOf(kind, view), ({ id }) => id),
      },
      {
        ...read,
        operationId: `list${kind.name}RoleAttributeUsage`,
        path: `${path}-usage`,
        handle: (call) => {
          const withIds = call.query.get('withIds') === 'true'
          return answerAttributes(call, usedAttributes(kind, view), ({ id }) => usageOf(kind, view, id, withIds))
        },
      },
    ] satisfies Operation[]
  })
}

interface Attribute {
  readonly id: string
}

const symbols: SymbolTable<Attribute, undefined> = {
  symbols: new Map([['id', { type: 'string', value: ({ id }) => id, isSortable: true }]]),
}

function answerAttributes(call: Call, ids: Iterable<string>, record: (attribute: Attribute) => unknown): Answer {
  const rows = [...ids].sort(compareBytes).map((id) => ({ id }))
  const source = { size: rows.length, all: () => rows, lookup: () => undefined }
  return answerFilter(call, { source, symbols, context: undefined, filterableFields: ['id'], record })
}

function attributesOf({ entities }: Kind, view: View): Set<string> {
  return new Set(Object.values(entities).flatMap(({ table, index }) => [...view.keys(table as TableName, index)]))
}

/** The attributes of entities, and those that only policies name. */
function usedAttributes(kind: Kind, view: View): Set<string> {
  const used = attributesOf(kind, view)
  for (const { table, index } of Object.values(kind.policies)) {
    for (const role of view.keys(table as TableName, index)) if (namesAttribute(role)) used.add(role.slice(1))
  }
  return used
}

/** `#all` is no attribute: it names everything. */
function namesAttribute(role: string): boolean {
  return role.startsWith('#') && role !== '#all'
}

function usageOf({ entities, policies }: Kind, view: View, roleAttribute: string, withIds: boolean) {
  const usage: Record<string, unknown> = {}
  for (const [name, source] of Object.entries(entities)) usage[name] = holders(view, source, roleAttribute, withIds)
  const role = `#${roleAttribute}`
  for (const [name, source] of Object.entries(policies)) {
    usage[name] = namesAttribute(role) ? holders(view, source, role, withIds) : { count: 0, ids: withIds ? [] : null }
  }
  return { roleAttribute, usage }
}

function holders(view: View, { table, index }: Source, key: string, withIds: boolean) {
  if (!withIds) return { count: view.countOf(table as TableName, index, key), ids: null }
  const ids: string[] = []
  for (const row of view.find(table as TableName, index, key) as Iterable<Attribute>) ids.push(row.id)
  return { count: ids.length, ids: ids.sort(compareBytes) }
}
