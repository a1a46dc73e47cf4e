/** Schemas and documents made to cost too much: each is refused or judged within two seconds of CPU time. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { compileSchema } from './compile-schema.ts'
import { SchemaError } from './schema-error.ts'
import { schemaLimits } from './schema-limits.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const stepsExceeded = `(root): Validation takes more than ${schemaLimits.steps} steps`

/** Runs a function and checks the CPU time it took: other processes do not count. */
function within<Result>(milliseconds: number, run: () => Result): Result {
  const before = process.cpuUsage()
  const result = run()
  const { user, system } = process.cpuUsage(before)
  assert.ok((user + system) / 1_000 < milliseconds, `took ${(user + system) / 1_000} ms`)
  return result
}

let seed = 1

/** A text of a and b in no order that an automaton could learn; the same in every run. */
function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    text += seed >>> 31 === 1 ? 'a' : 'b'
  }
  return text
}

function judge(schema: unknown, data: unknown): string | undefined {
  return within(2_000, () => compileSchema(schema).validate(data)?.message)
}

describe('patterns', () => {
  test('that make backtracking matchers explode are matched in linear time', () => {
    const text = `${'a'.repeat(20_000)}!`
    for (const pattern of ['(a+)+$', '^(a|a)*$', '(a*)*b', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
      assert.equal(judge({ pattern }, text), `(root): Does not match pattern '${pattern}'`)
    }
    assert.equal(judge({ pattern: '(a+)+!$' }, text), undefined)
  })

  test('that keep the matcher busy on a long text run out of steps', () => {
    assert.equal(judge({ pattern: '[ab]*a[ab]{200}[cd]' }, randomText(200_000)), stepsExceeded)
  })

  test('that keep the matcher busy on many texts run out of steps', () => {
    const texts = Array.from({ length: 2_000 }, () => randomText(300))
    assert.equal(judge({ items: { pattern: '[ab]*a[ab]{100}[cd]|$' } }, texts), stepsExceeded)
  })

  test('do not let the automata of a long-lived schema grow to megabytes each', () => {
    const compiled = compileSchema({
      allOf: Array.from({ length: 8 }, (_, index) => ({ pattern: `[ab]*a[ab]{${300 + index}}[cd]|$` })),
    })
    const heapAfter = (times: number) => {
      for (let round = 0; round < times; round++) assert.equal(compiled.validate(randomText(200)), undefined)
      collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const before = heapAfter(2)
    const growth = heapAfter(15) - before
    assert.ok(growth < 16 * 1024 * 1024, `grew by ${growth} bytes`)
  })

  test('with counted repetitions written into one another are refused before they are compiled', () => {
    for (const pattern of [
      'a{1000}'.repeat(140),
      `(${'a'.repeat(980)}){1000}`,
      '((a{30}){30})'.repeat(70),
      '[\\pL\\pN]{900}'.repeat(70),
      '\\Q[\\E(ab){1000}(cd){1000}(ef){1000}(gh){1000}(ij){1000}(kl){1000}(mn){1000}',
    ]) {
      within(200, () =>
        assert.throws(() => compileSchema({ pattern }), { code: 'INVALID_PATTERN' }, pattern.slice(0, 30)),
      )
    }
  })

  test('are compiled within bounds however many there are', () => {
    const patternProperties = Object.fromEntries(
      Array.from({ length: 250 }, (_, index) => [`${'(a|)'.repeat(200)}${index}`, true]),
    )
    within(2_000, () => assert.throws(() => compileSchema({ patternProperties }), SchemaError))
  })
})

describe('work that multiplies', () => {
  test('through allOf of references to allOf of references', () => {
    const definitions: Record<string, unknown> = { d0: { type: 'object' } }
    for (let level = 1; level <= 40; level++) {
      const reference = { $ref: `#/definitions/d${level - 1}` }
      definitions[`d${level}`] = { allOf: [reference, { ...reference }] }
    }
    for (const combined of [
      { $ref: '#/definitions/d40' },
      { not: { $ref: '#/definitions/d40' } },
      { anyOf: [{ not: { $ref: '#/definitions/d40' } }, {}] },
      { if: { $ref: '#/definitions/d40' }, else: {} },
    ]) {
      assert.equal(judge({ type: 'object', definitions, properties: { a: combined } }, { a: {} }), stepsExceeded)
    }
  })

  test('through members that come back twice each', () => {
    const schema = { type: 'object', additionalProperties: { allOf: [{ $ref: '#' }, { $ref: '#' }] } }
    let document: unknown = {}
    for (let level = 0; level < 60; level++) document = { a: document }
    assert.equal(judge(schema, document), stepsExceeded)
  })

  test('through long lists in the schema and in the document', () => {
    const names = Array.from({ length: 4_000 }, (_, index) => `n${index}`)
    const documents = Array.from({ length: 20_000 }, () => ({}))
    assert.equal(judge({ items: { not: { required: names } } }, documents), stepsExceeded)
    const properties = Object.fromEntries(names.map((name) => [name, true]))
    assert.equal(judge({ items: { properties } }, documents), stepsExceeded)
    const dependencies = Object.fromEntries(names.map((name) => [name, ['x']]))
    assert.equal(judge({ items: { dependencies } }, documents), stepsExceeded)
  })

  test('through chains of references as long as the schema', () => {
    const definitions: Record<string, unknown> = { d0: { type: 'string' } }
    for (let level = 1; level < 4_000; level++) definitions[`d${level}`] = { $ref: `#/definitions/d${level - 1}` }
    const chain = { properties: { a: { $ref: '#/definitions/d3999' } }, definitions }
    assert.equal(judge(chain, { a: 1 }), 'a: Invalid type. Expected: string, given: integer')
    for (let level = 1; level < 2_000; level++) {
      definitions[`d${level}`] = { allOf: [{ $ref: `#/definitions/d${level - 1}` }] }
    }
    for (let level = 2_000; level < 4_000; level++) delete definitions[`d${level}`]
    const nested = { properties: { a: { $ref: '#/definitions/d1999' } }, definitions }
    assert.match(judge(nested, { a: 1 }) ?? '', /more than 1000 nested schemas/)
  })
})

describe('documents', () => {
  test('nested deeper than the walk goes are refused, not overflowed', () => {
    let list: unknown = []
    let object: unknown = {}
    for (let level = 0; level < 100_000; level++) {
      list = [list]
      object = { a: object }
    }
    assert.match(judge({ items: { $ref: '#' } }, list) ?? '', /more than 1000 nested schemas/)
    assert.match(judge({ additionalProperties: { $ref: '#' } }, object) ?? '', /more than 1000 nested schemas/)
    assert.match(judge({ uniqueItems: true }, [list, list]) ?? '', /nested deeper than 1000 levels/)
    assert.match(judge({ const: {} }, object) ?? '', /nested deeper than 1000 levels/)
    assert.equal(judge({ type: 'array' }, list), undefined)
  })

  test('with a hundred thousand unique items are compared by their text, not with one another', () => {
    const texts = Array.from({ length: 100_000 }, (_, index) => `item ${index}`)
    assert.equal(judge({ uniqueItems: true }, texts), undefined)
    assert.equal(judge({ uniqueItems: true }, [...texts, texts[7]]), '(root): array items[7,100000] must be unique')
    const objects = Array.from({ length: 50_000 }, (_, index) => ({ name: `item ${index}`, list: [index] }))
    assert.equal(judge({ uniqueItems: true }, objects), undefined)
    objects.push({ list: [7], name: 'item 7' })
    assert.equal(judge({ uniqueItems: true }, objects), '(root): array items[7,50000] must be unique')
    const more = [...objects, ...objects.map((item, index) => ({ ...item, index }))]
    assert.equal(judge({ uniqueItems: true }, more.slice(50_001)), undefined)
    assert.equal(judge({ items: { uniqueItems: true } }, [more.slice(50_001), more.slice(50_001)]), stepsExceeded)
  })

  test('with millions of values run out of steps', () => {
    const items = Array.from({ length: 3_000_000 }, () => 1)
    assert.equal(judge({ items: { type: 'integer' } }, items), stepsExceeded)
  })

  test('with numbers that have no finite value are refused', () => {
    const infinite = JSON.parse('{"a":1e999}') as unknown
    assert.equal(judge({ properties: { a: {} } }, infinite), 'a: Number is out of range')
    assert.equal(judge({ properties: { a: { multipleOf: 1e-300 } } }, { a: 1e308 }), undefined)
    assert.equal(judge({ properties: { a: { multipleOf: 3e-300 } } }, { a: 1e308 }), 'a: Must be a multiple of 3e-300')
    assert.equal(judge({ maximum: 1e308 }, 1.7e308), '(root): Must be less than or equal to 1e+308')
  })

  test('with NUL bytes and lone surrogates are judged like any text', () => {
    assert.equal(judge({ const: 'a\0b' }, 'a\0b'), undefined)
    assert.equal(judge({ pattern: '^a\\x00b$' }, 'a\0b'), undefined)
    assert.equal(judge({ pattern: '^a\0b$' }, 'a\0b'), undefined)
    assert.equal(judge({ maxLength: 1 }, '\ud800'), undefined)
    assert.equal(judge({ pattern: '^.$' }, '\ud800'), undefined)
    const name = 'a\0b'
    assert.equal(
      judge({ additionalProperties: false }, { [name]: 1 }),
      '(root): Additional property a\0b is not allowed',
    )
  })
})

describe('names that mean something to JavaScript', () => {
  const parse = (text: string) => JSON.parse(text) as unknown

  test('are ordinary names in documents', () => {
    const closed = { properties: { a: {} }, additionalProperties: false }
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      assert.equal(judge(closed, parse(`{"${name}":{}}`)), `(root): Additional property ${name} is not allowed`)
      assert.equal(judge({ required: [name] }, {}), `(root): ${name} is required`)
      assert.equal(judge({ required: [name] }, parse(`{"${name}":1}`)), undefined)
      assert.equal(judge({ dependencies: parse(`{"${name}":["z"]}`) }, {}), undefined)
      const typed = parse(`{"properties":{"${name}":{"type":"string"}}}`)
      assert.equal(judge(typed, {}), undefined)
      assert.match(judge(typed, parse(`{"${name}":1}`)) ?? '', new RegExp(`^${name}: Invalid type`))
    }
    assert.equal(judge({ const: parse('{"__proto__":1}') }, {}), '(root): (root) does not match: {"__proto__":1}')
  })

  test('are no keywords in schemas, and change nothing outside', () => {
    const schema = parse('{"__proto__":{"type":"string","required":["x"]},"constructor":{"prototype":{"polluted":1}}}')
    assert.equal(judge(schema, 5), undefined)
    const inherited = Object.create({ type: 'string' }) as object
    assert.equal(judge(inherited, 5), undefined)
    assert.equal(({} as { polluted?: unknown }).polluted, undefined)
  })
})
