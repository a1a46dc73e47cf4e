/**
 * The controller's tables as the access relations want to see them.
 *
 * Services made for the fabric alone and routers without an edge are invisible here: no role selects them, not even `#all`.
 */
import type {
  AccessPolicy,
  AccessView,
  Candidates,
  PolicyKind,
  SelectedKind,
  Semantic,
  ServiceAccess,
} from '@weft/model'
import type { Row, TableName } from '../state/row.ts'
import type { View } from '../state/view.ts'

const tableOf: Readonly<Record<SelectedKind, string>> = {
  identities: 'identities',
  services: 'services',
  edgeRouters: 'routers',
  postureChecks: 'postureChecks',
}

const roleFieldOf: Readonly<Record<SelectedKind, string>> = {
  identities: 'identityRoles',
  services: 'serviceRoles',
  edgeRouters: 'edgeRouterRoles',
  postureChecks: 'postureCheckRoles',
}

interface Selectable extends Row {
  readonly roleAttributes: readonly string[]
  readonly isFabricOnly?: boolean
  readonly kind?: string
}

interface PolicyRow extends Row {
  readonly semantic: Semantic
  readonly type?: ServiceAccess
}

export function accessView(view: View): AccessView {
  return {
    candidates: (kind) => candidatesOf(view, kind),
    policy: (kind, id) => policyOf(view.get(kind as TableName, id) as unknown as PolicyRow | undefined),
    *policiesNaming(kind: PolicyKind, selectedKind: SelectedKind, term: string) {
      for (const row of view.find(kind as TableName, roleFieldOf[selectedKind], term)) {
        yield policyOf(row as unknown as PolicyRow)!
      }
    },
  }
}

function policyOf(row: PolicyRow | undefined): AccessPolicy | undefined {
  if (row === undefined) return undefined
  const lists = row as unknown as Readonly<Record<string, readonly string[] | undefined>>
  const roles = (kind: SelectedKind) => lists[roleFieldOf[kind]] ?? []
  return { id: row.id, semantic: row.semantic, ...(row.type && { type: row.type }), roles }
}

function candidatesOf(view: View, kind: SelectedKind): Candidates {
  const table = tableOf[kind] as TableName
  const find = (id: string) => {
    const row = view.get(table, id) as unknown as Selectable | undefined
    return row !== undefined && isSelectable(row) ? row : undefined
  }
  return {
    *all() {
      for (const row of view.rows(table) as unknown as Iterable<Selectable>) if (isSelectable(row)) yield row.id
    },
    has: (id) => find(id) !== undefined,
    *withAttribute(attribute) {
      for (const row of view.find(table, 'roleAttributes', attribute) as unknown as Iterable<Selectable>) {
        if (isSelectable(row)) yield row.id
      }
    },
    countWithAttribute: (attribute) => view.countOf(table, 'roleAttributes', attribute),
    attributesOf: (id) => find(id)?.roleAttributes ?? [],
  }
}

/** Whether roles can select a row, by attribute, by id or as one of all. */
export function isSelectable(row: Row): boolean {
  const { isFabricOnly, kind } = row as Selectable
  return isFabricOnly !== true && (kind === undefined || kind === 'edge')
}
