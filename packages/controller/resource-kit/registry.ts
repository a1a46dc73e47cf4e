/**
 * All resources together: the tables they live in, the indexes those need, and who refers to whom.
 *
 * Built once at start, from the list of declarations; a collection or table that is named but not there fails here.
 */
import type { IndexSpec, TableSpec } from '../state/index-spec.ts'
import type { Row } from '../state/row.ts'
import type { View } from '../state/view.ts'
import { type AnyFields, type Field, tagsField } from './fields.ts'
import { indexKeys } from './index-keys.ts'
import type { Follow, Resource, Rule } from './resource.ts'

/** The one key of an index of what is outside. */
const OUTSIDE = 'outside'

/** What the kit must know of a table to change it safely, gathered from the resources that share it. */
export interface TableDefinition {
  readonly name: string
  /** The singular of the first resource that declared it. */
  readonly singular: string
  readonly fields: AnyFields
  /** The fields besides the tags, as a list: every write walks it. */
  readonly ownFields: readonly NamedField[]
  /** The fields whose values are normalised or checked, whoever writes them. */
  readonly settledFields: readonly NamedField[]
  /** The fields that hold ids or roles. */
  readonly pointingFields: readonly NamedField[]
  readonly rules: readonly Rule<Row>[]
  readonly follow: readonly Follow<Row>[]
  readonly secrets: readonly string[]
  readonly unique: readonly string[]
  /** Fields that a body says and no row keeps. */
  readonly transient: readonly string[]
  /** Fields whose value follows from the others. */
  readonly derived: readonly { readonly name: string; readonly derive: NonNullable<Field['derive']> }[]
}

export interface NamedField {
  readonly name: string
  readonly field: Field
}

/** A field of a table that holds ids of another. */
export interface Referrer {
  readonly table: string
  readonly fieldName: string
  readonly field: Field
}

export class Registry {
  readonly resources: ReadonlyMap<string, Resource>
  readonly tables: ReadonlyMap<string, TableDefinition>
  readonly specs: ReadonlyMap<string, TableSpec>
  readonly #referrers = new Map<string, Referrer[]>()

  /** `kept`: the tables that another registry has already declared, when these resources only show them otherwise. */
  constructor(resources: readonly Resource[], kept?: Registry) {
    this.resources = byCollection(resources)
    this.tables = kept?.tables ?? tablesOf(resources)
    this.specs =
      kept?.specs ?? new Map([...this.tables.values()].map((table) => [table.name, specOf(table, resources)]))
    for (const table of this.tables.values()) this.#recordReferences(table)
    this.#check()
  }

  /** The same tables as the resources of another API show them. */
  shownBy(resources: readonly Resource[]): Registry {
    return new Registry(resources, this)
  }

  resource(collection: string): Resource {
    const resource = this.resources.get(collection)
    if (resource === undefined) throw new Error(`there is no collection ${collection}`)
    return resource
  }

  table(name: string): TableDefinition {
    const table = this.tables.get(name)
    if (table === undefined) throw new Error(`there is no table ${name}`)
    return table
  }

  /** The fields, of any table, that may hold ids of rows of this one. */
  referrers(table: string): readonly Referrer[] {
    return this.#referrers.get(table) ?? []
  }

  /** The row as the journal, events and logs may show it. */
  withoutSecrets(table: string, row: Row): Row {
    const { secrets } = this.table(table)
    if (secrets.length === 0) return row
    const shown: Record<string, unknown> = { ...row }
    for (const name of secrets) delete shown[name]
    return shown as unknown as Row
  }

