/** Schemas and patterns from users: whatever they would cost elsewhere, everyone else is served meanwhile. */
import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiClient, Json, Reply } from './kit/api-client.ts'
import { slack } from './kit/patience.ts'
import { sharedStart } from './kit/running.ts'

const limits = { timeout: 60_000 }
const LONGEST_WAIT = 250
const running = sharedStart()

let count = 0

afterEach(() => {
  const { child } = running().controller
  assert.ok(!child.hasEnded, child.stderr)
  assert.equal(child.stderr, '')
})

/** Does something while somebody else asks for small things, and asserts that none of these waits long. */
async function whileServing<T>(work: Promise<T>): Promise<T> {
  const { anonymous } = running()
  let isDone = false
  const done = work.finally(() => {
    isDone = true
  })
  const waits: number[] = []
  do {
    const started = performance.now()
    assert.equal((await anonymous.get('/version')).status, 200)
    waits.push(performance.now() - started)
    await sleep(5)
  } while (!isDone)
  const longest = Math.max(...waits)
  assert.ok(longest < LONGEST_WAIT * slack, `somebody waited ${Math.round(longest)} ms`)
  return done
}

/** Makes a config type and, if it is accepted, several configs of it at once; answers all that was answered. */
async function use(admin: ApiClient, schema: Json, data: Json): Promise<{ type: Reply; configs: Reply[] }> {
  const name = `hostile ${count++}`
  const type = await whileServing(admin.post('/config-types', { name, schema: { type: 'object', ...schema } }))
  if (type.status !== 201) return { type, configs: [] }
  const configTypeId = (type.body!.data as Json)['id']
  const bodies = Array.from({ length: 4 }, (_, at) => ({ name: `${name} ${at}`, configTypeId, data }))
  const configs = await whileServing(Promise.all(bodies.map((body) => admin.post('/configs', body))))
  return { type, configs }
}

const text = (pattern: string) => ({ properties: { text: { type: 'string', pattern } } })
const many = <T>(length: number, make: (at: number) => T): T[] => Array.from({ length }, (_, at) => make(at))

describe('a pattern that takes for ever elsewhere', () => {
  const patterns: [pattern: string, input: string][] = [
    ['^(a+)+$', `${'a'.repeat(100_000)}!`],
    ['^(a|aa)+$', `${'a'.repeat(100_000)}!`],
    ['(x+x+)+y', 'x'.repeat(100_000)],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(100_000)],
    ['(.*)*(.*)*(.*)*$', `${'z'.repeat(100_000)}\n`],
    ['^(\\w+\\s?)*$', `${'word '.repeat(20_000)}!`],
    ['a{1,900}b', 'a'.repeat(200_000)],
    ['(a?){500}a{500}', 'a'.repeat(500)],
  ]
  for (const [pattern, input] of patterns) {
    test(`is bounded: ${pattern}`, limits, async () => {
      const { type, configs } = await use(running().admin, text(pattern), { text: input })
      assert.ok(type.status === 201 || type.status === 400, type.text)
      for (const { status, text: said } of configs) {
        assert.ok(status === 201 || status === 400, said)
        assert.ok(said.length < 2_000)
      }
    })
  }

  const refused: [what: string, pattern: string][] = [
    ['nested repetition that multiplies', '((a{1,500}){1,500}){1,500}'],
    ['what only backtracking can do', '(a+)\\1+$'],
    ['looking ahead', '^(?=.*a)(?=.*b).*$'],
    ['a pattern that does not parse', '(unclosed'],
    ['a pattern of 100,000 characters', 'a?'.repeat(50_000)],
    ['too many alternatives', many(3_000, (at) => `x${at}`).join('|')],
  ]
  for (const [what, pattern] of refused) {
    test(`is refused when it is written: ${what}`, limits, async () => {
      const { type } = await use(running().admin, text(pattern), {})
      assert.equal(type.status, 400, type.text.slice(0, 300))
      assert.equal(type.body?.error?.cause?.field, 'schema')
      assert.ok(type.text.length < 2_000)
    })
  }
})

