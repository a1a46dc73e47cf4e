/**
 * From rows to the records that are answered, as objects or at once as JSON text.
 */
import type { Row, TableName } from '../state/row.ts'
import type { Field } from './fields.ts'
import { RecentTexts } from './recent-texts.ts'
import { RecordPlan } from './record-plan.ts'
import type { Registry } from './registry.ts'
import type { Rendering, Resource } from './resource.ts'

export type Link = { readonly href: string }
export type Links = Readonly<Record<string, Link>>

/** A reference to another entity, as records carry it. */
export interface EntityReference {
  readonly _links: Links
  readonly entity: string
  readonly id: string
  readonly name?: string
}

/** Characters of record texts to keep, twice: some thirty thousand identities. */
const RECENT_RECORDS = 16_000_000
const RECENT_REFERENCES = 500_000

export class Renderer {
  readonly #registry: Registry
  readonly #plans = new Map<Resource, RecordPlan>()
  readonly #collectionOfTable = new Map<string, string>()
  readonly #references = new Map<string, RecentTexts>()

  constructor(registry: Registry) {
    this.#registry = registry
    const texts = new RecentTexts(RECENT_RECORDS)
    for (const resource of registry.resources.values()) {
      if (!this.#collectionOfTable.has(resource.table)) this.#collectionOfTable.set(resource.table, resource.collection)
      this.#plans.set(resource, this.#plan(resource))
    }
  }

  record(resource: Resource, row: Row, rendering: Rendering): Record<string, unknown> {
    return this.#planOf(resource).record(row, rendering)
  }

  /** The record as JSON. */
  text(resource: Resource, row: Row, rendering: Rendering): string {
    return this.#planOf(resource).text(row, rendering)
  }
}
