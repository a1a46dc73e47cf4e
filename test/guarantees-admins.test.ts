/**
 * Whoever is not an administrator gains nothing from an operation on one, whatever grants they hold; and no grant counts
 * before a login is complete.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ApiClient, assertRefused, type Json, type Reply } from './kit/api-client.ts'
import { sharedStart } from './kit/running.ts'
import { primaryFactors, specimens } from './kit/specimens.ts'
import { totpCode } from './kit/totp.ts'

const limits = { timeout: 100_000 }
const running = sharedStart()
const password = 'long-enough-password'
const expiresAt = () => new Date(Date.now() + 3_600_000).toISOString()

interface Interface {
  readonly paths: Record<string, Record<string, unknown>>
  readonly definitions: Record<string, { properties: Record<string, { items?: { enum?: string[] } }> }>
}

async function describedInterface(admin: ApiClient): Promise<Interface> {
  return (await admin.get('/swagger.json')).body as unknown as Interface
}

/** Everything that can be done to an administrator: where in the interface, and what is asked for. */
interface Attack {
  readonly operation: string
  readonly path: string
  readonly body?: unknown
}

interface Victim {
  readonly id: string
  readonly policyId: string
  readonly enrollmentId: string
  readonly authenticatorId: string
  readonly serviceId: string
  readonly configId: string
}

async function makeVictim(admin: ApiClient): Promise<Victim> {
  const secondary = { requireTotp: false }
  const policyId = await admin.create('auth-policies', { name: 'of admins', primary: primaryFactors, secondary })
  const person = { name: 'victim', type: 'User', isAdmin: true, authPolicyId: policyId }
  const id = await admin.create('identities', person)
  const authenticatorId = await admin.create('authenticators', {
    ...{ method: 'updb', identityId: id, username: 'victim', password },
  })
  const enrollmentId = await admin.create('enrollments', { method: 'ott', identityId: id, expiresAt: expiresAt() })
  const serviceId = await admin.create('services', await specimens['services']!('wiki'))
  const configId = await admin.create('configs', await specimens['configs']!('wiki host'))
  return { id, policyId, enrollmentId, authenticatorId, serviceId, configId }
}

/** In an order in which each of them would succeed if an administrator asked. */
function attacksOn({ id, policyId, enrollmentId, authenticatorId, serviceId, configId }: Victim): Attack[] {
  const identity = `/identities/${id}`
  const policy = { name: 'weak', primary: primaryFactors, secondary: { requireTotp: false } }
  const overrides = [{ serviceId, configId }]
  const of = (operation: string, path: string, body?: unknown): Attack => ({ operation, path, body })
  return [
    of('PUT /identities/{id}', identity, { name: 'victim', type: 'User', isAdmin: true, authPolicyId: policyId }),
    ...[{ name: 'victim2' }, { tags: { a: 'b' } }, { externalId: 'mine' }, { appData: { a: 1 } }].map((body) =>
      of('PATCH /identities/{id}', identity, body),
    ),
    ...[{ permissions: ['identity'] }, { roleAttributes: ['x'] }, { authPolicyId: 'default' }, { isAdmin: true }].map(
      (body) => of('PATCH /identities/{id}', identity, body),
    ),
    of('POST /identities/{id}/disable', `${identity}/disable`, { durationMinutes: 1 }),
    of('POST /identities/{id}/enable', `${identity}/enable`),
    of('DELETE /identities/{id}/mfa', `${identity}/mfa`),
    of('PUT /identities/{id}/trace', `${identity}/trace`, { enabled: true, duration: '1m' }),
    of('POST /identities/{id}/service-configs', `${identity}/service-configs`, overrides),
    of('DELETE /identities/{id}/service-configs', `${identity}/service-configs`, overrides),
    of('POST /enrollments/{id}/refresh', `/enrollments/${enrollmentId}/refresh`, { expiresAt: expiresAt() }),
    of('DELETE /enrollments/{id}', `/enrollments/${enrollmentId}`),
    of('POST /enrollments', '/enrollments', { method: 'ott', identityId: id, expiresAt: expiresAt() }),
    of('PUT /authenticators/{id}', `/authenticators/${authenticatorId}`, {
      username: 'victim',
      password: `${password}2`,
    }),
    of('PATCH /authenticators/{id}', `/authenticators/${authenticatorId}`, { password }),
    of('DELETE /authenticators/{id}', `/authenticators/${authenticatorId}`),
    of('POST /authenticators', '/authenticators', { method: 'updb', identityId: id, username: 'victim', password }),
    of('PUT /auth-policies/{id}', `/auth-policies/${policyId}`, policy),
    of('PATCH /auth-policies/{id}', `/auth-policies/${policyId}`, { primary: { updb: { maxAttempts: 1 } } }),
    of('DELETE /identities/{id}', identity),
    of('DELETE /auth-policies/{id}', `/auth-policies/${policyId}`),
  ]
}

