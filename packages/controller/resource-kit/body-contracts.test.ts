import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '../operation/api-error.ts'
import { bodyContract, merged, requestContract, type WriteVerb } from './body-contracts.ts'
import { type AnyFields, defineFields, flag, integer, listOf, object, oneOf, serverSet, text, time } from './fields.ts'
import { flagShape, integerShape, optional, required, textShape } from './shapes.ts'

const verbs: readonly WriteVerb[] = ['create', 'update', 'patch']

const fields = defineFields({
  name: text({ required: 'on create and put', max: 10 }),
  kind: text({ required: 'on create', setBy: 'creator' }),
  secretary: text({ input: 'assistant' }),
  size: integer({ default: 3, min: 0 }),
  isOpen: flag({ setBy: 'create and put' }),
  format: text({ required: 'on put', default: 'plain' }),
  labels: listOf(textShape()),
  limits: object(
    { most: required(integerShape({ min: 1 })), strict: optional(flagShape, false) },
    { default: { most: 10, strict: false } },
  ),
  count: serverSet(0),
  endsAt: time({ setBy: 'server' }),
}) as unknown as AnyFields

const contracts = Object.fromEntries(verbs.map((verb) => [verb, bodyContract('thing', fields, verb)])) as Record<
  WriteVerb,
  ReturnType<typeof bodyContract>
>

const everything = {
  name: 'n',
  kind: 'k',
  assistant: 'a',
  size: 7,
  isOpen: true,
  format: 'f',
  labels: ['x'],
  limits: { most: 5, strict: true },
  tags: { t: 1 },
}

const forged = { id: 'x', count: 9, endsAt: '2030-01-01', createdAt: '2030-01-01', isSystem: true, secretary: 'x' }

describe('what a body says', () => {
  test('is what the verb can set, by the names of the fields, and nothing else', () => {
    const { assistant: secretary, ...others } = everything
    const all = { ...others, secretary }
    assert.deepEqual(contracts.create.decode({ ...everything, ...forged }), all)
    const { kind, ...put } = all
    assert.deepEqual(contracts.update.decode({ ...everything, ...forged }), put)
    const { isOpen, ...patch } = put
    assert.deepEqual(contracts.patch.decode({ ...everything, ...forged }), patch)
    assert.deepEqual([kind, isOpen], ['k', true])
  })

  test('is in a create only what was said, in a PUT everything, in a PATCH only what was said', () => {
    assert.deepEqual(contracts.create.decode({ name: 'n', kind: 'k' }), { name: 'n', kind: 'k' })
    assert.deepEqual(contracts.update.decode({ name: 'n', format: 'f' }), {
      name: 'n',
      secretary: '',
      size: 3,
      isOpen: false,
      format: 'f',
      labels: [],
      limits: { most: 10, strict: false },
      tags: {},
    })
    assert.deepEqual(contracts.patch.decode({ size: 1 }), { size: 1 })
    assert.deepEqual(contracts.patch.decode({}), {})
  })

  test('counts null as absent', () => {
    const nothing = Object.fromEntries(Object.keys(everything).map((name) => [name, null]))
    assert.deepEqual(contracts.patch.decode(nothing), {})
    assert.deepEqual(contracts.patch.decode({ limits: { most: null, strict: null } }), {})
    assert.deepEqual(contracts.patch.decode({ limits: {} }), { limits: {} })
    assertField(() => contracts.create.decode({ name: null, kind: 'k' }), 'name')
  })

  test('is taken in other spellings of upper and lower case, but not by a PATCH', () => {
    assert.deepEqual(contracts.create.decode({ NAME: 'n', Kind: 'k' }), { name: 'n', kind: 'k' })
    assert.deepEqual(contracts.patch.decode({ NAME: 'n' }), {})
  })

  test('never reaches what every object has', () => {
    const body = JSON.parse('{"name": "n", "kind": "k", "__proto__": {"size": 9}, "constructor": {"name": "x"}}')
    assert.deepEqual(contracts.create.decode(body), { name: 'n', kind: 'k' })
    assert.equal(({} as { size?: number }).size, undefined)
  })

  test('of a request that describes no entity has no tags', () => {
    const contract = requestContract('request', { name: fields['name']! })
    assert.deepEqual(contract.decode({ name: 'n', tags: { t: 1 } }), { name: 'n' })
    assert.deepEqual(Object.keys(contract.schema['properties'] as object), ['name'])
  })
})

