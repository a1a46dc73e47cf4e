/**
 * Lists: the same query, paging and envelope for every collection and every list below an entity.
 */
import type { Answer, Call } from '../operation/operation.ts'
import type { RowSource } from '../query/select.ts'
import type { Row, TableName } from '../state/row.ts'
import type { View } from '../state/view.ts'
import type { Kit } from './kit.ts'
import { answerQuery, answerQueryInTurns, type QueriedList } from './list-answer.ts'
import { countOutside } from './registry.ts'
import type { Rendering, Resource } from './resource.ts'
import { filterableFields, type ResourceSymbols, symbolsOf } from './symbols.ts'

/** Answers lists of one resource. The symbols and the advertised fields are prepared once. */
export class Lister {
  readonly #kit: Kit
  readonly #resource: Resource
  readonly #symbols: ResourceSymbols
  readonly #fields: readonly string[]

  constructor(kit: Kit, resource: Resource) {
    this.#kit = kit
    this.#resource = resource
    this.#symbols = symbolsOf(resource)
    this.#fields = filterableFields(this.#symbols)
  }

  /** The whole collection, as far as the caller may see it. */
  all(call: Call): Answer | Promise<Answer> {
    const { view } = this.#kit
    const narrowed = this.#resource.narrow?.(call, view)
    const source = narrowed === undefined ? this.#table() : this.#chosen(narrowed)
    return answerQueryInTurns(call, this.#list(call, source, 'list'), () => this.#kit.turns())
  }

  /** Some rows of it: a list below another entity. */
  some(call: Call, ids: Iterable<string>): Answer | Promise<Answer> {
    return answerQueryInTurns(call, this.#list(call, this.#chosen(ids), 'sublist'), () => this.#kit.turns())
  }

  /** A few rows of it, answered at once. */
  few(call: Call, ids: Iterable<string>): Answer {
    return answerQuery(call, this.#list(call, this.#chosen(ids), 'sublist'))
  }

  #list(call: Call, source: RowSource<Row>, place: 'list' | 'sublist'): QueriedList<Row, Rendering> {
    const rendering = this.#kit.rendering(call, place)
    return {
      source: this.#visible(source, rendering),
      symbols: this.#symbols,
      context: rendering,
      filterableFields: this.#fields,
      record: (row) => this.#kit.renderer.record(this.#resource, row, rendering),
      text: (row) => this.#kit.renderer.text(this.#resource, row, rendering),
      contentType: place === 'list' ? this.#resource.listContentType : undefined,
    }
  }

  #table(): RowSource<Row> {
    const { view } = this.#kit
    const { table, includes } = this.#resource
    const source = tableSource(view, table)
    const outside = countOutside(view, this.#resource)
    return includes === undefined || outside === 0 ? source : filtered(source, includes, source.size - outside)
  }

  #chosen(ids: Iterable<string>): RowSource<Row> {
    const { table, includes } = this.#resource
    const rows: Row[] = []
    for (const id of ids) {
      const row = this.#kit.view.get(table, id) as Row | undefined
      if (row !== undefined && (includes === undefined || includes(row))) rows.push(row)
    }
    rows.sort((a, b) => (a.id < b.id ? -1 : 1))
    return { size: rows.length, all: () => rows, lookup: () => undefined }
  }

  #visible(source: RowSource<Row>, { caller, view }: Rendering): RowSource<Row> {
    const { isVisible } = this.#resource
    return isVisible === undefined ? source : filtered(source, (row) => isVisible(row, caller, view))
  }
}

function tableSource(view: View, table: TableName): RowSource<Row> {
  return {
    size: view.size(table),
    all: () => view.rows(table) as Iterable<Row>,
    lookup: (index, key) => {
      if (index !== 'id') return view.find(table, index, key) as Iterable<Row>
      const row = view.get(table, key) as Row | undefined
      return row === undefined ? [] : [row]
    },
    containing: (index, part) => view.containing(table, index, part) as Iterable<Row> | undefined,
    ordered: (symbol) => (symbol === 'name' ? (view.ordered(table, symbol) as Iterable<Row>) : undefined),
  }
}

/** A source without the rows that fail a test. Unless it is known, its size is counted, but only when someone asks. */
function filtered(source: RowSource<Row>, test: (row: Row) => boolean, size?: number): RowSource<Row> {
  const passing = function* (rows: Iterable<Row>) {
    for (const row of rows) if (test(row)) yield row
  }
  const { ordered } = source
  return {
    get size() {
      if (size !== undefined) return size
      let counted = 0
      for (const row of source.all()) if (test(row)) counted++
      return counted
    },
    all: () => passing(source.all()),
    lookup: (index, key) => {
      const rows = source.lookup(index, key)
      return rows && passing(rows)
    },
    containing: (index, part) => {
      const rows = source.containing?.(index, part)
      return rows && passing(rows)
    },
    ordered: (symbol) => {
      const rows = ordered?.(symbol)
      return rows && passing(rows)
    },
  }
}
