import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileQuery } from './compile.ts'
import { FilterError } from './filter-error.ts'
import { type Directory, emptyDirectory, type Service, service, serviceTable } from './sample-services.ts'

const refused: [filter: string, message: string][] = [
  ['NAME = "x"', "unknown symbol 'NAME'"],
  ['tags = 1', "unknown symbol 'tags'"],
  ["'name' = 1", "unknown symbol ''name''"],
  ['anyOf(configs.name) = "x"', "unknown symbol 'configs.name'"],
  ['encryptionRequired = true', "unknown symbol 'encryptionRequired'"],
  ['constructor = 1', "unknown symbol 'constructor'"],
  ['sort by nosuch', "unknown symbol 'nosuch'"],
  ['nosuch = 1 or name = true', "unknown symbol 'nosuch'"],
  ['name = true or nosuch = 1', "unknown symbol 'nosuch'"],
  ['roleAttributes = "a"', "symbol 'roleAttributes' is a set symbol but is used in non-set function context"],
  ['roleAttributes', "symbol 'roleAttributes' is a set symbol but is used in non-set function context"],
  ['sort by roleAttributes', "symbol 'roleAttributes' is a set symbol but is used in non-set function context"],
  ['anyOf(name) = "a"', "symbol 'name' is not a set symbol but is used in set function anyOf"],
  ['allOf(name) = "a"', "symbol 'name' is not a set symbol but is used in set function allOf"],
  ['count(name) = 1', "symbol 'name' is not a set symbol but is used in set function count"],
  ['isEmpty(name)', "symbol 'name' is not a set symbol but is used in set function isEmpty"],
  ['isEmpty(from name where true)', 'attempt to subquery on non-entity symbol name'],
  ['isEmpty(from nosuch where true)', 'attempt to subquery on non-entity symbol nosuch'],
  ['isEmpty(from roleAttributes where true)', 'attempt to subquery on non-entity symbol roleAttributes'],
  ['isEmpty(from configs where nosuch = 1)', "unknown symbol 'nosuch'"],
  ['isEmpty(from configs where type = "host")', "unknown symbol 'type'"],
  ['isEmpty(from configs where cost = 1)', "unknown symbol 'cost'"],
  ['isEmpty(from configs where name)', 'query expr predicate must be a boolean expr. contains *ast.StringSymbolNode'],
  ['name', 'query expr predicate must be a boolean expr. contains *ast.StringSymbolNode'],
  ['cost', 'query expr predicate must be a boolean expr. contains *ast.Int64SymbolNode'],
  ['not createdAt', 'not expr must wrap bool expr. contains *ast.DatetimeSymbolNode'],
  ['name and true', 'boolean logic expression LHS is of type *ast.StringSymbolNode, not bool'],
  ['true or ratio', 'boolean logic expression RHS is of type *ast.Float64SymbolNode, not bool'],
  ['name or cost or true', 'boolean logic expression LHS is of type *ast.Int64SymbolNode, not bool'],
  ['ctrlChanListeners = null', 'unhanded symbol type 6 for symbol ctrlChanListeners'],
  ['sort by ctrlChanListeners', 'unhanded symbol type 6 for symbol ctrlChanListeners'],
  ['name = "a" sort by tags.n', 'no such sort field: tags.n'],
  ['sort by service.name', 'no such sort field: service.name'],
  ['name = true', 'operation name = true is not supported with operands types string, bool'],
  ['isSystem = "x"', 'operation isSystem = x is not supported with operands types bool, string'],
  ['isSystem < 5', 'operation isSystem < 5 is not supported with operands types bool, number'],
  ['isSystem contains "x"', 'operation isSystem contains x is not supported with operands types bool, string'],
  ['createdAt = 5', 'operation createdAt = 5 is not supported with operands types date, number'],
  ['createdAt = "2020"', 'operation createdAt = 2020 is not supported with operands types date, string'],
  [
    'createdAt not icontains "x"',
    'operation createdAt not icontains x is not supported with operands types date, string',
  ],
  ['cost = "5"', 'operation cost = 5 is not supported with operands types number, string'],
  ['cost = 1e6 or ratio = true', 'operation ratio = true is not supported with operands types number, bool'],
  ['isSystem = 1e6', 'operation isSystem = 1e+06 is not supported with operands types bool, number'],
  ['cost icontains "x"', 'operation cost contains x is not supported with operands types number, string'],
  ['isSystem not contains 5', 'operation isSystem not icontains 5 is not supported with operands types bool, number'],
  [
    'name = datetime(2020-01-02T03:04:05.1200+01:30)',
    'operation name = 2020-01-02 03:04:05.12 +0130 +0130 is not supported with operands types string, date',
  ],
  ['anyOf(roleAttributes) = true', 'operation roleAttributes = true is not supported with operands types string, bool'],
  ['count(configs) = "x"', 'operation count(configs) = x is not supported with operands types number, string'],
  ['isSystem in ["a", "b"]', 'operation isSystem in [b, a] is not supported with operands types bool, other'],
  [
    'isSystem in [1, 2000000, 2.5]',
    'operation isSystem in [2.5, 2e+06, 1] is not supported with operands types bool, other',
  ],
  ['createdAt not in [1]', 'operation createdAt in [1] is not supported with operands types date, other'],
  [
    'name in [datetime(2020-01-02T03:04:05Z)]',
    'operation name in [2020-01-02 03:04:05 +0000 UTC] is not supported with operands types string, other',
  ],
  [
    'name between 1 and 5',
    'operation between is not supported with operands types *ast.StringSymbolNode, *ast.Int64ConstNode, *ast.Int64ConstNode',
  ],
  [
    'createdAt between 1 and 2',
    'operation between is not supported with operands types *ast.DatetimeSymbolNode, *ast.Int64ConstNode, *ast.Int64ConstNode',
  ],
  [
    'count(configs) between datetime(2020-01-02T03:04:05Z) and datetime(2020-01-02T03:04:05Z)',
    'operation between is not supported with operands types *ast.CountSetExprNode, *ast.DatetimeConstNode, *ast.DatetimeConstNode',
  ],
]