  #recordReferences(table: TableDefinition): void {
    for (const [fieldName, field] of Object.entries(table.fields)) {
      const target = field.refersTo?.table ?? field.selects
      if (target === undefined) continue
      const list = this.#referrers.get(target) ?? []
      list.push({ table: table.name, fieldName, field })
      this.#referrers.set(target, list)
    }
  }

  #check(): void {
    for (const target of this.#referrers.keys()) this.table(target)
    for (const { table, collection, fields, sublists } of this.resources.values()) {
      const kept = this.table(table).fields
      for (const [name, field] of Object.entries(fields)) {
        if (kept[name] !== (field.restricts ?? field))
          throw new Error(`${collection} declares ${table}.${name} differently`)
        if (field.refersTo?.collection !== undefined) this.resource(field.refersTo.collection)
      }
      for (const sublist of Object.values(sublists ?? {})) this.resource(sublist.of)
    }
  }
}

function byCollection(resources: readonly Resource[]): Map<string, Resource> {
  const known = new Map<string, Resource>()
  for (const resource of resources) {
    if (known.has(resource.collection)) throw new Error(`there are two collections ${resource.collection}`)
    known.set(resource.collection, resource)
  }
  return known
}

function tablesOf(resources: readonly Resource[]): Map<string, TableDefinition> {
  const tables = new Map<string, TableDefinition>()
  for (const resource of resources) {
    const known = tables.get(resource.table)
    const fields: Record<string, Field> = { ...known?.fields, tags: tagsField as Field }
    for (const [name, declared] of Object.entries(resource.fields)) {
      const field = declared.restricts ?? declared
      if (known?.fields[name] !== undefined && known.fields[name] !== field) {
        throw new Error(`${resource.collection} declares ${resource.table}.${name} differently`)
      }
      fields[name] = field
    }
    const named = Object.entries(fields).map(([name, field]) => ({ name, field }))
    tables.set(resource.table, {
      name: resource.table,
      singular: known?.singular ?? resource.singular,
      fields,
      ownFields: named.filter(({ name }) => name !== 'tags'),
      settledFields: named.filter(({ field }) => field.normalise !== undefined || field.holds !== undefined),
      pointingFields: named.filter(({ field }) => field.refersTo !== undefined || field.selects !== undefined),
      rules: [...new Set([...(known?.rules ?? []), ...(resource.rules ?? [])])],
      follow: [...new Set([...(known?.follow ?? []), ...(resource.follow ?? [])])],
      secrets: Object.keys(fields).filter((name) => fields[name]!.isSecret),
      unique: Object.keys(fields).filter((name) => fields[name]!.unique !== undefined),
      transient: Object.keys(fields).filter((name) => fields[name]!.isTransient),
      derived: Object.entries(fields).flatMap(([name, { derive }]) => (derive === undefined ? [] : [{ name, derive }])),
    })
  }
  return tables
}

function specOf(table: TableDefinition, resources: readonly Resource[]): TableSpec {
  const indexes: IndexSpec[] = []
  for (const [name, field] of Object.entries(table.fields)) {
    const isIndexed = field.unique ?? field.refersTo ?? field.selects ?? field.isRoleAttributes
    if (!isIndexed) continue
    const isName = name === 'name'
    indexes.push({ name, keys: keysOf(name), isOrdered: isName, isSearched: isName })
  }
  for (const { table: name, collection, includes } of resources) {
    if (name !== table.name || includes === undefined) continue
    indexes.push({ name: outsideIndex(collection), keys: (row) => (includes(row) ? insideKeys : outsideKeys) })
  }
  return { name: table.name, indexes }
}

const insideKeys: readonly string[] = []
const outsideKeys: readonly string[] = [OUTSIDE]

/** The index of a shared table that holds the rows that a resource does not show. */
function outsideIndex(collection: string): string {
  return `outside ${collection}`
}

/** How many rows of its table a resource does not show. */
export function countOutside(view: View, { collection, table, includes }: Resource): number {
  return includes === undefined ? 0 : view.countOf(table, outsideIndex(collection), OUTSIDE)
}

function keysOf(name: string): (row: Row) => readonly string[] {
  return (row) => indexKeys((row as unknown as Record<string, unknown>)[name])
}
