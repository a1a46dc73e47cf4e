import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compileSchema } from './compile-schema.ts'
import { SchemaError, type SchemaErrorCode } from './schema-error.ts'
import { schemaLimits } from './schema-limits.ts'

function refusal(schema: unknown): SchemaError {
  try {
    compileSchema(schema)
  } catch (error) {
    assert.ok(error instanceof SchemaError, String(error))
    return error
  }
  return assert.fail(`accepted ${JSON.stringify(schema).slice(0, 200)}`)
}

function messageOf(schema: unknown, data: unknown): string | undefined {
  return compileSchema(schema).validate(data)?.message
}

describe('refusals of schemas', () => {
  const typeList = '[array boolean integer number null object string]'
  const cases: [schema: unknown, path: string, reason: string][] = [
    [5, '#', 'Expected: valid schema, given: Invalid JSON'],
    [[], '#', 'Expected: valid schema, given: Invalid JSON'],
    [
      { type: 'nosuchtype' },
      '#',
      `has a primitive type that is NOT VALID -- given: /nosuchtype/ Expected valid values are:${typeList}`,
    ],
    [{ type: 'object', properties: 5 }, '#', 'properties must be of type object'],
    [{ type: null }, '#', 'Invalid type. Expected: string/array of strings, given: type'],
    [{ type: ['string', 'string'] }, '#', 'string type is duplicated'],
    [
      { properties: { 'a/b~c': { minLength: -1 } } },
      '#/properties/a~1b~0c',
      'minLength must be greater than or equal to 0',
    ],
    [{ properties: { a: 5 } }, '#/properties/a', 'Expected: valid schema, given: Invalid JSON'],
    [{ definitions: { a: { maximum: '5' } } }, '#/definitions/a', 'maximum must be of a number'],
    [{ $defs: { a: { enum: 5 } } }, '#/$defs/a', 'enum must be of an array'],
    [{ items: [{}, { required: 'a' }] }, '#/items/1', 'required must be of an array'],
    [{ allOf: {} }, '#', 'allOf must be of an array'],
    [{ not: [] }, '#', 'not must be of an object'],
    [{ pattern: '(' }, '#', 'pattern must be a valid regex'],
    [{ pattern: '(?=a)b' }, '#', 'pattern must be a valid regex'],
    [{ patternProperties: { '[': {} } }, '#', "Invalid regex pattern '['"],
    [{ multipleOf: 0 }, '#', 'multipleOf must be strictly greater than 0'],
    [{ maximum: Number.POSITIVE_INFINITY }, '#', 'maximum must be of a number'],
    [{ exclusiveMaximum: true }, '#', 'exclusiveMaximum cannot be used without maximum'],
    [{ dependencies: { a: [1] } }, '#', 'dependency must be of type schema or array of strings'],
    [{ $schema: 5 }, '#', '$schema must be of type string'],
  ]
  for (const [schema, path, reason] of cases) {
    test(`${JSON.stringify(schema)}`, () => {
      const error = refusal(schema)
      assert.deepEqual([error.path, error.reason], [path, reason])
      assert.equal(error.message, path === '#' ? reason : `${reason} (at ${path})`)
    })
  }
})

