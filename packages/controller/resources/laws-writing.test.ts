/** The laws of writing, tried on every declared resource: `testing/subjects.ts` says what each needs. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Field } from '../resource-kit/fields.ts'
import { propertiesOf } from '../testing/sample-value.ts'
import { fieldBehind, type Specimen, Specimens, type Values, type WriteVerb } from '../testing/specimens.ts'
import { TestController } from '../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const specimens = new Specimens(controller)
const able = (verb: WriteVerb) => specimens.all.filter((specimen) => specimens.has(specimen, verb))

describe('what was created reads back', () => {
  for (const specimen of able('create')) {
    test(specimen.name, async () => {
      const body = await specimens.body(specimen, 'create', 'full')
      const answer = await specimens.post(specimen, body)
      assert.equal(answer.status, 201, answer.text)
      const id: string = answer.json.data.id
      assert.equal(answer.json.data._links.self.href, `./${specimen.resource.collection}/${id}`)
      const record = await specimens.detail(specimen, id)
      const row = rowOf(specimen, id)
      for (const [name, field, sent] of said(specimen, body)) {
        assert.deepEqual(row[name], sent, name)
        const isShown = field.shown !== 'never' && !(name in (specimen.resource.live ?? {}))
        if (isShown) assert.deepEqual(record[name], sent, `${name} as shown`)
      }
      assert.deepEqual(record['tags'], body['tags'] ?? {})
      assert.equal(record['id'], id)
    })
  }
})

describe('a PUT that leaves a field out restores its default', () => {
  for (const specimen of able('update')) {
    test(specimen.name, async () => {
      const id = await specimens.create(specimen, 'full')
      const body = await specimens.body(specimen, 'update', 'minimal')
      const answer = await specimens.change(specimen, 'update', id, body)
      assert.equal(answer.status, 200, answer.text)
      const row = rowOf(specimen, id)
      for (const [input] of specimens.members(specimen, 'update')) {
        const [name, field] = fieldBehind(specimen.resource, input) ?? []
        if (input === 'tags') assert.deepEqual(row['tags'], {})
        if (name === undefined || field!.isTransient) continue
        assert.deepEqual(row[name], input in body ? body[input] : field!.default, name)
      }
    })
  }
})

describe('a PATCH changes what it names and nothing else', () => {
  for (const specimen of able('patch')) {
    test(specimen.name, async () => {
      const id = await specimens.create(specimen, 'full')
      for (const [input, schema] of specimens.members(specimen, 'patch')) {
        const name = input === 'tags' ? input : fieldBehind(specimen.resource, input)?.[0]
        const value = await specimens.value(specimen, input, schema)
        const before = rowOf(specimen, id)
        const answer = await specimens.change(specimen, 'patch', id, { ...telling(specimen), [input]: value })
        assert.equal(answer.status, 200, answer.text)
        const expected = { ...before, ...cleared(specimen, [input]), ...(name && { [name]: value }) }
        assertSame(specimen, rowOf(specimen, id), expected)
      }
    })
  }
})

describe('a null in a PATCH leaves the field as it was', () => {
  for (const specimen of able('patch')) {
    test(specimen.name, async () => {
      const id = await specimens.create(specimen, 'full')
      const inputs = specimens.members(specimen, 'patch').map(([input]) => input)
      const all = Object.fromEntries(inputs.map((input) => [input, null]))
      for (const body of [{}, all, ...inputs.map((input) => ({ [input]: null }))]) {
        const before = rowOf(specimen, id)
        const answer = await specimens.change(specimen, 'patch', id, { ...telling(specimen), ...body })
        assert.equal(answer.status, 200, answer.text)
        assertSame(specimen, rowOf(specimen, id), { ...before, ...cleared(specimen, Object.keys(body)) })
      }
    })
  }
})

describe('what the server sets is out of reach of any body', () => {
  for (const verb of ['create', 'update', 'patch'] as const) {
    for (const specimen of able(verb)) {
      test(`${verb} ${specimen.name}`, async () => {
        const values = await specimens.body(specimen, verb, 'minimal')
        let id = verb === 'create' ? '' : await specimens.create(specimen, 'full')
        const before = specimens.row(specimen.resource, id)
        const forged = forgedValues(specimen, verb, before)
        const body = { ...forgedInputs(specimen, forged), ...values }
        const answer =
          verb === 'create' ? await specimens.post(specimen, body) : await specimens.change(specimen, verb, id, body)
        assert.ok(answer.status < 300, answer.text)
        id ||= answer.json.data.id
        const row = rowOf(specimen, id)
        for (const [name, value] of Object.entries(forged)) {
          assert.notDeepEqual(row[name], value, name)
          if (before !== undefined && !mayMove(specimen, name)) assert.deepEqual(row[name], before[name], name)
        }
        assert.ok(!('_links' in row))
      })
    }
  }
})

describe('createdAt stays and updatedAt moves with every write', () => {
  for (const verb of ['update', 'patch'] as const) {
    for (const specimen of able(verb)) {
      test(`${verb} ${specimen.name}`, async () => {
        const id = await specimens.create(specimen)
        const body = verb === 'patch' ? telling(specimen) : await specimens.body(specimen, verb, 'minimal')
        let before = rowOf(specimen, id)
        for (let write = 0; write < 3; write++) {
          const answer = await specimens.change(specimen, verb, id, body)
          assert.equal(answer.status, 200, answer.text)
          const row = rowOf(specimen, id)
          assert.equal(row.createdAt, before.createdAt)
          assert.ok(row.updatedAt > before.updatedAt, `${row.updatedAt} after ${before.updatedAt}`)
          before = row
        }
        const record = await specimens.detail(specimen, id)
        assert.deepEqual([record['createdAt'], record['updatedAt']], [before.createdAt, before.updatedAt])
      })
    }
  }
})

/** What a body says of fields that rows keep. */
function* said({ resource }: Specimen, body: Values): Generator<readonly [string, Field, unknown]> {
  for (const [input, value] of Object.entries(body)) {
    const [name, field] = fieldBehind(resource, input) ?? []
    if (name !== undefined && !field!.isTransient) yield [name, field!, value]
  }
}

