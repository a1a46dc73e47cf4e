/**
 * A view with changes laid over another: what a mutation sees while it runs, what a proposal would lead to, and, with
 * changes taken backwards from the journal, what was.
 *
 * It costs what was changed, not what exists. Changes can be undone back to a mark, which is how one mutation of a batch
 * drops out alone.
 */
import type { TableSpec } from './index-spec.ts'
import type { Row, TableName, TableRows } from './row.ts'
import { Table } from './table.ts'
import { compareText } from './text-order.ts'
import type { RowChange, View } from './view.ts'

/** Rows that differ from the base: the new ones in a small table of their own, and the ids that hide the base's. */
interface Layer {
  readonly changed: Table
  readonly hidden: Set<string>
}

interface Step {
  readonly table: TableName
  readonly id: string
  readonly before: Row | undefined
  readonly wasHidden: boolean
}

export class Overlay implements View {
  readonly #base: View
  readonly #specs: ReadonlyMap<string, TableSpec>
  readonly #layers = new Map<string, Layer>()
  #steps: Step[] = []

  constructor(base: View, specs: ReadonlyMap<string, TableSpec>) {
    this.#base = base
    this.#specs = specs
  }

  /** Puts a row in place, or removes it. */
  put(table: TableName, id: string, after: Row | undefined): void {
    const layer = this.#layer(table)
    const wasHidden = layer.hidden.has(id)
    this.#steps.push({ table, id, before: this.get(table, id) as Row | undefined, wasHidden })
    layer.hidden.add(id)
    layer.changed.replace(id, after)
  }

  /** Where `undo` and `changesSince` count from. */
  get mark(): number {
    return this.#steps.length
  }

  undo(mark: number): void {
    while (this.#steps.length > mark) {
      const { table, id, before, wasHidden } = this.#steps.pop()!
      const layer = this.#layer(table)
      if (wasHidden) layer.changed.replace(id, before)
      else {
        layer.changed.replace(id, undefined)
        layer.hidden.delete(id)
      }
    }
  }

  /** The net changes since a mark, one per row, in the order in which rows were first touched. */
  changesSince(mark: number): RowChange[] {
    const first = new Map<string, Step>()
    for (let at = mark; at < this.#steps.length; at++) {
      const step = this.#steps[at]!
      const key = `${step.table}\n${step.id}`
      if (!first.has(key)) first.set(key, step)
    }
    const changes: RowChange[] = []
    for (const { table, id, before } of first.values()) {
      const after = this.get(table, id) as Row | undefined
      if (before !== after) changes.push({ table, id, before, after })
    }
    return changes
  }

  get<T extends TableName>(table: T, id: string): TableRows[T] | undefined {
    const layer = this.#layers.get(table)
    if (layer?.hidden.has(id)) return layer.changed.rows.get(id) as TableRows[T] | undefined
    return this.#base.get(table, id)
  }

  size(table: TableName): number {
    const layer = this.#layers.get(table)
    if (layer === undefined) return this.#base.size(table)
    let size = this.#base.size(table) + layer.changed.rows.size
    for (const id of layer.hidden) if (this.#base.get(table, id) !== undefined) size--
    return size
  }

  *rows<T extends TableName>(table: T): Generator<TableRows[T]> {
    const layer = this.#layers.get(table)
    if (layer === undefined) yield* this.#base.rows(table)
    else yield* merge(this.#visible(table, layer, this.#base.rows(table)), layer.changed.inIdOrder(), (row) => row.id)
  }

  *find<T extends TableName>(table: T, index: string, key: string): Generator<TableRows[T]> {
    const layer = this.#layers.get(table)
    if (layer === undefined) {
      yield* this.#base.find(table, index, key)
      return
    }
    yield* this.#visible(table, layer, this.#base.find(table, index, key))
    yield* layer.changed.find(index, key) as IteratorObject<TableRows[T]>
  }

  containing<T extends TableName>(table: T, index: string, part: string): IteratorObject<TableRows[T]> | undefined {
    return this.#layers.has(table) ? undefined : this.#base.containing(table, index, part)
  }

  countOf(table: TableName, index: string, key: string): number {
    const layer = this.#layers.get(table)
    const count = this.#base.countOf(table, index, key)
    return layer === undefined ? count : count + layer.changed.countOf(index, key)
  }

  *keys(table: TableName, index: string): Generator<string> {
    const layer = this.#layers.get(table)
    if (layer === undefined) {
      yield* this.#base.keys(table, index)
      return
    }
    const seen = new Set<string>(layer.changed.keys(index))
    yield* seen
    for (const key of this.#base.keys(table, index)) {
      if (seen.has(key)) continue
      for (const _ of this.#visible(table, layer, this.#base.find(table, index, key))) {
        yield key
        break
      }
    }
  }

  *ordered<T extends TableName>(table: T, index: string): Generator<TableRows[T]> {
    const layer = this.#layers.get(table)
    if (layer === undefined) {
      yield* this.#base.ordered(table, index)
      return
    }
    const keysOf = this.#specs.get(table)!.indexes.find((spec) => spec.name === index)!.keys
    const base = this.#visible(table, layer, this.#base.ordered(table, index))
    yield* merge(base, layer.changed.inKeyOrder(index), (row) => keysOf(row)[0] ?? '')
  }

  *#visible<T extends TableName>(_table: T, layer: Layer, rows: Iterable<TableRows[T]>): Generator<TableRows[T]> {
    for (const row of rows) if (!layer.hidden.has((row as Row).id)) yield row
  }

  #layer(table: TableName): Layer {
    let layer = this.#layers.get(table)
    if (layer === undefined) {
      const spec = this.#specs.get(table)
      if (spec === undefined) throw new Error(`there is no table ${table}`)
      layer = { changed: new Table(spec), hidden: new Set() }
      this.#layers.set(table, layer)
    }
    return layer
  }
}

function* merge<T>(left: Iterable<T>, right: Iterable<Row>, keyOf: (row: Row) => string): Generator<T> {
  const a = left[Symbol.iterator]()
  const b = right[Symbol.iterator]()
  let x = a.next()
  let y = b.next()
  while (!x.done || !y.done) {
    const takeLeft = y.done || (!x.done && compareText(keyOf(x.value as Row), keyOf(y.value)) <= 0)
    if (takeLeft) {
      yield x.value as T
      x = a.next()
    } else {
      yield y.value as T
      y = b.next()
    }
  }
}