for (const [filter, message] of refused) {
  test(`refuses ${filter}`, () => {
    assert.throws(() => compileQuery(filter, serviceTable), { name: 'FilterError', code: 'INVALID_FILTER', message })
  })
}

test('words unknown symbols as the table says, and has no tags where the table has none', () => {
  const bare = { symbols: serviceTable.symbols, unknownSymbol: (name: string) => `unknown symbol ${name}` }
  assert.throws(() => compileQuery('zzz = 1', bare), { message: 'unknown symbol zzz' })
  assert.throws(() => compileQuery('tags.x = 1', bare), { message: 'unknown symbol tags.x' })
})

const missing: [filter: string, ofMissing: boolean][] = [
  ['name = null', true],
  ['name != null', false],
  ['name = "x"', false],
  ['name != "x"', true],
  ['name < "x"', false],
  ['name >= ""', false],
  ['name contains "x"', false],
  ['name not contains "x"', true],
  ['name icontains "x"', false],
  ['name not icontains "x"', true],
  ['name in ["x"]', false],
  ['name not in ["x"]', true],
  ['not name = "x"', true],
  ['cost = 0', false],
  ['cost != 0', true],
  ['cost <= 0', false],
  ['cost between 0 and 9', false],
  ['cost not between 0 and 9', true],
  ['cost in [0]', false],
  ['ratio != 0.5', true],
  ['createdAt = datetime(2020-01-02T03:04:05Z)', false],
  ['createdAt != datetime(2020-01-02T03:04:05Z)', true],
  ['createdAt != datetime(2020-01-02T03:04:05.0001Z)', true],
  ['createdAt < datetime(2020-01-02T03:04:05.0001Z)', false],
  ['createdAt not in [datetime(2020-01-02T03:04:05Z)]', true],
  ['isSystem', false],
  ['isSystem = false', true],
  ['isSystem = true', false],
  ['isSystem != true', true],
  ['isSystem = null', true],
  ['tags.x = false', true],
  ['tags.x', false],
  ['tags.x != 5', true],
  ['tags.x < 5', false],
  ['allOf(roleAttributes) = "x"', true],
  ['anyOf(roleAttributes) = "x"', false],
  ['anyOf(roleAttributes) != "x"', false],
  ['anyOf(roleAttributes) not in ["x"]', true],
  ['isEmpty(roleAttributes)', true],
  ['count(configs) = 0', true],
  ['count(configs) = null', false],
]

