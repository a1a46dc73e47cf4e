import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CompiledQuery, compileQuery } from './compile.ts'
import { effectivePaging, type Paging } from './paging.ts'
import { type Directory, emptyDirectory, type Service, service, serviceTable } from './sample-services.ts'
import { type RowSource, select } from './select.ts'
import { compareBy } from './sort.ts'

type Query = CompiledQuery<Service, Directory>

/** Numbers below 1 that are the same in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function makeRows(count: number, random: () => number): Service[] {
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!
  const rows = Array.from({ length: count }, (_, at) =>
    service({
      id: `${Math.floor(random() * 2 ** 32).toString(36)}-${at}`,
      name:
        random() < 0.05 ? null : pick(['web', 'db', 'é', '😀', '\uffee', 'Mail', 'mail']) + Math.floor(random() * 40),
      cost: random() < 0.1 ? null : Math.floor(random() * 10),
      isSystem: pick([true, false, null]),
      createdAt: new Date(1.7e12 + Math.floor(random() * 20)).toISOString(),
      roleAttributes: ['a', 'b', 'c', 'd'].filter(() => random() < 0.3),
      tags: random() < 0.5 ? { n: Math.floor(random() * 5) } : {},
    }),
  )
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1))
}

interface Kept {
  readonly isArray?: boolean
  readonly hasIndexes?: boolean
  readonly orders?: readonly string[]
}

/** A source that counts how many rows were taken from it. */
function makeSource(rows: readonly Service[], { isArray = true, hasIndexes = true, orders = [] }: Kept = {}) {
  const taken = { rows: 0 }
  const served = (found: readonly Service[]): Iterable<Service> => (isArray ? found : counting(found, taken))
  const source: RowSource<Service> = {
    size: rows.length,
    all: () => served(rows),
    lookup: (index, key) => {
      if (!hasIndexes) return undefined
      if (index === 'roleAttributes') return served(rows.filter((row) => row.roleAttributes.includes(key)))
      return served(rows.filter((row) => (index === 'name' ? row.name : row.id) === key))
    },
    ordered: (symbol) => {
      if (!orders.includes(symbol)) return undefined
      const { sort } = compileQuery(`sort by ${symbol}`, serviceTable)
      return served([...rows].sort(compareBy(sort, emptyDirectory)))
    },
  }
  return { source, taken }
}

function* counting(rows: readonly Service[], taken: { rows: number }): Generator<Service> {
  for (const row of rows) {
    taken.rows++
    yield row
  }
}

function naively(rows: readonly Service[], query: Query, { offset, limit }: Paging) {
  const matching = rows.filter((row) => query.matches(row, emptyDirectory))
  const sorted = matching.toSorted(compareBy(query.sort, emptyDirectory))
  return {
    rows: sorted.slice(offset, limit === 'none' ? undefined : offset + limit),
    totalCount: matching.length,
  }
}

const conditions = [
  'true',
  'name = "web7"',
  'name in ["web1", "db2", "é3", "nope"]',
  'name contains "1"',
  'anyOf(roleAttributes) = "a"',
  'anyOf(roleAttributes) in ["a", "b", "c"]',
  'anyOf(roleAttributes) = "a" and name = "db3" or name = "db4"',
  'cost > 3 and isSystem',
  'not cost > 3',
  'tags.n = 2 or anyOf(roleAttributes) = "d"',
  'false',
]
const orders = [
  '',
  'sort by id desc',
  'sort by name',
  'sort by name desc',
  'sort by cost desc, name',
  'sort by createdAt',
]
const pages = ['', 'limit 3', 'skip 5 limit 7', 'skip 110 limit 20', 'skip 1000', 'limit none', 'skip 4 limit none']
const sources: [name: string, kept: Kept][] = [
  ['arrays with indexes and orders', { orders: ['name', 'createdAt'] }],
  ['arrays without indexes', { hasIndexes: false, orders: ['name'] }],
  ['other iterables', { isArray: false, orders: ['name'] }],
  ['arrays without orders', {}],
]

for (const [name, kept] of sources) {
  test(`selects from ${name} what a plain filter, sort and slice gives`, () => {
    const rows = makeRows(120, randomNumbers(7))
    const { source } = makeSource(rows, kept)
    for (const condition of conditions) {
      for (const order of orders) {
        for (const page of pages) {
          const filter = [condition, order, page].filter((part) => part !== '').join(' ')
          const query = compileQuery(filter, serviceTable)
          const paging = effectivePaging(query)
          assert.deepEqual(select(source, query, paging, emptyDirectory), naively(rows, query, paging), filter)
        }
      }
    }
  })
}

test('selects from nothing', () => {
  const { source } = makeSource([])
  for (const filter of ['', 'name = "x"', 'sort by name desc limit none']) {
    const query = compileQuery(filter, serviceTable)
    assert.deepEqual(select(source, query, effectivePaging(query), emptyDirectory), { rows: [], totalCount: 0 })
  }
})

const costs: [filter: string, most: number][] = [
  ['limit 10', 11],
  ['skip 20 limit 10', 31],
  ['sort by name limit 10', 11],
  ['name = "web7" sort by cost', 40],
  ['anyOf(roleAttributes) = "a" and name = "web7"', 440],
  ['name contains "x"', 1000],
]

for (const [filter, most] of costs) {
  test(`takes at most ${most} of 1000 rows for ${filter}`, () => {
    const { source, taken } = makeSource(makeRows(1000, randomNumbers(3)), { isArray: false, orders: ['name'] })
    const query = compileQuery(filter, serviceTable)
    select(source, query, effectivePaging(query), emptyDirectory)
    assert.ok(taken.rows <= most, `${taken.rows} rows were taken`)
  })
}

test('asks for a row only once when several keys lead to it', () => {
  const row = service({ id: 'x', roleAttributes: ['a', 'b'] })
  const { source } = makeSource([row, service({ id: 'y' }), service({ id: 'z' })])
  const query = compileQuery('anyOf(roleAttributes) in ["a", "b"]', serviceTable)
  assert.deepEqual(select(source, query, effectivePaging(query), emptyDirectory), { rows: [row], totalCount: 1 })
})

test('answers a filter over 27,000 rows in a small part of a second', () => {
  const { source } = makeSource(makeRows(27_000, randomNumbers(5)), { orders: ['name'] })
  for (const filter of ['name contains "9" limit 100', 'name icontains "M" sort by createdAt desc limit 100']) {
    const query = compileQuery(filter, serviceTable)
    const started = performance.now()
    const { rows } = select(source, query, effectivePaging(query), emptyDirectory)
    assert.equal(rows.length, 100)
    assert.ok(performance.now() - started < 500)
  }
})
