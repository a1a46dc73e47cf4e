/** What a list says it can be filtered and sorted by, it can be: tried on every declared resource. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { nobody } from '../operation/caller.ts'
import type { Call } from '../operation/operation.ts'
import type { FilterSymbol, Value } from '../query/symbol.ts'
import type { Rendering, Resource } from '../resource-kit/resource.ts'
import { symbolsOf } from '../resource-kit/symbols.ts'
import type { Row } from '../state/row.ts'
import { Specimens } from '../testing/specimens.ts'
import { type Answered, TestController } from '../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const specimens = new Specimens(controller)
const { kit } = controller.core
const listed = new Set(specimens.all.filter((one) => specimens.has(one, 'list')).map(({ resource }) => resource))
const rendering = kit.rendering({ caller: nobody, query: new URLSearchParams() } as unknown as Call, 'list')

/** Of values that rows hold, so many are looked for. */
const MOST_VALUES = 6

before(async () => {
  for (const specimen of specimens.all) {
    for (const extent of ['minimal', 'full', 'full'] as const) await specimens.create(specimen, extent)
  }
})

for (const resource of listed) {
  const symbols = [...symbolsOf(resource).symbols]

  describe(resource.collection, () => {
    test('lists every row once and says what it can be filtered by', async () => {
      const answer = await list(resource, { filter: 'true limit none' })
      assert.deepEqual(
        idsOf(answer),
        rowsOf(resource).map(({ id }) => id),
      )
      assert.deepEqual(answer.json.meta.filterableFields, [...symbols.map(([name]) => name), 'tags'])
    })

    for (const [name, symbol] of symbols) {
      test(`filters by ${name}`, async () => {
        if (symbol.type === 'other') {
          for (const text of [`${name} = "x"`, `${name} = null`, `anyOf(${name}) = "x"`]) {
            assertRefused(await list(resource, { filter: text }), 'INVALID_FILTER')
          }
        } else if (symbol.elements === undefined) await assertFinds(resource, name, symbol)
        else await assertFindsElements(resource, name, symbol)
      })

      const isSortable = symbol.value !== undefined && symbol.isSortable !== false && symbol.type !== 'other'
      test(isSortable ? `sorts by ${name}` : `does not sort by ${name}`, async () => {
        for (const direction of ['asc', 'desc'] as const) {
          const answer = await list(resource, { filter: 'true limit none', sort: `${name} ${direction}` })
          if (!isSortable) assertRefused(answer, 'INVALID_SORT_IDENTIFIER')
          else assert.deepEqual(idsOf(answer), sortedBy(resource, symbol, direction), direction)
        }
      })
    }

    test('filters by tags', async () => {
      const tagged = rowsOf(resource).find(({ tags }) => Object.keys(tags).length > 0)
      const [key, value] = Object.entries(tagged?.tags ?? { none: 'none' })[0]!
      const answer = await list(resource, { filter: `tags.${key} = ${literal('string', value)}` })
      assert.deepEqual(idsOf(answer), tagged === undefined ? [] : [tagged.id])
    })

    test('knows no other names', async () => {
      const known = new Set([...symbols.map(([name]) => name), 'tags'])
      const hidden = Object.keys(resource.fields).filter((name) => !known.has(name))
      for (const name of [...hidden, 'noSuchField', '__proto__', 'constructor']) {
        assertRefused(await list(resource, { filter: `${name} = "x"` }), 'INVALID_FILTER')
        assertRefused(await list(resource, { sort: name }), 'INVALID_SORT_IDENTIFIER')
      }
    })
  })
}

type ResourceSymbol = FilterSymbol<Row, Rendering>

async function assertFinds(resource: Resource, name: string, symbol: ResourceSymbol): Promise<void> {
  const rows = rowsOf(resource)
  const read = (row: Row) =>
    symbol.type === 'bool' ? symbol.value!(row, rendering) === true : symbol.value!(row, rendering)
  const values = new Set(rows.map(read))
  assert.ok(values.size > 0, 'there is no row to be found')
  for (const value of [...values].slice(0, MOST_VALUES)) {
    const answer = await list(resource, { filter: `${name} = ${literal(symbol.type, value)} limit none` })
    const expected = rows.filter((row) => read(row) === value)
    assert.deepEqual(
      idsOf(answer),
      expected.map(({ id }) => id),
      `${name} = ${value}`,
    )
  }
}

async function assertFindsElements(resource: Resource, name: string, symbol: ResourceSymbol): Promise<void> {
  const rows = rowsOf(resource)
  const read = (row: Row) => [...symbol.elements!(row, rendering)]
  const values = new Set(rows.flatMap(read))
  for (const value of [...values].slice(0, MOST_VALUES)) {
    const answer = await list(resource, { filter: `anyOf(${name}) = ${literal(symbol.type, value)} limit none` })
    const expected = rows.filter((row) => read(row).includes(value))
    assert.deepEqual(
      idsOf(answer),
      expected.map(({ id }) => id),
      `${name} has ${value}`,
    )
  }
  const answer = await list(resource, { filter: `isEmpty(${name}) limit none` })
  const expected = rows.filter((row) => read(row).length === 0)
  assert.deepEqual(
    idsOf(answer),
    expected.map(({ id }) => id),
    `${name} is empty`,
  )
}

/** The ids in the order that the list should have, by a comparison of our own: nothing first, equal ones by id. */
function sortedBy(resource: Resource, { value }: ResourceSymbol, direction: 'asc' | 'desc'): readonly string[] {
  const turn = direction === 'asc' ? 1 : -1
  const rows = rowsOf(resource).map((row) => ({ id: row.id, value: value!(row, rendering) }))
  rows.sort((a, b) => turn * compare(a.value, b.value) || compare(a.id, b.id))
  return rows.map(({ id }) => id)
}

function compare(a: Value, b: Value): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? -1 : 1
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(String(b)))
  return Number(a) - Number(b)
}

/** The rows that the collection shows, by id. */
function rowsOf({ table, includes }: Resource): readonly Row[] {
  return kit.view
    .rows(table)
    .toArray()
    .filter((row: Row) => includes?.(row) ?? true)
}

async function list({ collection }: Resource, query: Readonly<Record<string, string>>): Promise<Answered> {
  return await controller.askAdmin('GET', `/${collection}?${new URLSearchParams(query)}`)
}

function idsOf({ status, text, json }: Answered): readonly string[] {
  assert.equal(status, 200, text)
  return json.data.map(({ id }: { readonly id: string }) => id)
}

function assertRefused({ status, text, json }: Answered, code: string): void {
  assert.equal(status, 400, text)
  assert.equal(json.error.code, code, text)
}

function literal(type: string, value: Value): string {
  if (value === null || typeof value !== 'string') return String(value)
  if (type === 'datetime') return `datetime(${value})`
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
}