describe('references', () => {
  test('lead to definitions, to $defs, to the root and to any other place in the schema', () => {
    const schema = {
      $id: 'https://example.com/schema.json',
      type: ['object', 'null'],
      properties: {
        a: { $ref: '#/definitions/a~1b' },
        b: { $ref: '#/$defs/c%25d' },
        c: { $ref: '#' },
        d: { $ref: '#/properties/a' },
        e: { $ref: 'https://example.com/schema.json#/$defs/c%25d' },
        f: { $ref: '#/items/1' },
      },
      items: [{}, { const: 'f' }],
      definitions: { 'a/b': { type: 'string' } },
      $defs: { 'c%d': { type: 'integer' } },
    }
    assert.equal(messageOf(schema, { a: 'x', b: 1, c: null, d: 'x', e: 1, f: 'f' }), undefined)
    assert.equal(messageOf(schema, { a: 1 }), 'a: Invalid type. Expected: string, given: integer')
    assert.equal(messageOf(schema, { b: 'x' }), 'b: Invalid type. Expected: integer, given: string')
    assert.equal(messageOf(schema, { c: { c: { a: 1 } } }), 'c.c.a: Invalid type. Expected: string, given: integer')
    assert.equal(messageOf(schema, { d: 1 }), 'd: Invalid type. Expected: string, given: integer')
    assert.equal(messageOf(schema, { e: 'x' }), 'e: Invalid type. Expected: integer, given: string')
    assert.equal(messageOf(schema, { f: 'x' }), 'f: f does not match: "f"')
  })

  test('put keywords beside them out of force', () => {
    const schema = {
      properties: { a: { $ref: '#/definitions/a', minimum: 10 } },
      definitions: { a: { type: 'integer' } },
    }
    assert.equal(messageOf(schema, { a: 1 }), undefined)
  })

  const refused: [reference: string, code: SchemaErrorCode][] = [
    ['http://example.com/other.json', 'REMOTE_REFERENCE'],
    ['http://example.com/other.json#/definitions/a', 'REMOTE_REFERENCE'],
    ['file:///etc/passwd', 'REMOTE_REFERENCE'],
    ['other.json', 'REMOTE_REFERENCE'],
    ['', 'REMOTE_REFERENCE'],
    ['#/definitions/embedded/properties/x', 'REMOTE_REFERENCE'],
    ['#anchor', 'UNRESOLVED_REFERENCE'],
    ['#/definitions/missing', 'UNRESOLVED_REFERENCE'],
    ['#/definitions/a/type', 'UNRESOLVED_REFERENCE'],
    ['#/definitions/%', 'UNRESOLVED_REFERENCE'],
    ['#/definitions/constructor', 'UNRESOLVED_REFERENCE'],
    ['#/__proto__', 'UNRESOLVED_REFERENCE'],
  ]
  for (const [reference, code] of refused) {
    test(`refuses ${JSON.stringify(reference)}`, () => {
      const embedded = { $id: 'http://example.com/embedded.json', properties: { x: {} } }
      const error = refusal({
        properties: { a: { $ref: reference } },
        definitions: { a: { type: 'string' }, embedded },
      })
      assert.equal(error.code, code)
      assert.equal(error.path, '#/properties/a')
    })
  }

  test('are refused inside a subschema with an $id of its own, where they would mean something else', () => {
    const inner = { $id: 'http://example.com/inner.json', properties: { b: { $ref: '#/definitions/a' } } }
    const error = refusal({ properties: { a: inner }, definitions: { a: {} } })
    assert.deepEqual([error.code, error.path], ['REMOTE_REFERENCE', '#/properties/a/properties/b'])
  })

  const endless: Record<string, unknown> = {
    'to itself': { $ref: '#' },
    'in a ring': {
      $ref: '#/definitions/a',
      definitions: { a: { $ref: '#/definitions/b' }, b: { $ref: '#/definitions/a' } },
    },
    'through allOf': { allOf: [{ $ref: '#' }] },
    'through anyOf and not': { anyOf: [{ not: { $ref: '#' } }] },
    'through oneOf': { oneOf: [{ type: 'string' }, { $ref: '#' }] },
    'through if': { if: { $ref: '#' }, else: {} },
    'through else': { if: {}, else: { $ref: '#' } },
    'through dependencies': { dependencies: { a: { $ref: '#' } } },
    'in a definition nobody uses': { type: 'object', definitions: { a: { allOf: [{ $ref: '#/definitions/a' }] } } },
  }
  for (const [way, schema] of Object.entries(endless)) {
    test(`that come back for the same value ${way} are refused`, () => {
      assert.equal(refusal(schema).code, 'ENDLESS_REFERENCE')
    })
  }

  test('of which thousands follow one another, in either order, lead to the last', () => {
    for (const step of [1, -1]) {
      const definitions: Record<string, unknown> = {}
      for (let index = 0; index < 4_000; index++) definitions[`d${index}`] = { $ref: `#/definitions/d${index + step}` }
      definitions[step === 1 ? 'd4000' : 'd-1'] = { type: 'string' }
      const first = { $ref: `#/definitions/d${step === 1 ? 0 : 3_999}` }
      assert.equal(messageOf({ properties: { a: first }, definitions }, { a: 'x' }), undefined)
      assert.match(messageOf({ properties: { a: first }, definitions }, { a: 1 }) ?? '', /^a: Invalid type/)
    }
  })

  test('may come back for a member, an item or a name', () => {
    const schema = {
      type: ['object', 'string'],
      properties: { left: { $ref: '#' } },
      additionalProperties: { $ref: '#' },
      propertyNames: { $ref: '#' },
    }
    assert.equal(messageOf(schema, { left: { right: {} } }), undefined)
    assert.match(messageOf(schema, { left: { right: 5 } }) ?? '', /^left\.right: Invalid type/)
  })
})

describe('bounds', () => {
  test('of depth', () => {
    const nested = (levels: number): unknown => (levels === 1 ? {} : { not: nested(levels - 1) })
    compileSchema(nested(schemaLimits.depth))
    assert.deepEqual(refusal(nested(schemaLimits.depth + 1)).code, 'TOO_LARGE')
    const cyclic: { not?: unknown } = {}
    cyclic.not = cyclic
    assert.equal(refusal(cyclic).code, 'TOO_LARGE')
  })

  test('of the number of values', () => {
    const list = (length: number) => ({ enum: Array.from({ length }, (_, index) => index) })
    compileSchema(list(schemaLimits.values - 2))
    assert.equal(refusal(list(schemaLimits.values - 1)).reason, 'schema has more than 10000 values')
    assert.equal(refusal(list(1_000_000)).code, 'TOO_LARGE')
  })

  test('of the text', () => {
    compileSchema({ description: 'x'.repeat(schemaLimits.textBytes - 30) })
    assert.equal(
      refusal({ description: 'x'.repeat(schemaLimits.textBytes) }).reason,
      'schema is larger than 262144 bytes',
    )
  })

  test('of patterns', () => {
    compileSchema({ pattern: 'a'.repeat(schemaLimits.patternLength) })
    assert.equal(refusal({ pattern: 'a'.repeat(schemaLimits.patternLength + 1) }).code, 'INVALID_PATTERN')
    const distinct = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`^p${index}$`, {}]))
    assert.equal(refusal({ patternProperties: distinct }).reason, 'patterns of the schema are too large together')
    const repeated = Array.from({ length: 300 }, () => ({ pattern: '^same$' }))
    compileSchema({ allOf: repeated })
  })
})

test('keeps nothing of the schema it was given', () => {
  const schema = { type: 'object', properties: { a: { enum: ['x'] } }, required: ['a'] }
  const compiled = compileSchema(schema)
  schema.properties.a.enum.push('y')
  schema.required.length = 0
  assert.equal(compiled.validate({ a: 'y' })?.message, 'a: a must be one of the following: "x"')
  assert.equal(compiled.validate({})?.message, '(root): a is required')
})
