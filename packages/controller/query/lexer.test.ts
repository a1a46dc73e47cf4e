import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FilterError, placeOf } from './filter-error.ts'
import { maxFilterBytes, maxTokens, tokenize } from './lexer.ts'

const kinds = (text: string) => tokenize(text).map(({ kind, text }) => (kind === text ? kind : `${kind} ${text}`))

const cases: [text: string, tokens: string[]][] = [
  ['', ['end <EOF>']],
  ['a \t\r\n b', ['identifier a', 'space  ', 'identifier b', 'end <EOF>']],
  ['AND Or nOt', ['and AND', 'space  ', 'or Or', 'space  ', 'not nOt', 'end <EOF>']],
  ['android', ['identifier android', 'end <EOF>']],
  ['tags.service-id', ['identifier tags.service-id', 'end <EOF>']],
  ['a-b', ['identifier a', 'end <EOF>']],
  ['k1', ['identifier k', 'number 1', 'end <EOF>']],
  ["'a.b'", ["identifier 'a.b'", 'end <EOF>']],
  ['not in', ['in not in', 'end <EOF>']],
  ['not  in', ['not', 'space  ', 'in', 'end <EOF>']],
  ['NOT\nbetween', ['between NOT\nbetween', 'end <EOF>']],
  ['not   icontains', ['icontains not   icontains', 'end <EOF>']],
  ['not inside', ['in not in', 'identifier side', 'end <EOF>']],
  ['<=>=!==', ['order <=', 'order >=', 'equality !=', 'equality =', 'end <EOF>']],
  ['-1.5e+3', ['number -1.5e+3', 'end <EOF>']],
  ['007', ['number 0', 'number 0', 'number 7', 'end <EOF>']],
  ['1e05', ['number 1e0', 'number 5', 'end <EOF>']],
  ['1.', ['number 1', 'end <EOF>']],
  ['"a\\"b"', ['string "a\\"b"', 'end <EOF>']],
  ['datetime( 2020-01-02t03:04:05.5+01:00 )', ['datetime datetime( 2020-01-02t03:04:05.5+01:00 )', 'end <EOF>']],
  ['DATETIME(', ['identifier DATETIME', '(', 'end <EOF>']],
  ['2020-01-02T03:04:05Z', ['bare datetime 2020-01-02T03:04:05Z', 'end <EOF>']],
  ['2020-13-02', ['number 2020', 'number -13', 'number -0', 'number 2', 'end <EOF>']],
]

for (const [text, tokens] of cases) {
  test(`reads ${JSON.stringify(text)}`, () => assert.deepEqual(kinds(text), tokens))
}

const skipping: [text: string, tokens: string[]][] = [
  ['a $ b', ['identifier a', 'space  ', 'identifier b', 'end <EOF>']],
  ['a😀b', ['identifier a', 'identifier b', 'end <EOF>']],
  ['!ab', ['identifier b', 'end <EOF>']],
  ['-ab', ['identifier b', 'end <EOF>']],
  ['"a\\u0041', ['number 0', 'number 0', 'number 41', 'end <EOF>']],
  ['"a\nb', ['identifier b', 'end <EOF>']],
  ['"open', ['end <EOF>']],
  ["'ab cd", ['identifier cd', 'end <EOF>']],
  ["'a.1x", ['identifier x', 'end <EOF>']],
  ["'", ['end <EOF>']],
]

for (const [text, tokens] of skipping) {
  test(`skips what begins no token in ${JSON.stringify(text)}`, () => assert.deepEqual(kinds(text), tokens))
}

test('counts lines from 1 and columns in characters from 0', () => {
  assert.deepEqual(placeOf('ab', 1), { line: 1, column: 1 })
  assert.deepEqual(placeOf('a\nbc\nde', 6), { line: 3, column: 1 })
  assert.deepEqual(placeOf('"😀é" x', 6), { line: 1, column: 5 })
})

test('takes a filter of the largest size and refuses a larger one, counted in bytes', () => {
  const fits = `"${'x'.repeat(maxFilterBytes - 2)}"`
  assert.equal(tokenize(fits).length, 2)
  const refusal = { name: 'FilterError', code: 'INVALID_FILTER', message: 'filter is longer than 16384 bytes' }
  assert.throws(() => tokenize(`${fits} `), refusal)
  assert.throws(() => tokenize(`"${'é'.repeat(maxFilterBytes / 2)}"`), refusal)
})

test('takes the largest number of tokens and refuses one more', () => {
  assert.equal(tokenize('('.repeat(maxTokens)).length, maxTokens + 1)
  assert.throws(() => tokenize('('.repeat(maxTokens + 1)), FilterError)
})
