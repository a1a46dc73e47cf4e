import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileListQuery, compileQuery } from './compile.ts'
import { effectivePaging } from './paging.ts'
import { type Directory, emptyDirectory, type Service, service, serviceTable } from './sample-services.ts'
import { select } from './select.ts'

const a = service({
  id: 'c1',
  name: 'fx-flt-a',
  createdAt: '2024-05-01T10:00:00.000Z',
  isSystem: false,
  isFabricOnly: false,
  terminatorStrategy: 'smartrouting',
  roleAttributes: ['alpha', 'beta'],
  tags: { n: 5, s: '5', b: true, k1: 'x', nul: null, f: 1.5 },
})
const b = service({
  id: 'b1',
  name: 'fx-flt-b',
  createdAt: '2024-05-01T10:00:00.001Z',
  isSystem: false,
  isFabricOnly: false,
  terminatorStrategy: 'smartrouting',
  roleAttributes: ['beta'],
  tags: { n: 7, 'service-id': '1' },
})
const c = service({
  id: 'a1',
  name: 'fx-flt-C',
  createdAt: '2024-05-01T10:00:00.002Z',
  isSystem: false,
  isFabricOnly: false,
  terminatorStrategy: 'smartrouting',
})
const q = service({
  id: 'd1',
  name: 'fx-flt-"q"',
  createdAt: '2024-05-01T10:00:00.003Z',
  isSystem: false,
  isFabricOnly: false,
  terminatorStrategy: 'smartrouting',
  roleAttributes: ['gamma'],
  tags: { s: 'zz' },
})
const inIdOrder = [c, b, a, q]
const shortNames = new Map([
  [a, 'a'],
  [b, 'b'],
  [c, 'C'],
  [q, 'q'],
])

function ask(filter: string, rows: readonly Service[] = inIdOrder, directory: Directory = emptyDirectory) {
  const query = compileQuery(filter, serviceTable)
  const source = { size: rows.length, all: () => rows, lookup: () => undefined }
  return select(source, query, effectivePaging(query, { limit: 5 }), directory)
}

const recorded: [filter: string, names: string, totalCount?: number][] = [
  ['', 'C b a q'],
  ['true', 'C b a q'],
  ['false', ''],
  ['limit none', 'C b a q'],
  ['name contains "fx-flt" limit 1', 'C', 4],
  ['sort by name desc skip 1 limit 2', 'a C', 4],
  ['skip 3 limit 5', 'q', 4],
  ['name = "fx-flt-a"', 'a'],
  ['name != "fx-flt-a" and name contains "fx-flt"', 'C b q'],
  ['name in ["fx-flt-a","fx-flt-b"]', 'b a'],
  ['name not in ["fx-flt-a"] and name contains "fx-flt"', 'C b q'],
  ['name icontains "FLT-c"', 'C'],
  ['name contains "flt-c"', ''],
  ['name = "fx-flt-\\"q\\""', 'q'],
  ['anyOf(roleAttributes) = "beta"', 'b a'],
  ['ANYOF(roleAttributes) = "beta"', 'b a'],
  ['allOf(roleAttributes) = "beta" and name contains "fx-flt"', 'C b'],
  ['anyOf(roleAttributes) != "beta" and name contains "fx-flt"', 'q'],
  ['anyOf(roleAttributes) in ["alpha","gamma"]', 'a q'],
  ['isEmpty(roleAttributes) and name contains "fx-flt"', 'C'],
  ['not isEmpty(roleAttributes) and name contains "fx-flt"', 'b a q'],
  ['count(roleAttributes) = 2', 'a'],
  ['count(configs)=0 and name contains "fx-flt"', 'C b a q'],
  ['tags.n = 5.0', 'a'],
  ['tags.n = "5"', 'a'],
  ['tags.s = "5"', 'a'],
  ['tags.s = 5', ''],
  ['tags.b = true', 'a'],
  ['tags.b', 'a'],
  ['tags.nul = null and name contains "fx-flt"', 'C b a q'],
  ['tags.nope = null and name contains "fx-flt"', 'C b a q'],
  ['tags.f = 1.5', 'a'],
  ['tags.service-id = "1"', 'b'],
  ['tags.n != null', 'b a'],
  ['tags.n.m = 1', ''],
  ['createdAt > datetime(2020-01-02t03:04:05z) and name contains "fx-flt"', 'C b a q'],
  ['createdAt > datetime(2020-01-02T03:04:05.5+01:00) limit 1', 'C', 4],
  ['createdAt between datetime(2020-01-01T00:00:00Z) and datetime(2099-01-01T00:00:00Z) limit 1', 'C', 4],
  ['isSystem = false and name = "fx-flt-a"', 'a'],
  ['not isFabricOnly and name = "fx-flt-a"', 'C b a q'],
  ['terminatorStrategy = null and name = "fx-flt-a"', ''],
  ['name = "fx-flt-a" or name = "fx-flt-b" and name = "nope"', 'a'],
  ['name = "nope" and name = "fx-flt-a" or name = "fx-flt-b"', ''],
  ['not name = "fx-flt-a" and name = "fx-flt-b" or name = "fx-flt-a"', 'C b q'],
  ['(name = "fx-flt-a" or name = "fx-flt-b") and anyOf(roleAttributes) = "alpha"', 'a'],
  ['name  =  "fx-flt-a"', 'a'],
  ['name="fx-flt-a"', 'a'],
  ['name > "fx-flt-b" and name contains "fx-flt"', ''],
  ['name < "fx-flt-b" and name contains "fx-flt" sort by name', 'q C a'],
  ['name contains 5', ''],
  ['name = $ "fx-flt-a"', 'a'],
  ['not isEmpty(from configs where name = "x")', ''],
  ['isEmpty(from configs where name = "x") and name contains "fx-flt"', 'C b a q'],
  ['name contains "fx-flt" sort by createdAt desc, name asc limit 2', 'q C', 4],
  ['name = null', ''],
  ['name = "a" AND name = "b"', ''],
  ['limit -1', 'C b a q'],
  ['skip -1', 'C b a q'],
  ['id = 5', ''],
  ['anyOf(configs) = "x"', ''],
  ['limit 0', 'C b a q'],
  ['limit 501', 'C b a q'],
]