/** Operations on entities that an administrator has not got in this test, or that make new ones. */
const elsewhere = new Set([
  ...['POST /identities', 'POST /auth-policies'],
  ...['POST /authenticators/{id}/re-enroll', 'POST /authenticators/{id}/request-extend'],
])

function send(client: ApiClient, { operation, path, body }: Attack): Promise<Reply> {
  return client.request(operation.split(' ')[0]!, path, body)
}

describe('an administrator', () => {
  let victim: Victim
  let attacker: ApiClient
  let attackerId: string
  let grants: string[]

  before(async () => {
    const { admin, controller } = running()
    victim = await makeVictim(admin)
    attackerId = await admin.create('identities', { name: 'attacker', type: 'User', isAdmin: false })
    const login = { username: 'attacker', password }
    await admin.create('authenticators', { method: 'updb', identityId: attackerId, ...login })
    attacker = await ApiClient.login(controller, login)
    const { definitions } = await describedInterface(admin)
    grants = definitions['createIdentityRequest']!.properties['permissions']!.items!.enum!
    assert.ok(grants.length > 60, grants.join(' '))
  })

  async function grant(...permissions: string[]): Promise<void> {
    const reply = await running().admin.patch(`/identities/${attackerId}`, { permissions })
    assert.equal(reply.status, 200, reply.text)
  }

  test('can be attacked by every operation that is tried here', limits, async () => {
    const { paths } = await describedInterface(running().admin)
    const tried = new Set(attacksOn(victim).map(({ operation }) => operation))
    for (const [path, operations] of Object.entries(paths)) {
      if (!/^\/(identities|authenticators|enrollments|auth-policies)\b/.test(path)) continue
      for (const method of Object.keys(operations)) {
        const operation = `${method.toUpperCase()} ${path}`
        if (method !== 'get' && !elsewhere.has(operation)) assert.ok(tried.has(operation), `${operation} is not tried`)
      }
    }
  })

  test('is not touched by one with any grant, or with all of them', limits, async () => {
    const { admin, controller } = running()
    const identity = `/identities/${victim.id}`
    using session = await ApiClient.login(controller, { username: 'victim', password })
    const before = await admin.detail(identity)
    const policyBefore = await admin.detail(`/auth-policies/${victim.policyId}`)
    const combinations = [[], ...grants.map((name) => [name]), grants]
    for (const permissions of combinations) {
      await grant(...permissions)
      for (const attack of attacksOn(victim)) {
        const reply = await send(attacker, attack)
        assert.equal(reply.status, 401, `${permissions.slice(0, 3)}: ${attack.operation}: ${reply.text}`)
      }
    }
    assert.deepEqual(await admin.detail(identity), before)
    assert.deepEqual(await admin.detail(`/auth-policies/${victim.policyId}`), policyBefore)
    assert.equal((await session.get('/current-identity')).status, 200, 'the session of the administrator has ended')
  })

  test('is not given away by what one with any grant can read', limits, async () => {
    const { admin, controller } = running()
    using session = await ApiClient.login(controller, { username: 'victim', password })
    const { token, jwt } = (await admin.detail(`/enrollments/${victim.enrollmentId}`)) as { token: string; jwt: string }
    const secrets = [session.token!, admin.token!, token, jwt, jwt.split('.')[2]!]
    const { paths } = await describedInterface(admin)
    const lists = Object.keys(paths).filter((path) => 'get' in paths[path]! && !path.includes('{'))
    const own = [victim.id, victim.enrollmentId, victim.authenticatorId]
    const details = ['identities', 'enrollments', 'authenticators', 'api-sessions']
      .flatMap((collection) => own.map((id) => `/${collection}/${id}`))
      .concat([`/identities/${victim.id}/enrollments`, `/identities/${victim.id}/authenticators`])
    for (const permissions of [['admin_readonly'], ['ops'], ['enrollment'], ['identity'], grants]) {
      await grant(...permissions)
      for (const path of [...lists, ...details]) {
        const { text } = await attacker.get(path)
        for (const secret of secrets) assert.ok(!text.includes(secret), `${permissions[0]} reads it at ${path}`)
      }
    }
  })

  test('is not made by one with all grants', limits, async () => {
    const { admin } = running()
    await grant(...grants)
    const own = `/identities/${attackerId}`
    const person = { name: 'new admin', type: 'User' }
    const attempts: [method: string, path: string, body: Json][] = [
      ['PATCH', own, { isAdmin: true }],
      ['PATCH', own, { isAdmin: true, name: 'attacker' }],
      ['PATCH', own, { permissions: ['admin_readonly'] }],
      ['PATCH', own, { permissions: [] }],
      ['PUT', own, { ...person, name: 'attacker', isAdmin: true }],
      ['PUT', own, { ...person, name: 'attacker', isAdmin: false }],
      ['POST', '/identities', { ...person, isAdmin: true }],
      ['POST', '/identities', { ...person, isAdmin: false, permissions: ['identity'] }],
      ['POST', '/authenticators', { method: 'updb', identityId: attackerId, username: 'second', password }],
      ['POST', '/revocations', { id: victim.id, type: 'IDENTITY' }],
      ['POST', '/database/snapshot', {}],
      ['POST', '/database/fix-data-integrity', {}],
    ]
    for (const [method, path, body] of attempts) {
      const reply = await attacker.request(method, path, body)
      assert.equal(reply.status, 401, `${method} ${path} ${JSON.stringify(body)}: ${reply.text}`)
    }
    const claims = { isDefaultAdmin: true, typeId: 'Router', disabled: true }
    await attacker.patch(own, claims)
    const identity = await admin.detail(own)
    assert.partialDeepStrictEqual(identity, { isAdmin: false, isDefaultAdmin: false, disabled: false })
    assert.deepEqual(await admin.list('/identities', 'name = "new admin"'), [])
  })

  test('makes the same operations work, so the refusals were not about the bodies', limits, async () => {
    const { admin } = running()
    for (const attack of attacksOn(victim)) {
      const fresh =
        attack.operation === 'POST /enrollments'
          ? { ...attack, body: { ...(attack.body as Json), expiresAt: expiresAt() } }
          : attack
      const reply = await send(admin, fresh)
      assert.ok(reply.status === 200 || reply.status === 201, `${attack.operation}: ${reply.text}`)
    }
    attacker[Symbol.dispose]()
  })
})

