/**
 * From rows to the records that are answered, as objects or at once as JSON text.
 */
import type { Row } from '../state/row.ts'
import type { View } from '../state/view.ts'
import { type EntityReference, referenceTo } from './entity-reference.ts'
import { RecentTexts } from './recent-texts.ts'
import { RecordPlan } from './record-plan.ts'
import type { Registry } from './registry.ts'
import type { Rendering, Resource } from './resource.ts'

/** Characters of texts to keep, twice: some forty thousand identities, and what many of them refer to. */
const RECENT_RECORDS = 24_000_000
const RECENT_REFERENCES = 1_000_000

export class Renderer {
  readonly #registry: Registry
  readonly #plans = new Map<Resource, RecordPlan>()

  constructor(registry: Registry) {
    this.#registry = registry
    const deps = {
      registry,
      texts: new RecentTexts(RECENT_RECORDS),
      references: new RecentTexts(RECENT_REFERENCES),
    }
    for (const resource of registry.resources.values()) this.#plans.set(resource, new RecordPlan(resource, deps))
  }

  record(resource: Resource, row: Row, rendering: Rendering): Record<string, unknown> {
    return this.#plans.get(resource)!.record(row, rendering)
  }

  /** The record as JSON. */
  text(resource: Resource, row: Row, rendering: Rendering): string {
    return this.#plans.get(resource)!.text(row, rendering)
  }

  /** A reference to an entity by collection; undefined when it is not there. */
  reference(collection: string, id: string, { view }: { readonly view: View }): EntityReference | undefined {
    const resource = this.#registry.resource(collection)
    const row = view.get(resource.table, id) as Row | undefined
    return row === undefined ? undefined : referenceTo(resource, row)
  }
}