for (const [filter, names, totalCount = names === '' ? 0 : names.split(' ').length] of recorded) {
  test(`answers ${filter}`, () => {
    const answer = ask(filter)
    assert.equal(answer.rows.map((row) => shortNames.get(row)).join(' '), names)
    assert.equal(answer.totalCount, totalCount)
  })
}

const numbersInTags: [filter: string, names: string][] = [
  ['tags.n = 5', 'a'],
  ['tags.n > 4', 'b a'],
  ['tags.n >= 5 and tags.n <= 7', 'b a'],
  ['tags.n in [5,7]', 'b a'],
  ['tags.n between 5 and 7', 'a'],
  ['tags.n != 5', 'C b q'],
  ['tags.n contains 5', 'a'],
  ['tags.b contains "ru"', 'a'],
  ['tags.s between 1 and 9', ''],
  ['tags.s > datetime(2020-01-01T00:00:00Z)', ''],
  ['tags.s != datetime(2020-01-01T00:00:00Z) and tags.s = "zz"', 'q'],
  ['tags.s in [datetime(2020-01-01T00:00:00Z)]', ''],
]

for (const [filter, names] of numbersInTags) {
  test(`finds tags by their value: ${filter}`, () => {
    assert.equal(
      ask(filter)
        .rows.map((row) => shortNames.get(row))
        .join(' '),
      names,
    )
  })
}

const unconditional: [filter: string, isUnconditional: boolean][] = [
  ['', true],
  ['true', true],
  ['sort by name limit 3', true],
  ['true and (true or name = "x")', true],
  ['not false', true],
  ['not true', false],
  ['name = "x"', false],
  ['true and name = "x"', false],
]

for (const [filter, isUnconditional] of unconditional) {
  test(`${filter === '' ? 'an empty filter' : filter} is ${isUnconditional ? '' : 'not '}unconditional`, () => {
    assert.equal(compileQuery(filter, serviceTable).isUnconditional, isUnconditional)
  })
}

test('the order in a filter wins over the sort parameter, which is then not even read', () => {
  const inFilter = compileListQuery({ filter: 'sort by name desc', sort: 'nosuch' }, serviceTable)
  assert.deepEqual(
    inFilter.sort.map(({ name, isAscending }) => [name, isAscending]),
    [
      ['name', false],
      ['id', true],
    ],
  )
  const inParameter = compileListQuery({ filter: 'true', sort: 'name  ASC' }, serviceTable)
  assert.deepEqual(
    inParameter.sort.map(({ name }) => name),
    ['name', 'id'],
  )
  assert.deepEqual(
    compileListQuery({}, serviceTable).sort.map(({ name }) => name),
    ['id'],
  )
  assert.throws(() => compileListQuery({ sort: 'nosuch' }, serviceTable), { code: 'INVALID_SORT_IDENTIFIER' })
})

test('runs the longest chain of conditions', () => {
  const filter = `${'isSystem or true and '.repeat(249)}isFabricOnly`
  assert.equal(ask(filter).totalCount, 0)
  assert.equal(ask(`${'name = "nope" or cost = 5 or '.repeat(90)}isSystem = false`).totalCount, 4)
})
