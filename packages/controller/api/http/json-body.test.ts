import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../../operation/api-error.ts'
import { parseJsonBody } from './json-body.ts'

const parse = (text: string | Buffer) => parseJsonBody(Buffer.from(text as string), 'service')

const values: [string, unknown][] = [
  ['{"a":1}', { a: 1 }],
  [' \n\t{"a":[1,2,{"b":"}"}]} \r\n', { a: [1, 2, { b: '}' }] }],
  ['{"a":1} xyz', { a: 1 }],
  ['{"a":1}{"b":2}', { a: 1 }],
  ['[1]]', [1]],
  ['5 6', 5],
  ['"x" y', 'x'],
  ['"a\\"b" c', 'a"b'],
  ['"a\\\\" c', 'a\\'],
  ['null', null],
  ['{"a":1,"a":2}', { a: 2 }],
  ['{"a":"\\u0000"}', { a: '\0' }],
  ['{"a":"\\ud83d\\ude00"}', { a: '😀' }],
  ['{"a":"\\ud83d","\\uDE00":"\\\\ud800"}', { a: '\ufffd', '\ufffd': '\\ud800' }],
  ['', undefined],
  [' \n ', undefined],
]

for (const [text, value] of values) {
  test(`${JSON.stringify(text)} is read`, () => assert.deepEqual(parse(text), value))
}

const mistakes: [string, string][] = [
  ['{', 'unexpected EOF'],
  ['{"name":', 'unexpected EOF'],
  ['"abc', 'unexpected EOF'],
  ['hello', "invalid character 'h' at line 1 column 1, wanted a value"],
  ['{bad', "invalid character 'b' at line 1 column 2, wanted a key in double quotes"],
  ['{"a" 1}', "invalid character '1' at line 1 column 6, wanted ':' after the key"],
  ['{"a":1,\n "b":2\n "c"}', "invalid character '\"' at line 3 column 2, wanted ',' or '}' after the member"],
  ['[1 2]', "invalid character '2' at line 1 column 4, wanted ',' or ']' after the element"],
  ['{"a":1,}', "invalid character '}' at line 1 column 8, wanted a key in double quotes"],
  ['[01]', "invalid character '1' at line 1 column 3, wanted ',' or ']' after the element"],
  ['[-]', "invalid character ']' at line 1 column 3, wanted a digit"],
  ['[1.]', "invalid character ']' at line 1 column 4, wanted a digit"],
  ['[1e+]', "invalid character ']' at line 1 column 5, wanted a digit"],
  ['{"a":"x\ny"}', 'invalid character U+000A at line 1 column 8, wanted no control character in a string'],
  ['["\\x"]', "invalid character 'x' at line 1 column 4, wanted an escape"],
  ['["\\u12g4"]', "invalid character 'g' at line 1 column 7, wanted four hexadecimal digits"],
  ['[truth]', "invalid character 't' at line 1 column 5, wanted true"],
  ['{]', "invalid character ']' at line 1 column 2, wanted a key in double quotes"],
  ['}', "invalid character '}' at line 1 column 1, wanted a value"],
  ['5x', "invalid character 'x' at line 1 column 2, wanted the end"],
  ['\0', 'invalid character U+0000 at line 1 column 1, wanted a value'],
  ['\ufeff{}', 'invalid character U+FEFF at line 1 column 1, wanted a value'],
]

for (const [text, reason] of mistakes) {
  test(`${JSON.stringify(text)} is refused`, () => {
    assert.deepEqual(refusalOf(text), `parsing service body from "" failed, because ${reason}`)
  })
}

test('bytes that are not UTF-8 are refused, in a string or anywhere', () => {
  assert.match(refusalOf(Buffer.from([0x22, 0xff, 0x22])), /not valid UTF-8/)
  assert.match(refusalOf(Buffer.from([0x7b, 0xc3, 0x28, 0x7d])), /not valid UTF-8/)
})

test('depth is bounded, whatever the text is made of', () => {
  assert.doesNotThrow(() => parse('['.repeat(100) + ']'.repeat(100)))
  assert.match(refusalOf('['.repeat(101) + ']'.repeat(101)), /deeper than 100/)
  assert.match(refusalOf('['.repeat(1_000_000)), /deeper than 100/)
  assert.match(refusalOf('{"a":'.repeat(200_000)), /deeper than 100/)
  assert.match(refusalOf('[{"a":'.repeat(60)), /deeper than 100/)
})

test('a number that JSON could not write again is refused, however it is written', () => {
  for (const number of ['1e999', '-1E+309', '1.7e00400', '1'.repeat(400), `${'9'.repeat(250)}e99`]) {
    assert.match(refusalOf(`{"a":[${number}]}`), /number that is too large/, number)
  }
  assert.deepEqual(parse('{"a":1e308,"b":1e-999,"c":"1e999"}'), { a: 1e308, b: 0, c: '1e999' })
  const started = performance.now()
  parse(`[${'1234567890'.repeat(19)}${`,${'1234567890'.repeat(19)}`.repeat(5_000)}]`)
  assert.ok(performance.now() - started < 1_000)
})

test('no body reaches the prototype of an object', () => {
  const texts = ['{"__proto__":{"isAdmin":true},"a":1}', '{"\\u005f_proto__":{"isAdmin":true},"a":1}']
  for (const text of texts) {
    const value = parse(text) as Record<string, unknown>
    assert.deepEqual(Object.getOwnPropertyNames(value), ['a'])
    assert.equal(Object.assign({} as Record<string, unknown>, value)['isAdmin'], undefined)
  }
  const nested = parse('{"a":[{"b":{"__proto__":1,"c":2}}],"constructor":{"prototype":{"x":1}}}')
  assert.equal(JSON.stringify(nested), '{"a":[{"b":{"c":2}}],"constructor":{"prototype":{"x":1}}}')
  assert.equal(({} as Record<string, unknown>)['x'], undefined)
})

test('a refusal never quotes the body', () => {
  assert.doesNotMatch(refusalOf('{"password":"hunter2" "x"}'), /hunter2/)
})

test('any damage to a document is refused with a place, or read', () => {
  const document = '{"name":"a","list":[1,2.5e3,true,null,"\\u00e9\\n"],"tags":{"k":"v"}}'
  for (let at = 0; at < document.length; at++) {
    for (const damaged of [
      document.slice(0, at),
      document.slice(0, at) + document.slice(at + 1),
      `${document.slice(0, at)}~${document.slice(at)}`,
    ]) {
      const refusal = refusalOf(damaged)
      if (refusal !== '')
        assert.match(refusal, /because (unexpected EOF|invalid character .+ at line 1 column \d+, wanted)/)
    }
  }
})

test('a large body of backslashes and quotes is read in linear time', () => {
  const started = performance.now()
  refusalOf(`"${'\\'.repeat(1_000_000)}`)
  refusalOf(`[${'"\\"",'.repeat(150_000)}`)
  assert.ok(performance.now() - started < 2000)
})

function refusalOf(text: string | Buffer): string {
  try {
    parse(text)
    return ''
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    assert.equal(error.code, 'COULD_NOT_PARSE_BODY')
    assert.equal(error.status, 400)
    return (error.detail as { message: string }).message
  }
}
