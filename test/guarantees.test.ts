/**
 * What holds of every resource, whichever verb is used: names stay unique, what the server owns stays its own, and secrets
 * are neither shown nor found by.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiClient, assertRefused, type Json, type Reply } from './kit/api-client.ts'
import { until } from './kit/patience.ts'
import { sharedStart } from './kit/running.ts'
import { specimens } from './kit/specimens.ts'

const limits = { timeout: 60_000 }
const running = sharedStart()

const idOf = (reply: Reply) => String((reply.body!.data as Json)['id'])

/** What even a PATCH of a posture check must say. */
const kindOf = ({ typeId }: Json) => (typeId === undefined ? {} : { typeId })

describe('a name', () => {
  for (const [collection, specimen] of Object.entries(specimens)) {
    test(`of ${collection} cannot be changed to one that is taken or empty`, limits, async () => {
      const { admin } = running()
      await admin.create(collection, await specimen(`${collection} taken`))
      const body = await specimen(`${collection} own`)
      const id = await admin.create(collection, body)
      const path = `/${collection}/${id}`
      const before = await admin.detail(path)
      for (const name of [`${collection} taken`, '']) {
        // A second change in the same request: none of it may happen.
        const tags = { changed: 'too' }
        const { cause } = assertRefused(await admin.put(path, { ...body, name, tags }), 400, 'COULD_NOT_VALIDATE')
        assert.equal(cause?.field, 'name')
        const patched = await admin.patch(path, { ...kindOf(body), name, tags })
        assert.equal(assertRefused(patched, 400, 'COULD_NOT_VALIDATE').cause?.field, 'name')
        assertRefused(await admin.post(`/${collection}`, { ...(await specimen('x')), name }), 400, 'COULD_NOT_VALIDATE')
      }
      assert.deepEqual(await admin.detail(path), before)
      // Its own name is not taken.
      assert.equal((await admin.patch(path, { ...kindOf(body), name: `${collection} own` })).status, 200)
    })
  }

  test('of a router is unique among routers of all kinds', limits, async () => {
    const { admin } = running()
    await admin.create('edge-routers', { name: 'edge one' })
    const id = await admin.create('transit-routers', { name: 'transit one' })
    assertRefused(await admin.post('/transit-routers', { name: 'edge one' }), 400, 'COULD_NOT_VALIDATE')
    assertRefused(await admin.put(`/transit-routers/${id}`, { name: 'edge one' }), 400, 'COULD_NOT_VALIDATE')
    assertRefused(await admin.patch(`/transit-routers/${id}`, { name: 'edge one' }), 400, 'COULD_NOT_VALIDATE')
  })

  test('of a user, an external id and an issuer are as unique', limits, async () => {
    const { admin } = running()
    const person = { type: 'User', isAdmin: false }
    const first = await admin.create('identities', { ...person, name: 'first', externalId: 'ext-1' })
    const second = await admin.create('identities', { ...person, name: 'second', externalId: 'ext-2' })
    const password = 'long-enough-1'
    const login = { method: 'updb', password }
    await admin.create('authenticators', { ...login, identityId: first, username: 'user-one' })
    const own = await admin.create('authenticators', { ...login, identityId: second, username: 'user-two' })
    for (const reply of [
      await admin.put(`/authenticators/${own}`, { username: 'user-one', password }),
      await admin.patch(`/authenticators/${own}`, { username: 'user-one' }),
      await admin.put(`/identities/${second}`, { ...person, name: 'second', externalId: 'ext-1' }),
      await admin.patch(`/identities/${second}`, { externalId: 'ext-1' }),
    ]) {
      assertRefused(reply, 400, 'COULD_NOT_VALIDATE')
    }
    using still = await ApiClient.login(running().controller, { username: 'user-two', password })
    assert.equal((await still.detail('/current-identity'))['externalId'], 'ext-2')
  })
})

