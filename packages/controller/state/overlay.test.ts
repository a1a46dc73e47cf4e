import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TableSpec } from './index-spec.ts'
import { Overlay } from './overlay.ts'
import type { Row, TableName } from './row.ts'
import { Tables } from './tables.ts'
import { compareText } from './text-order.ts'
import type { View } from './view.ts'

interface Thing extends Row {
  readonly name: string
  readonly roleAttributes: readonly string[]
}

const things = 'things' as TableName
const spec: TableSpec = {
  name: things,
  indexes: [
    { name: 'name', keys: (row) => [(row as Thing).name], isOrdered: true },
    { name: 'roleAttributes', keys: (row) => (row as Thing).roleAttributes },
  ],
}
const specs = new Map([[spec.name, spec]])
const letters = ['a', 'b', 'c', 'd']

/** A small generator of its own: a failing seed can be run again. */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % below
  }
}

function thing(id: string, next: (below: number) => number): Thing {
  const roleAttributes = letters.filter(() => next(2) === 0)
  const time = '2026-01-01T00:00:00.000Z'
  return {
    id,
    name: `n${next(1000)}-${id}`,
    roleAttributes,
    createdAt: time,
    updatedAt: time,
    tags: {},
    isSystem: false,
  }
}

/** Everything a view can be asked, in a form that can be compared. */
function answers(view: View) {
  const ids = (rows: Iterable<unknown>) => [...rows].map((row) => (row as Row).id)
  const byAttribute = letters.map((letter) => ids(view.find(things, 'roleAttributes', letter)).sort())
  return {
    size: view.size(things),
    rows: ids(view.rows(things)),
    ordered: ids(view.ordered(things, 'name')),
    keys: [...view.keys(things, 'roleAttributes')].sort(),
    byAttribute,
  }
}

function oracle(rows: ReadonlyMap<string, Thing>) {
  const tables = new Tables([spec])
  tables.fill(things, rows.values())
  return answers(tables)
}

for (let seed = 1; seed <= 40; seed++) {
  test(`an overlay answers like tables that hold its rows, and undo takes it back (seed ${seed})`, () => {
    const next = random(seed)
    const rows = new Map<string, Thing>()
    for (let at = 0; at < 60; at++) rows.set(`t${at}`, thing(`t${at}`, next))
    const tables = new Tables([spec])
    tables.fill(things, rows.values())
    const overlay = new Overlay(tables, specs)
    const steps: { readonly mark: number; readonly rows: ReadonlyMap<string, Thing> }[] = []
    for (let step = 0; step < 40; step++) {
      steps.push({ mark: overlay.mark, rows: new Map(rows) })
      const id = `t${next(80)}`
      if (next(3) === 0) {
        rows.delete(id)
        overlay.put(things, id, undefined)
      } else {
        const row = thing(id, next)
        rows.set(id, row)
        overlay.put(things, id, row)
      }
    }
    assert.deepEqual(answers(overlay), oracle(rows))
    const back = steps[next(steps.length)]!
    overlay.undo(back.mark)
    assert.deepEqual(answers(overlay), oracle(back.rows))
    tables.apply(overlay.changesSince(0))
    assert.deepEqual(answers(tables), oracle(back.rows))
  })
}

test('the net changes of a mutation leave out rows that end as they began', () => {
  const tables = new Tables([spec])
  const row = thing('x', random(1))
  tables.fill(things, [row])
  const overlay = new Overlay(tables, specs)
  overlay.put(things, 'y', thing('y', random(2)))
  overlay.put(things, 'y', undefined)
  overlay.put(things, 'x', undefined)
  overlay.put(things, 'x', row)
  assert.deepEqual(overlay.changesSince(0), [])
})

test('ids are in the order of their bytes, also where UTF-16 differs', () => {
  const ids = ['z', '\u{10000}', '\uffff', 'a', '-', '.', 'A']
  const sorted = [...ids].sort(compareText)
  const expected = [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  assert.deepEqual(sorted, expected)
})