function rowOf({ resource, name }: Specimen, id: string) {
  const row = specimens.row(resource, id)
  assert.ok(row, `${name} ${id} is gone`)
  return row
}

function telling({ variant }: Specimen): Values {
  return variant === undefined ? {} : { [variant.input]: variant.value }
}

/** What a PATCH takes away by not naming it; one that names nothing takes nothing. */
function cleared({ subject: { clearedByPatch = [] } }: Specimen, named: readonly string[]): Values {
  const gone = clearedByPatch.filter((input) => named.length > 0 && !named.includes(input))
  return Object.fromEntries(gone.map((input) => [input, null]))
}

/** Two rows of one entity, but for the time of the write and what follows from other fields. */
function assertSame(specimen: Specimen, row: Values, expected: Values): void {
  for (const name of new Set([...Object.keys(row), ...Object.keys(expected)])) {
    if (!mayMove(specimen, name)) assert.deepEqual(row[name], expected[name], name)
  }
}

function mayMove({ resource, subject }: Specimen, name: string): boolean {
  const isDerived = resource.fields[name]?.derive !== undefined
  return name === 'updatedAt' || isDerived || (subject.transformed ?? []).includes(name)
}

/** Values for everything a body of this verb may not set, by name in the row. */
function forgedValues(specimen: Specimen, verb: WriteVerb, before: Values | undefined): Values {
  const settable = new Set(propertiesOf(specimens.operation(specimen, verb)?.body?.schema).map(([input]) => input))
  const time = '2001-02-03T04:05:06.007Z'
  const forged: Record<string, unknown> = { createdAt: time, updatedAt: time, isSystem: true }
  if (!settable.has('id')) forged['id'] = 'forged'
  for (const [name, field] of Object.entries(specimen.resource.fields)) {
    const isSaid = settable.has(field.input ?? name)
    const isKept = !field.isTransient && isOfVariant(specimen, field)
    if (!isSaid && isKept) forged[name] = otherThan(before?.[name] ?? field.default)
  }
  return forged
}

/** The same by the names that a body would use, and by those of the rows. */
function forgedInputs({ resource }: Specimen, forged: Values): Values {
  const inputs = Object.entries(forged).map(([name, value]) => [resource.fields[name]?.input ?? name, value])
  return { ...forged, ...Object.fromEntries(inputs), _links: { self: { href: 'forged' } } }
}

function isOfVariant({ variant }: Specimen, { onlyFor }: Field): boolean {
  return onlyFor === undefined || onlyFor.includes(variant?.value ?? '')
}

function otherThan(value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return value + 4_242
  if (Array.isArray(value)) return ['forged']
  return typeof value === 'object' && value !== null ? { forged: 'forged' } : 'forged'
}
