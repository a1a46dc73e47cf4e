/**
 * A wrong JSON type in any member of any body is refused by name, and no value whatever makes the controller stumble.
 * The bodies and their members are those of the declarations, at every depth.
 */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Operation } from '../operation/operation.ts'
import { isObject, type JsonSchema } from '../resource-kit/shapes.ts'
import { propertiesOf, sampleValue } from '../testing/sample-value.ts'
import { type Specimen, Specimens } from '../testing/specimens.ts'
import { type Answered, TestController } from '../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const specimens = new Specimens(controller)

interface BodyCase {
  readonly name: string
  readonly operation: Operation
  readonly specimen: Specimen | undefined
  /** A valid body, as full as it can be, and where it can be sent. */
  readonly prepare: () => Promise<{ readonly path: string; readonly body: unknown }>
}

const cases = specimens.operations.filter(({ body }) => body?.schema !== undefined).flatMap(casesOf)

const wrong: Readonly<Record<string, readonly unknown[]>> = {
  string: [7, true, {}, []],
  'date-time': [7, true, {}, [], 'not a time'],
  byte: [7, true, {}, [], 'not base64!'],
  integer: ['7', true, {}, [], 1.5, 1e300],
  boolean: ['true', 1, {}, []],
  array: ['text', 7, true, {}, [null]],
  object: ['text', 7, true, []],
}

const hostile: readonly unknown[] = [
  '',
  '\u0000',
  'half a pair \ud800',
  '__proto__',
  'x'.repeat(70_000),
  -1,
  Number.MAX_SAFE_INTEGER,
  { __proto__: null, constructor: { prototype: 1 } },
  JSON.parse('{"__proto__": {"isAdmin": true}}'),
  [[[[]]]],
]

describe('a wrong type is refused, and the refusal names the member', () => {
  for (const { name, operation, specimen, prepare } of cases) {
    test(name, async () => {
      const { path, body } = await prepare()
      for (const { place, schema } of membersOf(operation.body!.schema!, specimen)) {
        const values = wrong[String(schema['format'])] ?? wrong[String(schema['type'])] ?? []
        await Promise.all(
          values.map(async (value) => {
            const answer = await send(operation, path, replaced(body, place, value))
            const what = `${place.join('.')} = ${JSON.stringify(value)}: ${answer.text}`
            assert.equal(answer.status, 400, what)
            assert.match(answer.json.error.code, /^COULD_NOT_(PARSE_BODY|VALIDATE)$/, what)
            const { field, message } = answer.json.error.cause
            const last = place.findLast((step) => typeof step === 'string')
            if (last !== undefined) assert.ok(`${field} ${message}`.includes(last), what)
          }),
        )
      }
    })
  }
})

describe('a body that is none is refused', () => {
  for (const { name, operation, prepare } of cases) {
    test(name, async () => {
      const { path } = await prepare()
      const isList = operation.body!.schema!['type'] === 'array'
      for (const body of ['"text"', '7', 'true', isList ? '{}' : '[]', '{', '']) {
        const answer = await send(operation, path, body)
        const isLeftOut = body === '' && operation.body?.isRequired === false
        if (!isLeftOut) assert.equal(answer.status, 400, `${body}: ${answer.text}`)
      }
      assertSound(await send(operation, path, 'null'), 'null')
    })
  }
})

describe('no value makes the controller stumble', () => {
  for (const { name, operation, specimen, prepare } of cases) {
    test(name, async () => {
      const { path, body } = await prepare()
      for (const { place, schema } of membersOf(operation.body!.schema!, specimen)) {
        const values = hostile.filter((value) => fits(schema, value))
        await Promise.all(
          values.map(async (value) => {
            const answer = await send(operation, path, replaced(body, place, value))
            assertSound(answer, `${place.join('.')} = ${JSON.stringify(value).slice(0, 80)}`)
          }),
        )
      }
    })
  }

  test('and all that was taken can be listed', async () => {
    for (const { resource } of specimens.all.filter((specimen) => specimens.has(specimen, 'list'))) {
      const answer = await controller.askAdmin('GET', `/${resource.collection}?limit=500&sort=id`)
      assert.equal(answer.status, 200, answer.text)
    }
    assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined)
  })
})

/** One case, or one per variant, of an operation with a body. */
function casesOf(operation: Operation): readonly BodyCase[] {
  const { method, path, body } = operation
  const verbs = ['create', 'update', 'patch'] as const
  const writers = specimens.all.flatMap((specimen) =>
    verbs.filter((verb) => specimens.operation(specimen, verb) === operation).map((verb) => ({ specimen, verb })),
  )
  if (writers.length === 0) {
    const prepare = async () => ({
      path: path.replaceAll(/\{\w+\}/g, 'nothing'),
      body: sampleValue(body!.schema!, 'sample', specimens.fresh),
    })
    return [{ name: `${method} ${path}`, operation, specimen: undefined, prepare }]
  }
  return writers.map(({ specimen, verb }) => ({
    name: `${method} ${specimen.name}`,
    operation,
    specimen,
    prepare: async () => ({
      path: verb === 'create' ? path : path.replace('{id}', await specimens.create(specimen)),
      body: await specimens.body(specimen, verb, 'full'),
    }),
  }))
}

type Place = readonly (string | number)[]

interface Member {
  readonly place: Place
  readonly schema: JsonSchema
}

/** Every member at every depth. */
function* membersOf(schema: JsonSchema, specimen: Specimen | undefined, place: Place = []): Generator<Member> {
  for (const [name, member] of propertiesOf(schema)) {
    if (place.length === 0 && specimen !== undefined && !isTriedOn(specimen, name)) continue
    yield { place: [...place, name], schema: member }
    yield* membersOf(member, specimen, [...place, name])
  }
  const items = schema['items'] as JsonSchema | undefined
  if (items !== undefined) {
    if (place.length > 0) yield { place: [...place, 0], schema: items }
    yield* membersOf(items, specimen, [...place, 0])
  }
  const element = schema['additionalProperties']
  if (isObject(element)) yield { place: [...place, 'anyKey'], schema: element }
}

/** What only some variants have is tried on those, and what all of them have on the first. */
function isTriedOn({ resource, variant }: Specimen, name: string): boolean {
  const onlyFor = resource.fields[name]?.onlyFor
  if (onlyFor !== undefined) return onlyFor.includes(variant?.value ?? '')
  return specimens.all.find((other) => other.resource === resource)?.variant?.value === variant?.value
}

/** A copy of the body with another value at a place; what is missing on the way is made. */
function replaced(body: unknown, [step, ...rest]: Place, value: unknown): unknown {
  if (step === undefined) return value
  if (typeof step === 'number') return [replaced(Array.isArray(body) ? body[0] : undefined, rest, value)]
  const object = isObject(body) ? body : {}
  return { ...object, [step]: replaced(object[step], rest, value) }
}

function fits({ type }: JsonSchema, value: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string'
    case 'integer':
      return typeof value === 'number'
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    default:
      return type === undefined
  }
}

function send({ method }: Operation, path: string, body: unknown): Promise<Answered> {
  return controller.askAdmin(method, path, typeof body === 'string' ? body : JSON.stringify(body))
}

function assertSound({ status, text, json }: Answered, what: string): void {
  assert.ok(status < 500, `${what}: ${text}`)
  if (status >= 400) assert.equal(typeof json.error.code, 'string', what)
}
