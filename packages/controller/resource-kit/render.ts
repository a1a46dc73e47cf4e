/**
 * From rows to the records that are answered.
 */
import type { Row, TableName } from '../state/row.ts'
import type { Field } from './fields.ts'
import type { Registry } from './registry.ts'
import type { Place, Rendering, Resource } from './resource.ts'

export type Link = { readonly href: string }
export type Links = Readonly<Record<string, Link>>

/** A reference to another entity, as records carry it. */
export interface EntityReference {
  readonly _links: Links
  readonly entity: string
  readonly id: string
  readonly name?: string
}

export class Renderer {
  readonly #registry: Registry

  constructor(registry: Registry) {
    this.#registry = registry
  }

  record(resource: Resource, row: Row, rendering: Rendering): Record<string, unknown> {
    const record: Record<string, unknown> = {
      id: row.id,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
      tags: row.tags,
      _links: this.links(resource, row),
    }
    const values = row as unknown as Readonly<Record<string, unknown>>
    for (const [name, field] of Object.entries(resource.fields)) {
      if (field.shown === 'never' || field.isTransient) continue
      if (field.onlyFor !== undefined && !isOfVariant(resource, values, field)) continue
      const value = values[name]
      if (field.shown !== 'when set' || isSet(value)) record[name] = shownValue(field, value)
      const shownAs = field.refersTo?.shownAs
      if (shownAs !== undefined && typeof value === 'string' && value !== '') {
        record[shownAs] = this.#referenceOf(field, value, rendering)
      }
    }
    for (const [name, live] of Object.entries(resource.live ?? {})) {
      const value = live(row, rendering)
      if (value !== undefined) record[name] = value
    }
    return record
  }

  links(resource: Resource, row: Row): Links {
    const self = `./${resource.collection}/${row.id}`
    const links: Record<string, Link> = { self: { href: self } }
    for (const [path, sublist] of Object.entries(resource.sublists ?? {})) {
      if (sublist.isLinked) links[path] = { href: `${self}/${path}` }
    }
    for (const [name, href] of Object.entries(resource.links?.(row) ?? {})) links[name] = { href }
    return links
  }

  /** A reference to an entity by collection; undefined when it is not there. */
  reference(collection: string, id: string, rendering: Pick<Rendering, 'view'>): EntityReference | undefined {
    const resource = this.#registry.resource(collection)
    const row = rendering.view.get(resource.table, id) as Row | undefined
    if (row === undefined) return undefined
    const name = (row as unknown as { readonly name?: string }).name
    return { _links: this.links(resource, row), entity: collection, id, ...(name && { name }) }
  }

  #referenceOf(field: Field, id: string, rendering: Rendering): EntityReference | undefined {
    const { table, collection } = field.refersTo!
    return this.reference(collection ?? this.#collectionOf(table), id, rendering)
  }

  #collectionOf(table: string): string {
    for (const resource of this.#registry.resources.values()) {
      if (resource.table === (table as TableName)) return resource.collection
    }
    throw new Error(`no collection shows ${table}`)
  }
}

export type { Place }

function isOfVariant(resource: Resource, values: Readonly<Record<string, unknown>>, field: Field): boolean {
  for (const [name, candidate] of Object.entries(resource.fields)) {
    if (candidate.required === 'always') return field.onlyFor!.includes(String(values[name]))
  }
  return true
}

function isSet(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === 0 || value === '') return false
  if (Array.isArray(value)) return value.length > 0
  return typeof value !== 'object' || Object.keys(value).length > 0
}

function shownValue(field: Field, value: unknown): unknown {
  return field.isNullWhenEmpty && Array.isArray(value) && value.length === 0 ? null : value
}