describe('what the server owns', () => {
  for (const [collection, specimen] of Object.entries(specimens)) {
    test(`of ${collection} no verb can touch`, limits, async () => {
      const { admin } = running()
      const settable = await settableMembers(admin, collection)
      const body = await specimen(`${collection} owned`)
      const id = await admin.create(collection, body)
      const path = `/${collection}/${id}`
      const before = await admin.detail(path)
      const forged = forgedMembers(before, settable)
      assert.ok(Object.keys(forged).length >= 4, Object.keys(forged).join(' '))

      for (const reply of [
        await admin.put(path, { ...body, ...forged }),
        await admin.patch(path, { ...kindOf(body), ...forged }),
      ]) {
        assert.ok(reply.status === 200 || reply.status === 400, reply.text)
      }
      assertSame(await admin.detail(path), before, forged)

      const other = await specimen(`${collection} owned too`)
      const made = await admin.post(`/${collection}`, { ...forgedMembers(before, settable), ...other })
      assert.ok(made.status === 201 || made.status === 400, made.text)
      if (made.status === 400) return
      assert.notEqual(idOf(made), forged['id'])
      assertNotForged(await admin.detail(`/${collection}/${idOf(made)}`), forged)
    })
  }

  test('of an identity is whether it is disabled', limits, async () => {
    const { admin } = running()
    const body = { name: 'disabled one', type: 'User', isAdmin: false }
    const id = await admin.create('identities', body)
    assert.equal((await admin.post(`/identities/${id}/disable`, { durationMinutes: 30 })).status, 200)
    const { disabledAt, disabledUntil } = await admin.detail(`/identities/${id}`)
    const forged = { disabled: false, disabledAt: null, disabledUntil: '2001-01-01T00:00:00.000Z' }
    assert.equal((await admin.put(`/identities/${id}`, { ...body, ...forged })).status, 200)
    assert.equal((await admin.patch(`/identities/${id}`, { ...forged, tags: { a: 'b' } })).status, 200)
    const after = await admin.detail(`/identities/${id}`)
    assert.partialDeepStrictEqual(after, { disabled: true, disabledAt, disabledUntil })
  })

  test('is kept when a client chooses an id, a time or a link', limits, async () => {
    const { admin } = running()
    const chosen = { id: 'chosen', createdAt: '2001-01-01T00:00:00.000Z', updatedAt: '2001-01-01T00:00:00.000Z' }
    const id = await admin.create('services', { name: 'chosen', encryptionRequired: true, ...chosen })
    assert.notEqual(id, 'chosen')
    const service = await admin.detail(`/services/${id}`)
    assert.ok(Date.parse(String(service['createdAt'])) > Date.parse('2020-01-01'))
    await until('time passes', () => Date.now() > Date.parse(String(service['updatedAt'])))
    assert.equal((await admin.patch(`/services/${id}`, chosen)).status, 200)
    const { createdAt, updatedAt } = await admin.detail(`/services/${id}`)
    assert.equal(createdAt, service['createdAt'])
    assert.ok(String(updatedAt) > String(service['updatedAt']))
  })
})

/** The members that any body of a collection may name, by the interface that the controller itself describes. */
async function settableMembers(admin: ApiClient, collection: string): Promise<Set<string>> {
  const { paths, definitions } = (await admin.get('/swagger.json')).body as unknown as Interface
  const members = new Set<string>()
  for (const operation of [
    paths[`/${collection}`]!.post!,
    paths[`/${collection}/{id}`]!.put!,
    paths[`/${collection}/{id}`]!.patch!,
  ]) {
    const schema = operation.parameters.find((parameter) => parameter.in === 'body')?.schema
    const definition = definitions[schema!.$ref.replace('#/definitions/', '')]!
    for (const name of Object.keys(definition.properties)) members.add(name)
  }
  return members
}

interface Interface {
  readonly paths: Record<string, Record<string, { parameters: { in: string; schema?: { $ref: string } }[] }>>
  readonly definitions: Record<string, { properties: Json }>
}

/** All members of an entity that no body may set, each with another value of its kind. */
function forgedMembers(entity: Json, settable: ReadonlySet<string>): Json {
  const owned = Object.entries(entity).filter(([name]) => !settable.has(name))
  return Object.fromEntries(owned.map(([name, value]) => [name, forgery(value)]))
}

function forgery(value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return value + 7
  if (Array.isArray(value)) return ['forged']
  if (typeof value === 'string') return Number.isNaN(Date.parse(value)) ? 'forged' : '2001-01-01T00:00:00.000Z'
  return value === null ? 'forged' : { forged: 'forged' }
}

function assertSame(after: Json, before: Json, forged: Json): void {
  for (const name of Object.keys(forged)) {
    if (name === 'updatedAt') assert.ok(String(after[name]) >= String(before[name]))
    else assert.deepEqual(after[name], before[name], `${name} has changed`)
  }
}

function assertNotForged(entity: Json, forged: Json): void {
  for (const [name, value] of Object.entries(forged)) {
    // The opposite of a flag proves nothing about another entity.
    if (typeof value !== 'boolean') assert.notDeepEqual(entity[name], value, `${name} was taken from the body`)
  }
}

