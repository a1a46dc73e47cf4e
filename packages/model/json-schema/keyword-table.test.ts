import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compileSchema } from './compile-schema.ts'

function consequence(schema: unknown): object {
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  return { then: schema }
}

type Case = [schema: unknown, data: unknown, message: string | undefined]

const cases: Record<string, Case[]> = {
  type: [
    [{ type: 'integer' }, 5.0, undefined],
    [{ type: 'integer' }, 5.5, '(root): Invalid type. Expected: integer, given: number'],
    [{ type: 'number' }, 5, undefined],
    [{ type: ['string', 'null'] }, true, '(root): Invalid type. Expected: [string,null], given: boolean'],
    [{ type: 'object' }, null, '(root): Invalid type. Expected: object, given: null'],
    [{ type: 'object' }, undefined, '(root): Invalid type. Expected: object, given: null'],
    [{ type: 'object' }, [], '(root): Invalid type. Expected: object, given: array'],
  ],
  'true and false': [
    [true, 1, undefined],
    [false, 1, '(root): False always fails validation'],
    [{ properties: { a: false } }, { a: 1 }, 'a: False always fails validation'],
  ],
  'enum and const': [
    [{ enum: ['a', 1, null, { b: [1], a: 2 }] }, { a: 2, b: [1.0] }, undefined],
    [{ enum: ['<b>', 1] }, 2, '(root): (root) must be one of the following: "\\u003cb\\u003e", 1'],
    [{ enum: [] }, 2, undefined],
    [{ const: { b: 1, a: 2 } }, { a: 2, b: 1 }, undefined],
    [{ properties: { a: { const: null } } }, { a: 0 }, 'a: a does not match: null'],
  ],
  numbers: [
    [{ maximum: 2_147_483_647 }, 2_147_483_648, '(root): Must be less than or equal to 2.147483647e+09'],
    [{ maximum: 65_535 }, 65_536, '(root): Must be less than or equal to 65535'],
    [{ minimum: 0.5 }, 0, '(root): Must be greater than or equal to 0.5'],
    [{ exclusiveMinimum: 1 }, 1, '(root): Must be greater than 1'],
    [{ exclusiveMaximum: 1 }, 1, '(root): Must be less than 1'],
    [{ maximum: 1, exclusiveMaximum: true }, 1, '(root): Must be less than 1'],
    [{ maximum: 1, exclusiveMaximum: false }, 1, undefined],
    [{ multipleOf: 0.1 }, 0.3, undefined],
    [{ multipleOf: 0.1 }, 0.35, '(root): Must be a multiple of 0.1'],
    [{ multipleOf: 3, maximum: 1 }, 4, '(root): Must be a multiple of 3'],
  ],
  strings: [
    [{ minLength: 2 }, '😀', '(root): String length must be greater than or equal to 2'],
    [{ maxLength: 2 }, '😀😀', undefined],
    [{ maxLength: 2 }, 'abc', '(root): String length must be less than or equal to 2'],
    [{ pattern: 'b' }, 'abc', undefined],
    [{ pattern: '^b$' }, 'abc', "(root): Does not match pattern '^b$'"],
    [{ format: 'ipv4' }, '10.0.0.1', undefined],
    [{ format: 'ipv4' }, '::1', "(root): Does not match format 'ipv4'"],
    [{ format: 'ipv6' }, 'fe80::1%eth0', "(root): Does not match format 'ipv6'"],
    [{ format: 'idn-hostname' }, '*.not a host/8', undefined],
    [{ pattern: 'x', minLength: 5 }, 5, undefined],
  ],
  lists: [
    [{ items: { type: 'string' } }, ['a', 1], '1: Invalid type. Expected: string, given: integer'],
    [{ items: [{ type: 'string' }, {}] }, [1], '0: Invalid type. Expected: string, given: integer'],
    [{ items: [{}], additionalItems: false }, [1, 2], '(root): No additional items allowed on array'],
    [{ items: [{}], additionalItems: { type: 'string' } }, [1, 2], '1: Invalid type. Expected: string, given: integer'],
    [{ additionalItems: false }, [1, 2], undefined],
    [{ minItems: 1 }, [], '(root): Array must have at least 1 items'],
    [{ maxItems: 1 }, [1, 2], '(root): Array must have at most 1 items'],
    [{ uniqueItems: true }, [1, { a: 1, b: 2 }, 2, { b: 2, a: 1 }], '(root): array items[1,3] must be unique'],
    [{ uniqueItems: true }, [0, false, null, '', '0', [], {}, 'null'], undefined],
    [{ contains: { const: 2 } }, [1, 2], undefined],
    [{ contains: { const: 2 } }, [], '(root): At least one of the items must match'],
  ],
  objects: [
    [{ required: ['b', 'a'] }, {}, '(root): b is required'],
    [{ minProperties: 1 }, {}, '(root): Must have at least 1 properties'],
    [{ maxProperties: 1 }, { a: 1, b: 2 }, '(root): Must have at most 1 properties'],
    [
      { properties: { a: {} }, additionalProperties: false },
      { a: 1, b: 2 },
      '(root): Additional property b is not allowed',
    ],
    [{ additionalProperties: { type: 'string' } }, { b: 2 }, 'b: Invalid type. Expected: string, given: integer'],
    [
      { patternProperties: { '^a': { type: 'string' } } },
      { ab: 2 },
      'ab: Invalid type. Expected: string, given: integer',
    ],
    [{ patternProperties: { '^a': {} }, additionalProperties: false }, { ab: 2 }, undefined],
    [{ propertyNames: { maxLength: 1 } }, { ab: 2 }, '(root): Property name of "ab" does not match'],
    [{ dependencies: { a: ['b'] } }, { a: 1 }, '(root): Has a dependency on b'],
    [{ dependencies: { a: { required: ['c'] } } }, { a: 1 }, '(root): c is required'],
    [{ dependencies: { a: ['b'] } }, { c: 1 }, undefined],
  ],
  'schemas combined': [
    [{ anyOf: [{ type: 'string' }, { minimum: 2 }] }, 1, '(root): Must validate at least one schema (anyOf)'],
    [{ oneOf: [{ minimum: 2 }, { maximum: 5 }] }, 3, '(root): Must validate one and only one schema (oneOf)'],
    [{ oneOf: [{ minimum: 2 }, { maximum: 5 }] }, 1, undefined],
    [{ allOf: [{ minimum: 2 }, { maximum: 5 }] }, 6, '(root): Must be less than or equal to 5'],
    [{ not: { type: 'string' } }, 'a', '(root): Must not validate the schema (not)'],
    [{ if: { minimum: 5 }, ...consequence({ multipleOf: 5 }) }, 6, '(root): Must validate "then" as "if" was valid'],
    [{ if: { minimum: 5 }, else: { multipleOf: 2 } }, 3, '(root): Must validate "else" as "if" was not valid'],
    [{ ...consequence(false), else: false }, 3, undefined],
  ],
  'the order of reports': [
    [
      { type: 'string', allOf: [{ maxLength: 1 }], minLength: 3 },
      'ab',
      '(root): String length must be less than or equal to 1',
    ],
    [{ type: 'object', not: {}, required: ['a'] }, {}, '(root): Must not validate the schema (not)'],
    [{ oneOf: [false], anyOf: [false] }, 1, '(root): Must validate at least one schema (anyOf)'],
    [{ enum: ['x'], minLength: 3, pattern: 'y' }, 'ab', '(root): (root) must be one of the following: "x"'],
    [{ items: { type: 'string' }, minItems: 3 }, [1], '0: Invalid type. Expected: string, given: integer'],
    [
      { properties: { a: { type: 'string' } }, additionalProperties: false },
      { a: 1, b: 1 },
      '(root): Additional property b is not allowed',
    ],
    [{ properties: { b: false, a: false } }, { a: 1, b: 1 }, 'b: False always fails validation'],
  ],
}

for (const [group, rows] of Object.entries(cases)) {
  describe(group, () => {
    for (const [schema, data, message] of rows) {
      test(`${JSON.stringify(schema)} on ${JSON.stringify(data)}`, () => {
        assert.equal(compileSchema(schema).validate(data)?.message, message)
      })
    }
  })
}

test('a violation carries the field, the message and the offending value', () => {
  const schema = { properties: { list: { items: { properties: { port: { maximum: 1 } } } } } }
  assert.deepEqual(compileSchema(schema).validate({ list: [{ port: 1 }, { port: 2 }] }), {
    field: 'list.1.port',
    message: 'list.1.port: Must be less than or equal to 1',
    value: 2,
  })
  const closed = { properties: {}, additionalProperties: false }
  assert.deepEqual(compileSchema(closed).validate({ extra: 7 }), {
    field: '(root)',
    message: '(root): Additional property extra is not allowed',
    value: 7,
  })
})
