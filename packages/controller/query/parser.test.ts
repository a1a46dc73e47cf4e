import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxNesting, parseFilter } from './parser.ts'
import type { Expression } from './syntax-tree.ts'

/** An expression with every group in parentheses, its comparisons by their symbol alone. */
function outline(expression: Expression): string {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return `(${expression.operands.map(outline).join(` ${expression.kind} `)})`
    case 'not':
      return `not ${outline(expression.operand)}`
    case 'constant':
      return String(expression.value)
    case 'symbol':
      return expression.name
    case 'isEmpty':
      return `isEmpty(${expression.set.name})`
    default:
      return expression.left.kind === 'count' ? `count(${expression.left.set.name})` : expression.left.name
  }
}

const precedence: [text: string, meaning: string][] = [
  ['a = 1 and b = 2 or c = 3', '(a and (b or c))'],
  ['a = 1 or b = 2 and c = 3', '(a or (b and c))'],
  ['a=1 or b=2 or c=3 and d=4', '(a or b or (c and d))'],
  ['a=1 and b=2 and c=3 or d=4 or e=5 and f=6', '(a and b and (c or d or (e and f)))'],
  ['not a = 1 and b = 2 or c = 3', 'not (a and (b or c))'],
  ['a = 1 and not b = 2 or c = 3', '(a and not (b or c))'],
  ['a between 1 and 5 and b = 2', '(a and b)'],
  ['(a = 1 or b = 2) and c = 3', '((a or b) and c)'],
  ['(not a = 1) and b = 2', '(not a and b)'],
  ['not not a or b', 'not not (a or b)'],
  ['( a ) or true', '(a or true)'],
  ['a OR count(s) = 1 AND isEmpty(t)', '(a or (count(s) and isEmpty(t)))'],
]

for (const [text, meaning] of precedence) {
  test(`groups ${text}`, () => assert.equal(outline(parseFilter(text).predicate), meaning))
}

const accepted = [
  'true',
  'limit none',
  'sort by name desc skip 5 limit 10',
  'skip 3 limit 5',
  'count(configs)=0',
  'not isEmpty(roleAttributes)',
  'name not in ["a","b"]',
  'tags.service-id = "1"',
  ' a>=-1.5e3 ',
  'createdAt > datetime(2020-01-02t03:04:05z)',
  'ANYOF(roleAttributes) = "a"',
  '\n a\t=\r\n1 ',
  'a contains 5',
  'a not  contains "x"',
  'a = null sort by a , b asc,c desc',
  'a in [ 1 , 2.5 ]',
  'a in [datetime(2020-01-02T03:04:05Z), datetime(2021-01-02T03:04:05Z)]',
  'count( from s where a = 1 sort by b skip 1 limit 2 ) > 1',
  'isEmpty(from s where limit 1)',
  'a = $ 1',
]

for (const text of accepted) test(`accepts ${JSON.stringify(text)}`, () => assert.ok(parseFilter(text)))

const refused: [text: string, symbol: string, column: number][] = [
  ["name = 'abc'", "'abc'", 7],
  ['tags.k1 = "x"', '1', 6],
  ['name in []', ']', 9],
  ['name not  in ["a"]', 'not', 5],
  ['a = 01', '1', 5],
  ['limit 5 skip 3', 'skip', 8],
  ['createdAt > DATETIME(2020-01-02T03:04:05Z)', 'DATETIME', 12],
  ['isEmpty(roleAttributes) = false', '=', 24],
  ['name icontains 5', '5', 15],
  ['a = 1 skip 5 sort by name', 'sort', 13],
  ['x = "a\\u0041"', '0', 9],
  ['name =', '<EOF>', 6],
  ['name = = "x"', '=', 7],
  ['"x" = name', '"x"', 0],
  ['not(name = "a")', '(', 3],
  ['name = "a" and(name = "b")', '(', 14],
  ['limit abc', 'abc', 6],
  ['sort by', '<EOF>', 7],
  ['name like "x"', 'like', 5],
  ['name = "unterminated', '<EOF>', 20],
  ['name = "a" limit 1 limit 2', 'limit', 19],
  ['bad query', 'query', 4],
  ['(', '<EOF>', 1],
  [' ', '<EOF>', 1],
  ['a = 1 )', ')', 6],
  ['count (a) = 1', ' ', 5],
  ['count(a)', '<EOF>', 8],
  ['anyOf(a) and true', 'and', 9],
  ['anyOf(from a where true) = 1', 'from', 6],
  ['count(a)in [1]', 'in', 8],
  ['a in["x"]', '[', 4],
  ['a in ["x", 1]', '1', 11],
  ['a in ["x",]', ']', 10],
  ['a between 1 and datetime(2020-01-02T03:04:05Z)', 'datetime(2020-01-02T03:04:05Z)', 16],
  ['a between "x" and "y"', '"x"', 10],
  ['a < true', 'true', 4],
  ['a < null', 'null', 4],
  ['a contains"x"', '"x"', 10],
  ['a > 2020-01-02T03:04:05Z', '2020-01-02T03:04:05Z', 4],
  ['ratio >= 1e3sort by name', 'sort', 12],
  ['sort by name desc desc', 'desc', 18],
  ['skip 1limit 2', 'limit', 6],
  ['limit 1 sort by a', 'sort', 8],
  ['true limit', '<EOF>', 10],
  ['not inside = 1', 'not in', 0],
  ['and', 'and', 0],
  ['not in', 'not in', 0],
]