describe('a secret', () => {
  const names = [
    ...['passwordHash', 'password', 'updbPassword', 'updbSalt', 'salt', 'hash', 'token', 'jwt', 'secret', 'seed'],
    ...['recoveryCodes', 'totpSecret', 'sealedSecret', 'privateKey', 'enrollmentToken', 'enrollmentJwt', 'username'],
  ]

  test('cannot be filtered or sorted by, in any list', { timeout: 100_000 }, async () => {
    const { admin } = running()
    const { paths } = (await admin.get('/swagger.json')).body as unknown as Interface
    const lists = Object.keys(paths).filter((path) => !path.includes('{') && specimensOrMore.has(path.slice(1)))
    assert.ok(lists.length > 18, lists.join(' '))
    for (const list of lists) {
      const { meta } = (await admin.get(list)).body!
      const filterable = (meta!['filterableFields'] ?? []) as string[]
      for (const name of names) {
        // The token of a session is its id, which opens nothing.
        if (list === '/sessions' && name === 'token') continue
        assert.ok(!filterable.includes(name), `${list} can be filtered by ${name}`)
        const filter = encodeURIComponent(`${name} contains "a"`)
        assertRefused(await admin.get(`${list}?filter=${filter}`), 400, 'INVALID_FILTER')
        const sorted = await admin.get(`${list}?filter=${encodeURIComponent(`true sort by ${name}`)}`)
        assert.equal(sorted.status, 400, `${list} sorted by ${name}: ${sorted.text.slice(0, 200)}`)
        assert.equal((await admin.get(`${list}?sort=${name}`)).status, 400)
      }
    }
  })

  test('is in no answer to anyone but whom it was made for', limits, async () => {
    const { admin, controller } = running()
    const password = 'a-very-secret-password'
    const id = await admin.create('identities', { name: 'keeper', type: 'User', isAdmin: false })
    const identityId = id
    await admin.create('authenticators', { method: 'updb', identityId, username: 'keeper', password })
    using keeper = await ApiClient.login(controller, { username: 'keeper', password })
    assert.equal((await keeper.post('/current-identity/mfa')).status, 201)
    const mfa = (await keeper.detail('/current-identity/mfa')) as { recoveryCodes: string[]; provisioningUrl: string }
    const seed = new URL(mfa.provisioningUrl).searchParams.get('secret')!
    const secrets = [password, keeper.token!, seed, ...mfa.recoveryCodes, '$argon2', 'passwordHash']
    const { paths } = (await admin.get('/swagger.json')).body as unknown as Interface
    const readable = Object.entries(paths).filter(([, operations]) => 'get' in operations)
    for (const [path] of readable) {
      if (path.startsWith('/specs') || path === '/') continue
      const filled = path.replace('{serviceId}', 'x').replace('{id}', id)
      const { text } = await admin.get(filled)
      for (const secret of secrets) assert.ok(!text.includes(secret), `${path} shows ${secret.slice(0, 12)}`)
    }
  })

  test('is not repeated by a refusal', limits, async () => {
    const { admin, anonymous, controller } = running()
    const identityId = await admin.create('identities', { name: 'echo', type: 'User', isAdmin: false })
    const right = 'the-right-password-1'
    const authenticator = { method: 'updb', identityId, username: 'echo-user' }
    const id = await admin.create('authenticators', { ...authenticator, password: right })
    using echo = await ApiClient.login(controller, { username: 'echo-user', password: right })
    const wrong = 'sesame'
    const bad = { long: wrong.repeat(40), list: [wrong], object: { [wrong]: wrong }, number: 1234567, short: 'ses' }
    const own = `/current-identity/authenticators/${id}`
    for (const password of Object.values(bad)) {
      const replies = await Promise.all([
        admin.post('/authenticators', { ...authenticator, password }),
        admin.put(`/authenticators/${id}`, { username: 'echo-user', password }),
        admin.patch(`/authenticators/${id}`, { password }),
        anonymous.post('/authenticate?method=password', { username: 'echo-user', password }),
        echo.put(own, { username: 'echo-user', password, currentPassword: right }),
        echo.patch(own, { password, currentPassword: right }),
        echo.patch(own, { password: 'a-new-password', currentPassword: password }),
      ])
      for (const [at, { status, text }] of replies.entries()) {
        assert.ok(status >= 400 && status < 500, `${at}: ${text}`)
        assert.doesNotMatch(text, /ses|1234567/, `${at}: ${text}`)
      }
    }
  })
})

/** Collections whose lists take filters. */
const specimensOrMore = new Set([
  ...Object.keys(specimens),
  ...[
    'api-sessions',
    'authenticators',
    'controllers',
    'enrollments',
    'routers',
    'revocations',
    'sessions',
    'terminators',
  ],
])
