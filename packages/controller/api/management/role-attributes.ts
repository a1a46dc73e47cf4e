/**
 * Role attributes: which ones are in use, and by whom.
 *
 * Both lists come from the inverted indexes by which policies are evaluated. Only the filter counts here; paging
 * parameters are not read, and without a limit in the filter everything is listed.
 */

import { type Answer, type Call, listParameters, type Operation } from '../../operation/operation.ts'
import { compareBytes } from '../../query/byte-order.ts'
import type { SymbolTable } from '../../query/symbol.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { answerFilter } from '../../resource-kit/list-answer.ts'
import type { TableName } from '../../state/row.ts'
import type { View } from '../../state/view.ts'

/** Entities that have attributes, and the policies that select them. */
interface Kind {
  readonly name: string
  readonly path: string
  readonly permission: string
  /** What usage calls the entities. */
  readonly member: string
  readonly table: TableName
  /** The field of the policies that names the entities. */
  readonly roles: string
  readonly policies: readonly TableName[]
}

const kinds: readonly Kind[] = [
  {
    name: 'Identity',
    path: '/identity',
    permission: 'identity',
    member: 'identities',
    table: 'identities',
    roles: 'identityRoles',
    policies: ['servicePolicies', 'edgeRouterPolicies'],
  },
  {
    name: 'EdgeRouter',
    path: '/edge-router',
    permission: 'router',
    member: 'edgeRouters',
    table: 'routers',
    roles: 'edgeRouterRoles',
    policies: ['edgeRouterPolicies', 'serviceEdgeRouterPolicies'],
  },
  {
    name: 'Service',
    path: '/service',
    permission: 'service',
    member: 'services',
    table: 'services',
    roles: 'serviceRoles',
    policies: ['servicePolicies', 'serviceEdgeRouterPolicies'],
  },
  {
    name: 'PostureCheck',
    path: '/posture-check',
    permission: 'posture-check',
    member: 'postureChecks',
    table: 'postureChecks',
    roles: 'postureCheckRoles',
    policies: ['servicePolicies'],
  },
]

export function roleAttributeOperations({ view }: Kit): Operation[] {
  return kinds.flatMap((kind) => [attributeList(kind, view), usageList(kind, view)])
}

function attributeList({ name, path, permission, table }: Kind, view: View): Operation {
  return {
    operationId: `list${name}RoleAttributes`,
    method: 'GET',
    path: `${path}-role-attributes`,
    access: { entity: permission, action: 'read' },
    parameters: listParameters,
    handle: (call) => answerAttributes(call, view.keys(table, 'roleAttributes'), (attribute) => attribute),
  }
}

function usageList(kind: Kind, view: View): Operation {
  return {
    operationId: `list${kind.name}RoleAttributeUsage`,
    method: 'GET',
    path: `${kind.path}-role-attribute-usage`,
    access: { entity: kind.permission, action: 'read' },
    parameters: [...listParameters, { name: 'withIds', kind: 'boolean' }],
    handle(call: Call) {
      const show = call.query.get('withIds') === 'true' ? holderIds : holderCount
      return answerAttributes(call, usedAttributes(kind, view), (attribute) => usageOf(kind, view, attribute, show))
    },
  }
}

const symbols: SymbolTable<string, undefined> = {
  symbols: new Map([['id', { type: 'string', value: (attribute) => attribute, isSortable: true }]]),
}

function answerAttributes(call: Call, attributes: Iterable<string>, record: (attribute: string) => unknown): Answer {
  const rows = [...attributes].sort(compareBytes)
  const source = { size: rows.length, all: () => rows, lookup: () => undefined }
  return answerFilter(call, { source, symbols, context: undefined, filterableFields: ['id'], record })
}

/** The attributes of entities, and those that only policies name. */
function usedAttributes({ table, policies, roles }: Kind, view: View): Set<string> {
  const used = new Set(view.keys(table, 'roleAttributes'))
  for (const policy of policies) {
    for (const role of view.keys(policy, roles)) if (namesAttribute(role)) used.add(role.slice(1))
  }
  return used
}

/** `#all` is no attribute: it names everything. */
function namesAttribute(role: string): boolean {
  return role.startsWith('#') && role !== '#all'
}

type Show = (view: View, table: TableName, index: string, key: string) => Usage

interface Usage {
  readonly count: number
  readonly ids: readonly string[] | null
}

function usageOf({ member, table, policies, roles }: Kind, view: View, roleAttribute: string, show: Show) {
  const usage: Record<string, Usage> = { [member]: show(view, table, 'roleAttributes', roleAttribute) }
  // An attribute that is called all cannot be named by a policy; the empty key has no holders.
  const role = roleAttribute === 'all' ? '' : `#${roleAttribute}`
  for (const policy of policies) usage[policy] = show(view, policy, roles, role)
  return { roleAttribute, usage }
}

function holderCount(view: View, table: TableName, index: string, key: string): Usage {
  return { count: view.countOf(table, index, key), ids: null }
}

function holderIds(view: View, table: TableName, index: string, key: string): Usage {
  const ids = [...view.find(table, index, key).map(({ id }) => id)].sort(compareBytes)
  return { count: ids.length, ids }
}
