/**
 * Lists as clients see them: the caller's share of a collection, or a shorter record of each, filtered, sorted and paged
 * like any other list. What the caller may not see is left out before the filter is looked at, so no filter reaches it.
 */
import type { Answer, Call } from '../../operation/operation.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { answerQuery } from '../../resource-kit/list-answer.ts'
import type { Rendering, Resource } from '../../resource-kit/resource.ts'
import { filterableFields, type ResourceSymbols, symbolsOf } from '../../resource-kit/symbols.ts'
import type { Row } from '../../state/row.ts'

export class ClientList<R extends Row> {
  readonly #kit: Kit
  readonly #resource: Resource
  readonly #symbols: ResourceSymbols
  readonly #fields: readonly string[]
  readonly #shown: ((record: Readonly<Record<string, unknown>>, row: R) => unknown) | undefined

  /** `shown` makes what clients see of the record that administrators see. */
  constructor(kit: Kit, collection: string, shown?: (record: Readonly<Record<string, unknown>>, row: R) => unknown) {
    this.#kit = kit
    this.#resource = kit.registry.resource(collection)
    this.#symbols = symbolsOf(this.#resource)
    this.#fields = filterableFields(this.#symbols)
    this.#shown = shown
  }

  answer(call: Call, rows: Iterable<R>, rendering: Rendering = this.#kit.rendering(call, 'list')): Answer {
    const sorted = [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))
    return answerQuery(call, {
      source: { size: sorted.length, all: () => sorted, lookup: () => undefined },
      symbols: this.#symbols as never,
      context: rendering,
      filterableFields: this.#fields,
      record: (row: R) => this.record(row, rendering),
    })
  }

  record(row: R, rendering: Rendering): unknown {
    const record = this.#kit.renderer.record(this.#resource, row, rendering)
    return this.#shown === undefined ? record : this.#shown(record, row)
  }
}

/** The members that every entity has. */
export function baseRecord({ id, createdAt, updatedAt, tags, _links }: Readonly<Record<string, unknown>>) {
  return { id, createdAt, updatedAt, tags, _links }
}