for (const [text, symbol, column] of refused) {
  test(`refuses ${JSON.stringify(text)} at column ${column}`, () => {
    const where = `at line: 1 column: ${column}. line: 1, column: ${column}, symbol: ${symbol}`
    const message = `Unexpected symbol: "${symbol}" ${where}`
    assert.throws(() => parseFilter(text), { name: 'FilterError', code: 'INVALID_FILTER', message, line: 1, column })
  })
}

test('names the line of a refusal', () => {
  assert.throws(() => parseFilter('a = 1 and\n  b like 2'), { line: 2, column: 4 })
})

test('refuses a bad value only in a text that is well formed', () => {
  const date = 'datetime(2020-02-30T00:00:00Z)'
  assert.throws(() => parseFilter(`a = ${date}`), { message: 'parsing time "2020-02-30T00:00:00Z": day out of range' })
  assert.throws(() => parseFilter(`a = ${date} and`), { message: /^Unexpected symbol: "<EOF>"/ })
})

const wrongValues: [text: string, message: string][] = [
  ['limit 5.5', 'expected integer value for limit, but got *ast.Float64ConstNode'],
  ['limit 9223372036854775808', 'expected integer value for limit, but got *ast.Float64ConstNode'],
  ['skip 1.5 limit 2.5', 'expected integer value for skip, but got *ast.Float64ConstNode'],
  [
    'a = 1e999',
    'could not parse number as float or int: int(strconv.ParseInt: parsing "1e999": invalid syntax) ' +
      'and float(strconv.ParseFloat: parsing "1e999": value out of range)',
  ],
]

for (const [text, message] of wrongValues) {
  test(`refuses the value in ${text}`, () => assert.throws(() => parseFilter(text), { name: 'FilterError', message }))
}

test('nests parentheses as deep as the bound and no deeper', () => {
  const nested = (depth: number) => `${'('.repeat(depth)}true${')'.repeat(depth)}`
  assert.ok(parseFilter(nested(maxNesting)))
  const refusal = { name: 'FilterError', message: 'filter is nested more than 100 deep' }
  assert.throws(() => parseFilter(nested(maxNesting + 1)), refusal)
  assert.throws(() => parseFilter('('.repeat(1500)), refusal)
  assert.throws(() => parseFilter(`${'not '.repeat(maxNesting + 1)}true`), refusal)
})

test('nests sub-queries three deep and no deeper', () => {
  const nested = (depth: number): string => (depth === 0 ? 'true' : `isEmpty(from s where ${nested(depth - 1)})`)
  assert.ok(parseFilter(nested(3)))
  assert.ok(parseFilter(`${nested(3)} and ${nested(3)}`))
  const message = 'sub-queries are nested more than 3 deep'
  assert.throws(() => parseFilter(nested(4)), { name: 'FilterError', message })
})

test('takes a long chain of conditions', () => {
  const chain = Array.from({ length: 400 }, (_, at) => (at % 2 === 0 ? 'a or' : 'b and')).join(' ')
  assert.ok(parseFilter(`${chain} c`))
})