describe('a schema that grows', () => {
  const doubling = Object.fromEntries(
    many(40, (at) => [
      `d${at}`,
      at === 39 ? { type: 'object' } : { allOf: [ref(at + 1), ref(at + 1)], properties: { x: ref(at + 1) } },
    ]),
  )
  const cases: [what: string, schema: Json, data: Json][] = [
    ['two references at every step', { definitions: doubling, allOf: [ref(0)] }, { x: { x: {} } }],
    [
      'all of one hundred, each of one hundred',
      { allOf: many(90, () => ({ anyOf: many(90, (at) => requires(at)) })) },
      {},
    ],
    ['exactly one of many', { oneOf: many(2_000, (at) => requires(at)) }, { k1: 1, k2: 2 }],
    [
      'unique items',
      { properties: { list: { type: 'array', uniqueItems: true } } },
      { list: many(15_000, (at) => ({ at, l: [at] })) },
    ],
    ['one value of many', { properties: { v: { enum: many(9_000, (at) => `value ${at}`) } } }, { v: 'none' }],
    [
      'patterns for many keys',
      { patternProperties: { '^(a+)+$': { type: 'string' } } },
      keys(5_000, (at) => `${'a'.repeat(60)}${at}`),
    ],
    ['many keys, none allowed', { additionalProperties: false }, keys(30_000, (at) => `k${at}`)],
    ['itself, over and over', { properties: { next: { $ref: '#' } } }, nested(90)],
    ['a tree of itself', { additionalProperties: { anyOf: [{ $ref: '#' }, { $ref: '#' }] } }, nested(90)],
  ]
  for (const [what, schema, data] of cases) {
    test(`is bounded: ${what}`, limits, async () => {
      const { type, configs } = await use(running().admin, schema, data)
      assert.ok(type.status === 201 || type.status === 400, type.text)
      for (const { status, text: said } of configs) {
        assert.ok(status === 201 || status === 400, said)
        assert.ok(said.length < 2_000)
      }
    })
  }

  const refused: [what: string, schema: Json][] = [
    ['a reference to itself that leads nowhere', { allOf: [{ $ref: '#' }] }],
    [
      'a ring of references',
      {
        definitions: { a: { $ref: '#/definitions/b' }, b: { $ref: '#/definitions/a' } },
        allOf: [{ $ref: '#/definitions/a' }],
      },
    ],
    ['a reference to somewhere else', { allOf: [{ $ref: 'http://127.0.0.1:9/schema.json' }] }],
    ['a reference to a file', { allOf: [{ $ref: 'file:///etc/passwd' }] }],
    ['a reference to nothing', { allOf: [{ $ref: '#/definitions/nothing' }] }],
    ['90 levels', { properties: { x: deep(90) } }],
    ['a hundred thousand values', { enum: many(100_000, (at) => at) }],
    ['a root that is no object', { type: 'string' }],
  ]
  for (const [what, schema] of refused) {
    test(`is refused when it is written: ${what}`, limits, async () => {
      const { type } = await use(running().admin, schema, {})
      assert.equal(type.status, 400, type.text.slice(0, 300))
      assert.equal(type.body?.error?.cause?.field, 'schema')
      assert.ok(type.text.length < 2_000)
    })
  }
})

test('a stream of the costliest configs leaves room for others', limits, async () => {
  const { admin } = running()
  const name = `hostile ${count++}`
  const schema = { type: 'object', properties: { list: { items: { anyOf: many(200, (at) => requires(at)) } } } }
  const configTypeId = await admin.create('config-types', { name, schema })
  const data = { list: many(9_000, () => ({ k199: 1 })) }
  const stream = Array.from({ length: 6 }, async (_, client) => {
    for (let at = 0; at < 4; at++) {
      const reply = await admin.post('/configs', { name: `${name} ${client} ${at}`, configTypeId, data })
      assert.ok(reply.status === 201 || reply.status === 400, reply.text)
    }
  })
  await whileServing(Promise.all(stream))
})

function ref(at: number) {
  return { $ref: `#/definitions/d${at}` }
}

function requires(at: number) {
  return { required: [`k${at}`] }
}

function keys(length: number, name: (at: number) => string): Json {
  return Object.fromEntries(many(length, (at) => [name(at), at]))
}

function nested(depth: number): Json {
  return depth === 0 ? {} : { next: nested(depth - 1) }
}

function deep(depth: number): Json {
  return depth === 0 ? {} : { not: deep(depth - 1) }
}
