/**
 * What ends access: whoever or whatever is deleted, disabled or revoked is out at once, at every door, whichever kind of
 * credential is shown there. Each end is a change that followers hear of, so that routers can cut what they carry.
 */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { CertificateAuthority } from '@weft/pki'
import { systemClock } from '../clock.ts'
import type { Commit } from '../state/writer.ts'
import { enrolled } from '../testing/enrolling.ts'
import { type Completed, claimsOf, OidcClient, type Tokens } from '../testing/oidc-client.ts'
import { createAuthPolicy, createPasswordUser, idOf, login, type PasswordUser } from '../testing/password-user.ts'
import { TestController } from '../testing/test-controller.ts'
import { TokenIssuer } from '../testing/token-issuer.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const client = new OidcClient(controller)

const changed: string[] = []
controller.core.writer.follow((commits: readonly Commit[]) => {
  for (const { table, id, after: now } of commits.flatMap(({ changes }) => changes)) {
    changed.push(`${now === undefined ? 'removed' : 'written'} ${table} ${id}`)
  }
})

/** Everything that somebody can hold after logging in three times: a session, tokens, and a code that waits. */
interface Held {
  readonly user: PasswordUser
  readonly sessionId: string
  readonly tokens: Tokens
  readonly waiting: Completed
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const doors: Readonly<Record<string, (held: Held) => Promise<{ readonly status: number }>>> = {
  'zt-session at management': ({ user }) => controller.ask({ path: '/current-identity', token: user.token }),
  'zt-session at client': ({ user }) => controller.askClient({ path: '/current-identity', token: user.token }),
  'access token at management': ({ tokens }) =>
    controller.ask({ path: '/current-identity', headers: bearer(tokens.access_token) }),
  'access token at client': ({ tokens }) => client.asBearer(tokens.access_token),
  'access token at userinfo': ({ tokens }) => client.ask('/userinfo', bearer(tokens.access_token)),
  exchange: ({ tokens }) => client.exchange(tokens.refresh_token, 'refresh_token', 'access_token'),
  refresh: ({ tokens }) => client.refresh(tokens.refresh_token),
  code: ({ waiting }) => client.redeem(waiting),
}

const sessionDoors = ['zt-session at management', 'zt-session at client']
const accessDoors = ['access token at management', 'access token at client', 'access token at userinfo']
const tokenDoors = [...accessDoors, 'exchange', 'refresh']
const all = Object.keys(doors)

async function holding(values: Readonly<Record<string, unknown>> = {}): Promise<Held> {
  const user = await createPasswordUser(controller, values)
  const { json } = await controller.ask({ path: '/current-api-session', token: user.token })
  const tokens = await client.tokens(user)
  return { user, sessionId: json.data.id, tokens, waiting: await client.completed(user) }
}

/** The doors that do not open; the last two are tried last, because they open once. */
async function closed(held: Held): Promise<string[]> {
  const found: string[] = []
  for (const [door, knock] of Object.entries(doors)) {
    const { status } = await knock(held)
    assert.ok(status < 500, door)
    if (status !== 200) found.push(door)
  }
  return found
}

interface End {
  readonly act: (held: Held) => Promise<unknown>
  readonly closes: readonly string[]
  /** One of the changes that followers are told. */
  readonly told: (held: Held) => string
}

const asAdmin = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
  controller.askAdmin(method, path, body)
const identityRevoked = ({ user }: Held) => `written revocations ${user.identityId}`
const sessionRevoked = ({ tokens }: Held) => `written revocations ${claimsOf(tokens.access_token).z_asid}`
const sessionRemoved = ({ sessionId }: Held) => `removed apiSessions ${sessionId}`

const ends: Readonly<Record<string, End>> = {
  'deleting an identity': {
    act: ({ user }) => asAdmin('DELETE', `/identities/${user.identityId}`),
    closes: all,
    told: identityRevoked,
  },
  'disabling an identity': {
    act: ({ user }) => asAdmin('POST', `/identities/${user.identityId}/disable`, { durationMinutes: 0 }),
    closes: all,
    told: identityRevoked,
  },
  'disabling an identity for a while': {
    act: ({ user }) => asAdmin('POST', `/identities/${user.identityId}/disable`, { durationMinutes: 5 }),
    closes: all,
    told: sessionRemoved,
  },
  'deleting an authenticator': {
    act: ({ user }) => asAdmin('DELETE', `/authenticators/${user.authenticatorId}`),
    closes: all,
    told: identityRevoked,
  },
  'enrolling an authenticator anew': {
    act: ({ user }) =>
      asAdmin('POST', `/authenticators/${user.authenticatorId}/re-enroll`, {
        expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
      }),
    closes: all,
    told: sessionRemoved,
  },
  'changing a password': {
    act: ({ user }) => asAdmin('PATCH', `/authenticators/${user.authenticatorId}`, { password: 'another horse' }),
    closes: all,
    told: identityRevoked,
  },
  'deleting an API session': {
    act: ({ sessionId }) => asAdmin('DELETE', `/api-sessions/${sessionId}`),
    closes: sessionDoors,
    told: sessionRemoved,
  },
  'logging out by zt-session': {
    act: ({ user }) => controller.askClient({ method: 'DELETE', path: '/current-api-session', token: user.token }),
    closes: sessionDoors,
    told: sessionRemoved,
  },
  'logging out by access token': {
    act: ({ tokens }) => client.asBearer(tokens.access_token, '/current-api-session', 'DELETE'),
    closes: tokenDoors,
    told: sessionRevoked,
  },
  'logging out at the provider': {
    act: ({ tokens }) => client.ask(`/end_session?id_token_hint=${tokens.id_token}`),
    closes: tokenDoors,
    told: sessionRevoked,
  },
  'revoking an access token': {
    act: ({ tokens }) => client.post('/revoke', { client_id: 'openziti', token: tokens.access_token }),
    closes: accessDoors,
    told: ({ tokens }) => `written revocations ${claimsOf(tokens.access_token).jti}`,
  },
  'revoking a refresh token': {
    act: ({ tokens }) => client.post('/revoke', { client_id: 'openziti', token: tokens.refresh_token }),
    closes: tokenDoors,
    told: sessionRevoked,
  },
  'a revocation of a token': {
    act: ({ tokens }) => asAdmin('POST', '/revocations', { id: claimsOf(tokens.access_token).jti, type: 'JTI' }),
    closes: accessDoors,
    told: ({ tokens }) => `written revocations ${claimsOf(tokens.access_token).jti}`,
  },
  'a revocation of a session': {
    act: ({ tokens }) =>
      asAdmin('POST', '/revocations', { id: claimsOf(tokens.access_token).z_asid, type: 'API_SESSION' }),
    closes: tokenDoors,
    told: sessionRevoked,
  },
  'a revocation of an identity': {
    act: ({ user }) => asAdmin('POST', '/revocations', { id: user.identityId, type: 'IDENTITY' }),
    closes: [...tokenDoors, 'code'],
    told: identityRevoked,
  },
}

for (const [name, { act, closes, told }] of Object.entries(ends)) {
  test(`${name} closes ${closes === all ? 'every door' : closes.join(', ')} at once, and routers hear of it`, async () => {
    const held = await holding()
    for (const door of [...sessionDoors, ...accessDoors]) assert.equal((await doors[door]!(held)).status, 200, door)
    const from = changed.length
    const { status } = (await act(held)) as { readonly status: number }
    assert.ok(status < 400, String(status))
    assert.deepEqual(await closed(held), closes)
    assert.ok(changed.slice(from).includes(told(held)), changed.slice(from).join('\n'))
  })
}

describe('a way in that the auth policy closes', () => {
  test('is closed for those who came by it, by another policy or by a change of theirs', async () => {
    const closing = await createAuthPolicy(controller, { updb: { allowed: false } })
    const moved = await holding()
    await asAdmin('PATCH', `/identities/${moved.user.identityId}`, { authPolicyId: closing })
    assert.deepEqual(await closed(moved), all)

    const authPolicyId = await createAuthPolicy(controller, {})
    const overtaken = await holding({ authPolicyId })
    await asAdmin('PATCH', `/auth-policies/${authPolicyId}`, { primary: { updb: { allowed: false } } })
    assert.deepEqual(await closed(overtaken), all)
  })

  test('opens again with the policy: nothing was revoked', async () => {
    const authPolicyId = await createAuthPolicy(controller, {})
    const held = await holding({ authPolicyId })
    for (const allowed of [false, true]) {
      await asAdmin('PATCH', `/auth-policies/${authPolicyId}`, { primary: { updb: { allowed } } })
    }
    assert.deepEqual(await closed(held), [])
  })
})

describe('an external signer', async () => {
  const root = await CertificateAuthority.createRoot({ subject: { commonName: 'idp' } }, { clock: systemClock })

  for (const [what, end] of [
    ['disabled', (id: string) => asAdmin('PATCH', `/external-jwt-signers/${id}`, { enabled: false })],
    ['deleted', (id: string) => asAdmin('DELETE', `/external-jwt-signers/${id}`)],
  ] as const) {
    test(`that is ${what} closes what was opened with its tokens`, async () => {
      const issuer = `https://idp.example/${what}`
      const idp = TokenIssuer.ec(what)
      const leaf = { subject: { commonName: what }, publicKey: idp.publicKey, names: {} }
      const { pem: certPem } = root.issue({ ...leaf, purposes: ['clientAuth'] }).certificate
      const signer = { name: what, issuer, audience: 'weft', enabled: true, certPem, kid: what, useExternalId: true }
      const id = idOf(await asAdmin('POST', '/external-jwt-signers', signer))
      idOf(await asAdmin('POST', '/identities', { name: what, type: 'Default', isAdmin: false, externalId: what }))
      const exp = Math.floor(Date.now() / 1_000) + 600
      const headers = bearer(idp.token({ iss: issuer, sub: what, aud: 'weft', exp }))
      const path = '/authenticate?method=ext-jwt'
      const { json: session } = await controller.askClient({ method: 'POST', path, body: {}, headers })
      const begun = await client.begin()
      await client.post('/login/ext-jwt', { id: begun.requestId }, headers)
      const { json: tokens } = await client.redeem(await client.finish(begun))
      const knock = async () => [
        (await controller.askClient({ path: '/current-identity', token: session.data.token })).status,
        (await client.asBearer(tokens.access_token)).status,
        (await client.exchange(tokens.refresh_token, 'refresh_token', 'access_token')).status,
      ]
      assert.deepEqual(await knock(), [200, 200, 200])
      assert.equal((await end(id)).status, 200)
      assert.deepEqual(await knock(), [401, 401, 400])
    })
  }
})

test('a certificate that is deleted closes what was opened with it', async () => {
  const { identityId, cert, key } = await enrolled(controller)
  const holder = new OidcClient(controller, 'openziti', { cert, key })
  const opened = await controller.askClient(
    { method: 'POST', path: '/authenticate?method=cert', body: {} },
    { cert, key },
  )
  const begun = await holder.begin()
  await holder.post('/login/cert', { id: begun.requestId })
  const { json: tokens } = await holder.redeem(await holder.finish(begun))
  assert.equal((await holder.asBearer(tokens.access_token)).status, 200)
  const { json } = await controller.askAdmin('GET', `/authenticators?filter=identity="${identityId}"`)
  await asAdmin('DELETE', `/authenticators/${json.data[0].id}`)
  const path = '/current-identity'
  assert.equal((await controller.askClient({ path, token: opened.json.data.token })).status, 401)
  assert.equal((await holder.asBearer(tokens.access_token)).status, 401)
  assert.equal((await holder.refresh(tokens.refresh_token)).status, 400)
  const again = await controller.askClient(
    { method: 'POST', path: '/authenticate?method=cert', body: {} },
    { cert, key },
  )
  assert.equal(again.status, 401)
})

test('the end of one leaves others alone', async () => {
  const [one, other] = [await holding(), await holding()]
  await asAdmin('DELETE', `/identities/${one.user.identityId}`)
  assert.deepEqual(await closed(other), [])
})

test('who is enabled again logs in anew, and what was revoked stays so', async () => {
  const held = await holding()
  await asAdmin('POST', `/identities/${held.user.identityId}/disable`, { durationMinutes: 0 })
  await asAdmin('POST', `/identities/${held.user.identityId}/enable`)
  assert.deepEqual(await closed(held), all)
  const { username, password } = held.user
  assert.equal((await login(controller, username, password)).status, 200)
  const { access_token } = await client.tokens(held.user)
  assert.equal((await client.asBearer(access_token)).status, 200, 'in the very second of the revocation')
})

test('the end of an identity and what it ends are one transaction of the journal', async () => {
  const held = await holding()
  const commits: Commit[] = []
  const stop = controller.core.writer.follow((batch) => commits.push(...batch))
  await asAdmin('POST', `/identities/${held.user.identityId}/disable`, { durationMinutes: 0 })
  stop()
  const disabling = commits.find(({ changes }) => changes.some(({ table }) => table === 'identities'))!
  const tables = (rows: readonly { readonly table: string }[]) => [...new Set(rows.map(({ table }) => table))].sort()
  const ended = ['apiSessions', 'identities', 'revocations']
  assert.deepEqual(tables(disabling.changes), ended)
  const { index } = disabling
  assert.deepEqual(tables(await controller.core.store.journal({ after: index - 1, upTo: index })), ended)
})
