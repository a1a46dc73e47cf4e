/** A model as operators look at it: the tables by id, as plain JSON, with who and what belongs to each policy. */
import { type DataModel, type DataTableName, memberKinds } from './data-model.ts'

const shownTables = {
  configType: 'configTypes',
  config: 'configs',
  identity: 'identities',
  service: 'services',
  router: 'routers',
  postureCheck: 'postureChecks',
  publicKey: 'publicKeys',
  revocation: 'revocations',
} as const satisfies Partial<Record<DataTableName, string>>

const shownMembers = { service: 'services', identity: 'identities', postureCheck: 'postureChecks' } as const

export function shownModel(model: DataModel): Readonly<Record<string, unknown>> {
  const tables = Object.entries(shownTables).map(([kind, name]) => {
    return [name, byId(model.tables[kind as DataTableName], plain)] as const
  })
  const servicePolicies = byId(model.tables.servicePolicy, (policy) => ({
    ...policy,
    ...Object.fromEntries(
      memberKinds.map((kind) => [shownMembers[kind], [...model.members[kind].membersOf(policy.id)].sort()]),
    ),
  }))
  return { ...Object.fromEntries(tables), servicePolicies }
}

function byId<T>(table: ReadonlyMap<string, T>, shown: (row: T) => unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(table.entries().map(([id, row]) => [id, shown(row)]))
}

/** Maps as objects, bytes as base64, whole numbers of 64 bits as numbers. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (Array.isArray(value)) return value.map(plain)
  const entries = value instanceof Map ? [...value] : Object.entries(value)
  return Object.fromEntries(entries.map(([name, each]) => [name, plain(each)]))
}
