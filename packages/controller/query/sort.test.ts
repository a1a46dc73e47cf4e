import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Directory, emptyDirectory, type Service, service, serviceTable } from './sample-services.ts'
import { compareBy, parseSort, type SortField } from './sort.ts'

function outline(fields: readonly SortField<Service, Directory>[]): string {
  return fields.map(({ name, isAscending }) => `${name}${isAscending ? '' : ' desc'}`).join(', ')
}

const parsed: [text: string, order: string][] = [
  ['', 'id'],
  ['name', 'name, id'],
  ['name desc, createdAt', 'name desc, createdAt, id'],
  ['name  ASC', 'name, id'],
  ['id desc, name', 'id desc'],
  ['name,id desc,cost', 'name, id desc'],
  ['id, tags.x', 'id'],
  ['name limit 5', 'name, id'],
  ['name, cost, ratio, isSystem, createdAt, terminatorStrategy', 'name, cost, ratio, isSystem, createdAt, id'],
]

for (const [text, order] of parsed) {
  test(`sorts by ${order} when asked for ${JSON.stringify(text)}`, () => {
    assert.equal(outline(parseSort(text, serviceTable)), order)
  })
}

const refused: [text: string, message: string, column?: number][] = [
  ['nosuch', "unknown symbol 'nosuch'"],
  ['roleAttributes', "symbol 'roleAttributes' is a set symbol but is used in non-set function context"],
  ['tags.x', 'no such sort field: tags.x'],
  ['service.name', 'no such sort field: service.name'],
  ['ctrlChanListeners', 'unhanded symbol type 6 for symbol ctrlChanListeners'],
  ['name desc desc', 'Unexpected symbol: "desc" at line: 1 column: 23. line: 1, column: 23, symbol: desc', 23],
  [' ', 'Unexpected symbol: "<EOF>" at line: 1 column: 14. line: 1, column: 14, symbol: <EOF>', 14],
  ['name or true', 'Unexpected symbol: "or" at line: 1 column: 18. line: 1, column: 18, symbol: or', 18],
]

for (const [text, message, column] of refused) {
  test(`refuses to sort by ${JSON.stringify(text)}`, () => {
    const refusal = { name: 'FilterError', code: 'INVALID_SORT_IDENTIFIER', message, column }
    assert.throws(() => parseSort(text, serviceTable), refusal)
  })
}

const rows = [
  service({ id: 'a', name: 'b', cost: 2, isSystem: true, createdAt: '2024-01-02T00:00:00.000Z' }),
  service({ id: 'b', name: 'B', cost: null, isSystem: false, createdAt: '2024-01-01T00:00:00.000Z' }),
  service({ id: 'c', name: null, cost: 10, isSystem: null, createdAt: null }),
  service({ id: 'd', name: '😀', cost: 2, isSystem: false, createdAt: '2024-01-01T00:00:00.000Z' }),
  service({ id: 'e', name: '\uffee', cost: -1, isSystem: true, createdAt: '2023-01-01T00:00:00.000Z' }),
]

const sorted: [order: string, ids: string][] = [
  ['id', 'a b c d e'],
  ['id desc', 'e d c b a'],
  ['name', 'c b a e d'],
  ['name desc', 'd e a b c'],
  ['cost', 'b e a d c'],
  ['cost desc', 'c a d e b'],
  ['cost, name desc', 'b e d a c'],
  ['isSystem', 'c b d a e'],
  ['isSystem desc', 'a e b d c'],
  ['createdAt', 'c e b d a'],
  ['createdAt desc', 'a b d e c'],
  ['isSystem, cost, id desc', 'c b d e a'],
]

for (const [order, ids] of sorted) {
  test(`orders rows by ${order}`, () => {
    const compare = compareBy(parseSort(order, serviceTable), emptyDirectory)
    assert.equal(
      rows
        .toReversed()
        .sort(compare)
        .map(({ id }) => id)
        .join(' '),
      ids,
    )
  })
}