for (const [filter, ofMissing] of missing) {
  test(`of a row with nothing, ${filter} is ${ofMissing}`, () => {
    assert.equal(compileQuery(filter, serviceTable).matches(service({ id: 'x' }), emptyDirectory), ofMissing)
  })
}

const oneRow = service({
  id: 'x',
  name: 'Straße 5',
  createdAt: '2024-05-01T10:00:00.123Z',
  cost: 5,
  ratio: 0.5,
  roleAttributes: ['alpha', 'beta'],
})

const values: [filter: string, isMatch: boolean][] = [
  ['name icontains "straßE"', true],
  ['name icontains "STRASSE"', false],
  ['name contains 5', true],
  ['name < "T"', true],
  ['name <= "Straße 5" and name >= "Straße 5"', true],
  ['name > "😀"', false],
  ['cost = 5.0', true],
  ['cost >= 4.5 and cost < 5.5', true],
  ['cost contains "5"', true],
  ['cost in [1, 5]', true],
  ['cost in ["5"]', true],
  ['cost in [4.5, 5]', true],
  ['cost between 5 and 6', true],
  ['cost between 4 and 5', false],
  ['cost between 4.5 and 5.5', true],
  ['cost < 9007199254740993 and cost != 9007199254740993 and cost > -9223372036854775808', true],
  ['ratio = 0.5 and ratio contains "0.5" and ratio <= 1', true],
  ['cost in [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 5]', true],
  ['createdAt = datetime(2024-05-01T10:00:00.123Z)', true],
  ['createdAt = datetime(2024-05-01T12:00:00.123+02:00)', true],
  ['createdAt = datetime(2024-05-01T10:00:00.1230001Z)', false],
  ['createdAt < datetime(2024-05-01T10:00:00.1230001Z)', true],
  ['createdAt <= datetime(2024-05-01T10:00:00.1229999Z)', false],
  ['createdAt > datetime(2024-05-01T10:00:00.1229999Z)', true],
  ['createdAt >= datetime(2024-05-01T10:00:00.1230001Z)', false],
  ['createdAt in [datetime(2024-05-01T10:00:00.123Z)]', true],
  ['createdAt in [datetime(2024-05-01T10:00:00.1230001Z)]', false],
  ['createdAt between datetime(2024-05-01T10:00:00.123Z) and datetime(2024-05-01T10:00:00.124Z)', true],
  ['createdAt between datetime(2024-05-01T10:00:00.122Z) and datetime(2024-05-01T10:00:00.123Z)', false],
  ['createdAt < datetime(9999-12-31T23:59:59-23:00)', true],
  ['createdAt > datetime(0000-01-01T00:00:00+23:00)', true],
  ['allOf(roleAttributes) contains "a"', true],
  ['anyOf(roleAttributes) not contains "e"', true],
  ['anyOf(roleAttributes) != "gamma"', true],
  ['anyOf(roleAttributes) != "beta"', false],
  ['allOf(roleAttributes) not in ["alpha"]', true],
  ['anyOf(roleAttributes) not in ["alpha"]', false],
  ['count(roleAttributes) between 2 and 3', true],
]

