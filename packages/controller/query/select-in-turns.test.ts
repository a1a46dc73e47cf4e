import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Turns } from '../turns.ts'
import { compileQuery } from './compile.ts'
import { effectivePaging } from './paging.ts'
import { type RowSource, select, selectInTurns } from './select.ts'
import type { SymbolTable } from './symbol.ts'

interface Thing {
  readonly id: string
  readonly name: string
}

const table: SymbolTable<Thing, undefined> = {
  symbols: new Map([
    ['id', { type: 'string', value: ({ id }) => id, isSortable: true }],
    ['name', { type: 'string', value: ({ name }) => name, isSortable: true }],
  ]),
}

const things = Array.from({ length: 5_000 }, (_, at) => ({
  id: String(at).padStart(5, '0'),
  name: `thing ${at % 977}`,
}))

function source(rows: readonly Thing[], isOrdered: boolean): RowSource<Thing> {
  const ordered = rows.toSorted((a, b) => (a.name === b.name ? (a.id < b.id ? -1 : 1) : a.name < b.name ? -1 : 1))
  return {
    size: rows.length,
    all: () => rows,
    lookup: () => undefined,
    ordered: (symbol) => (isOrdered && symbol === 'name' ? ordered : undefined),
  }
}

/** A turn is over whenever it is looked at. */
function shortTurns() {
  let time = 0
  const turns = new Turns({ monotonic: () => (time += 1_000) })
  return () => turns
}

const filters = [
  'name contains "7"',
  'name contains "7" sort by name desc',
  'name contains "7" sort by name skip 30 limit 5',
  'name icontains "THING 9" sort by id desc limit none',
  'not name contains "1" skip 100',
  'true sort by name limit 3',
]

for (const isOrdered of [true, false]) {
  for (const filter of filters) {
    test(`${filter}: the same in turns as at once${isOrdered ? ', by an order that is kept' : ''}`, async () => {
      const query = compileQuery(filter, table)
      const rows = source(things, isOrdered)
      const paging = effectivePaging(query)
      const inTurns = await selectInTurns(rows, query, paging, undefined, shortTurns())
      assert.deepEqual(inTurns, select(rows, query, paging, undefined))
    })
  }
}

test('others go on between two turns, and what they change is not seen', async () => {
  const rows = [...things]
  const query = compileQuery('name contains "thing" limit 1', table)
  const selection = selectInTurns(source(rows, false), query, effectivePaging(query), undefined, shortTurns())
  assert.ok(selection instanceof Promise)
  let turns = 0
  const timer = setInterval(() => {
    turns++
    rows.length = 0
  }, 0)
  const { totalCount } = await selection
  clearInterval(timer)
  assert.equal(totalCount, 5_000)
  assert.ok(turns > 0)
})

test('few rows are asked at once', () => {
  const query = compileQuery('name contains "thing"', table)
  const selection = selectInTurns(source(things.slice(0, 100), false), query, effectivePaging(query), undefined, () => {
    throw new Error('no turn is needed')
  })
  assert.ok(!(selection instanceof Promise))
})
