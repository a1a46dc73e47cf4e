/** What must be unique or must say something, tried on every declared resource and on every verb. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type Field, isNotEmpty } from '../resource-kit/fields.ts'
import { fieldBehind, type Specimen, Specimens, type WriteVerb } from '../testing/specimens.ts'
import { type Answered, TestController } from '../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const specimens = new Specimens(controller)
const verbs: readonly WriteVerb[] = ['create', 'update', 'patch']

describe('a value that must be unique is refused where it is taken, and nothing changes', () => {
  for (const { specimen, verb, input, name, field } of membersWith(({ unique }) => unique !== undefined)) {
    test(`${verb} ${specimen.name}, ${input}`, async () => {
      for (const neighbour of holders(specimen, input)) {
        const holder = await specimens.create(neighbour, 'full')
        const taken = specimens.row(neighbour.resource, holder)![name]
        const { answer } = await write(specimen, verb, { [input]: taken })
        assertRefused(answer, field.unique!.field ?? name)
        const found = controller.core.tables.find(specimen.resource.table, name, String(taken))
        assert.deepEqual(
          found.toArray().map(({ id }) => id),
          [holder],
        )
      }
    })
  }
})

describe('an entity keeps its own unique values', () => {
  for (const { specimen, verb, input, name } of membersWith(({ unique }) => unique !== undefined)) {
    if (verb === 'create') continue
    test(`${verb} ${specimen.name}, ${input}`, async () => {
      const id = await specimens.create(specimen, 'full')
      const own = specimens.row(specimen.resource, id)![name]
      const body = await specimens.body(specimen, verb, 'minimal', { [input]: own })
      const answer = await specimens.change(specimen, verb, id, body)
      assert.equal(answer.status, 200, answer.text)
    })
  }
})

describe('what must say something is refused when it is empty', () => {
  const needed = membersWith(({ holds }) => holds === isNotEmpty)
  for (const { specimen, verb, input, name } of needed) {
    test(`${verb} ${specimen.name}, ${input}`, async () => {
      const { answer, id } = await write(specimen, verb, { [input]: '' })
      assertRefused(answer, input)
      if (id !== undefined) assert.notEqual(specimens.row(specimen.resource, id)![name], '')
    })
  }

  test('names are among it, wherever one can be given', () => {
    const named = membersWith((_field, name) => name === 'name')
    assert.ok(named.length > 20)
    const guarded = new Set(needed.map(({ specimen, verb, input }) => `${verb} ${specimen.name} ${input}`))
    for (const { specimen, verb, input } of named) assert.ok(guarded.has(`${verb} ${specimen.name} ${input}`))
  })
})

interface Case {
  readonly specimen: Specimen
  readonly verb: WriteVerb
  readonly input: string
  readonly name: string
  readonly field: Field
}

/** The members of bodies whose field passes a test. */
function membersWith(test: (field: Field, name: string) => boolean): readonly Case[] {
  const cases: Case[] = []
  for (const specimen of specimens.all) {
    for (const verb of verbs) {
      for (const [input] of specimens.members(specimen, verb)) {
        const [name, field] = fieldBehind(specimen.resource, input) ?? []
        if (name !== undefined && test(field!, name)) cases.push({ specimen, verb, input, name, field: field! })
      }
    }
  }
  return cases
}

/** One specimen of each resource that shares the table and has the same member: they share its values too. */
function holders({ resource }: Specimen, input: string): readonly Specimen[] {
  const isHolder = (other: Specimen) =>
    other.resource.table === resource.table && specimens.members(other, 'create').some(([name]) => name === input)
  return [...new Map(specimens.all.filter(isHolder).map((other) => [other.resource, other])).values()]
}

/** A write with some values of the caller's; the id is that of the row it was to change. */
async function write(specimen: Specimen, verb: WriteVerb, values: Readonly<Record<string, unknown>>) {
  if (verb === 'create') {
    const body = await specimens.body(specimen, 'create', 'full', values)
    return { answer: await specimens.post(specimen, body), id: undefined }
  }
  const id = await specimens.create(specimen, 'full')
  const body = await specimens.body(specimen, verb, 'minimal', values)
  return { answer: await specimens.change(specimen, verb, id, body), id }
}

function assertRefused({ status, text, json }: Answered, field: string): void {
  assert.equal(status, 400, text)
  assert.equal(json.error.code, 'COULD_NOT_VALIDATE', text)
  assert.equal(json.error.cause.field, field, text)
}