for (const [filter, isMatch] of values) {
  test(`${filter} is ${isMatch}`, () => {
    assert.equal(compileQuery(filter, serviceTable).matches(oneRow, emptyDirectory), isMatch)
  })
}

test('a value of another type than its symbol counts as missing', () => {
  const odd = { ...oneRow, cost: 'many', createdAt: 5, isSystem: 'yes' } as unknown as Service
  for (const filter of ['cost > 0', 'cost = 5', 'createdAt > datetime(2000-01-01T00:00:00Z)', 'isSystem']) {
    assert.equal(compileQuery(filter, serviceTable).matches(odd, emptyDirectory), false, filter)
  }
  assert.equal(compileQuery('cost != 5 and isSystem = false', serviceTable).matches(odd, emptyDirectory), true)
})

const directory: Directory = {
  configs: new Map(['x', 'y', 'y2'].map((name, at) => [`k${at}`, service({ id: `k${at}`, name, tags: { n: at } })])),
}
const withConfigs = service({ id: 's', name: 's', configs: ['k0', 'k1', 'k2', 'gone'] })

const subQueries: [filter: string, isMatch: boolean][] = [
  ['isEmpty(from configs where name = "x")', false],
  ['isEmpty(from configs where name = "s")', true],
  ['isEmpty(from configs where true)', false],
  ['isEmpty(from configs where name contains "y" skip 1)', false],
  ['isEmpty(from configs where name contains "y" skip 2)', true],
  ['isEmpty(from configs where true limit 0)', true],
  ['isEmpty(from configs where limit none)', false],
  ['count(from configs where name contains "y") = 2', true],
  ['count(from configs where name contains "y" limit 1) = 1', true],
  ['count(from configs where sort by name skip 1 limit 5) = 2', true],
  ['count(from configs where tags.n > 0) = 2', true],
  ['count(configs) = 4', true],
  ['count(from configs where id = "gone") = 0', true],
]

for (const [filter, isMatch] of subQueries) {
  test(`looks into linked entities: ${filter}`, () => {
    assert.equal(compileQuery(filter, serviceTable).matches(withConfigs, directory), isMatch)
  })
}

test('a set that can tell what it holds is asked, not walked, and answers the same', () => {
  const { symbols } = serviceTable
  const configs = symbols.get('configs')!
  const has = ({ configs: held }: Service, text: string) => held.includes(text)
  const elements = () => assert.fail('the set was walked')
  const telling = { symbols: new Map([...symbols, ['configs', { ...configs, elements, has }]]) }
  for (const filter of [
    'anyOf(configs) = "k0"',
    'anyOf(configs) = "k9"',
    'anyOf(configs) = 7',
    'anyOf(configs) in ["k9", "k1"]',
    'anyOf(configs) not in ["k9"]',
    'not anyOf(configs) = "k0"',
  ]) {
    const expected = compileQuery(filter, serviceTable).matches(withConfigs, directory)
    assert.equal(compileQuery(filter, telling).matches(withConfigs, directory), expected, filter)
  }
  const walking = { symbols: new Map([...symbols, ['configs', { ...configs, has }]]) }
  for (const filter of [
    'anyOf(configs) != "k0"',
    'anyOf(configs) != "k9"',
    'allOf(configs) = "k0"',
    'anyOf(configs) > "k0"',
  ]) {
    const expected = compileQuery(filter, serviceTable).matches(withConfigs, directory)
    assert.equal(compileQuery(filter, walking).matches(withConfigs, directory), expected, filter)
  }
})

test('a refusal is an error that carries its code and place', () => {
  const error = new FilterError('no', { line: 2, column: 3 }, 'INVALID_SORT_IDENTIFIER')
  assert.ok(error instanceof Error)
  assert.deepEqual([error.code, error.line, error.column], ['INVALID_SORT_IDENTIFIER', 2, 3])
  assert.equal(new FilterError('no').line, undefined)
})