describe('a login that is not complete', () => {
  /** What is open to anyone, or is there to complete a login. */
  const open = new Set([
    ...['/', '/version', '/enumerated-capabilities', '/specs', '/specs/{id}', '/specs/{id}/spec', '/network-jwts'],
    ...['/.well-known/est/cacerts', '/current-api-session', '/current-identity/mfa', '/current-identity/mfa/qr-code'],
  ])

  for (const isAdmin of [false, true]) {
    test(`opens nothing to ${isAdmin ? 'an administrator' : 'one with all grants'}`, limits, async () => {
      const { admin, controller } = running()
      const { paths, definitions } = await describedInterface(admin)
      const permissions = definitions['createIdentityRequest']!.properties['permissions']!.items!.enum!
      const name = `partial ${isAdmin}`
      const authPolicyId = await admin.create('auth-policies', {
        ...{ name, primary: primaryFactors, secondary: { requireTotp: true } },
      })
      const id = await admin.create('identities', { name, type: 'User', isAdmin, permissions, authPolicyId })
      const login = { username: name, password }
      const authenticator = await admin.create('authenticators', { method: 'updb', identityId: id, ...login })
      using partial = await ApiClient.login(controller, login)

      for (const [path, operations] of Object.entries(paths)) {
        if (!('get' in operations) || open.has(path)) continue
        const reply = await partial.get(path.replace('{serviceId}', 'x').replace('{id}', id))
        assertRefused(reply, 401, 'UNAUTHORIZED')
        assert.equal(reply.headers['www-authenticate'], undefined, path)
      }
      const service = await specimens['services']!(name)
      assertRefused(await partial.post('/services', service), 401, 'UNAUTHORIZED')
      assertRefused(await partial.patch(`/identities/${id}`, { tags: { a: 'b' } }), 401, 'UNAUTHORIZED')
      assertRefused(await partial.delete(`/identities/${id}`), 401, 'UNAUTHORIZED')
      assertRefused(await partial.post(`/identities/${id}/disable`, { durationMinutes: 1 }), 401, 'UNAUTHORIZED')
      const own = `/current-identity/authenticators/${authenticator}`
      const change = { currentPassword: password, password: `${password}!` }
      assertRefused(await partial.patch(own, change), 401, 'UNAUTHORIZED')

      assert.equal((await partial.post('/current-identity/mfa')).status, 201)
      const { provisioningUrl } = (await partial.detail('/current-identity/mfa')) as { provisioningUrl: string }
      const code = totpCode(new URL(provisioningUrl).searchParams.get('secret')!)
      const verified = await partial.post('/current-identity/mfa/verify', { code })
      assert.equal(verified.status, 200, verified.text)
      assert.equal((await partial.get('/identities')).status, 200)
      assert.equal((await partial.post('/services', service)).status, 201)
    })
  }
})