describe('what a body must say', () => {
  const cases: readonly [verb: WriteVerb, body: object, missing: string][] = [
    ['create', { name: 'n' }, 'kind'],
    ['create', { kind: 'k' }, 'name'],
    ['update', { name: 'n' }, 'format'],
    ['update', { format: 'f' }, 'name'],
  ]
  for (const [verb, body, missing] of cases) {
    test(`${verb} needs ${missing}`, () => assertField(() => contracts[verb].decode(body), missing))
  }

  test('a PATCH need not name anything, not even of nested objects', () => {
    assert.deepEqual(contracts.patch.decode({ limits: { strict: true } }), { limits: { strict: true } })
    assertField(() => contracts.update.decode({ ...everything, limits: { strict: true } }), 'limits.most')
  })
})

describe('what is wrong with a body', () => {
  test('types are judged first, and the body is named', () => {
    for (const verb of verbs) {
      const decode = () => contracts[verb].decode({ ...everything, name: 'far too long a name', size: 'seven' })
      assert.throws(decode, (error) => {
        assert.ok(error instanceof ApiError)
        assert.equal(error.code, 'COULD_NOT_PARSE_BODY')
        assert.match(JSON.stringify(error.detail), /parsing thing body .* size must be an integer, not a string/)
        return true
      })
    }
  })

  for (const body of ['text', 7, true, [], [{}]]) {
    test(`${JSON.stringify(body)} is no body`, () => {
      for (const verb of verbs) assert.throws(() => contracts[verb].decode(body), { code: 'COULD_NOT_PARSE_BODY' })
    })
  }

  test('the first wrong member is told, in the order of their names', () => {
    const body = { ...everything, size: -1, limits: { most: 0 }, name: 'far too long a name' }
    assertField(() => contracts.create.decode(body), 'limits.most')
    assertField(() => contracts.create.decode({ ...body, limits: { most: 1 } }), 'name')
  })
})

describe('a body of several variants', () => {
  const shape = defineFields({
    form: oneOf(['circle', 'square'], { required: 'always' }),
    name: text({ required: 'on create and put' }),
    radius: integer({ required: 'on create and put', onlyFor: ['circle'] }),
    side: integer({ default: 4, onlyFor: ['square'] }),
  }) as unknown as AnyFields
  const create = bodyContract('shape', shape, 'create')
  const update = bodyContract('shape', shape, 'update')
  const patch = bodyContract('shape', shape, 'patch')

  test('has the members of the one it says', () => {
    const body = { name: 'n', radius: 1, side: 2 }
    assert.deepEqual(create.decode({ ...body, form: 'circle' }), { form: 'circle', name: 'n', radius: 1 })
    assert.deepEqual(update.decode({ name: 'n', form: 'square' }), { form: 'square', name: 'n', side: 4, tags: {} })
    assertField(() => create.decode({ form: 'circle', name: 'n' }), 'radius')
  })

  test('must say which, also in a PATCH', () => {
    assertField(() => patch.decode({ name: 'n' }), 'form')
    assert.deepEqual(patch.decode({ form: 'circle', radius: 2 }), { form: 'circle', radius: 2 })
  })

  for (const form of ['triangle', 7, {}, []]) {
    test(`cannot be a ${JSON.stringify(form)}`, () => {
      assert.throws(() => create.decode({ form, name: 'n' }), { code: 'COULD_NOT_PARSE_BODY' })
    })
  }
})

test('a PATCH is laid over what was: nested objects by member, lists, maps and tags whole', () => {
  const before = { size: 3, labels: ['a', 'b'], limits: { most: 9, strict: true }, tags: { a: 1, b: 2 } }
  const part = contracts.patch.decode({ labels: ['c'], limits: { most: 2 }, tags: { c: 3 } })
  assert.deepEqual(merged(fields, before, part), { labels: ['c'], limits: { most: 2, strict: true }, tags: { c: 3 } })
  assert.deepEqual(before.limits, { most: 9, strict: true })
})

test('the schema says what can be sent and what must be', () => {
  const { properties, required: needed } = contracts.update.schema as {
    properties: Readonly<Record<string, unknown>>
    required: readonly string[]
  }
  assert.deepEqual(Object.keys(properties), [
    'assistant',
    'format',
    'isOpen',
    'labels',
    'limits',
    'name',
    'size',
    'tags',
  ])
  assert.deepEqual(needed, ['format', 'name'])
  assert.deepEqual((contracts.patch.schema as { required: unknown }).required, [])
})

function assertField(decode: () => unknown, field: string): void {
  assert.throws(decode, (error) => {
    assert.ok(error instanceof ApiError, String(error))
    assert.equal(error.code, 'COULD_NOT_VALIDATE')
    assert.equal((error.detail as { field: string }).field, field)
    return true
  })
}
