import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { encodePrivateKey, generatePrivateKey, signCertificateRequest } from '@weft/pki'
import { claimsOf, OidcClient } from '../../testing/oidc-client.ts'
import { createAuthPolicy, createPasswordUser } from '../../testing/password-user.ts'
import { TestController } from '../../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const client = new OidcClient(controller)
const native = new OidcClient(controller, 'native')
const user = await createPasswordUser(controller)

describe('refreshing', () => {
  test('keeps the session and ends the old token: a lost answer may be asked for once more, a replay ends the session', async () => {
    const first = await client.tokens(user)
    const { json: second } = await client.refresh(first.refresh_token)
    const [before, now] = [claimsOf(first.access_token), claimsOf(second.access_token)]
    assert.deepEqual([now.z_asid, now.auth_time, now.amr], [before.z_asid, before.auth_time, before.amr])
    assert.equal((await client.refresh(first.refresh_token)).status, 200)
    const replay = await client.refresh(first.refresh_token)
    assert.deepEqual([replay.status, replay.json.error], [400, 'invalid_grant'])
    assert.equal((await client.asBearer(second.access_token)).status, 401)
    assert.equal((await client.refresh(second.refresh_token)).status, 400)
  })

  test('is for the client that logged in, with a refresh token, within its scopes', async () => {
    const { access_token, refresh_token, id_token } = await client.tokens(user)
    for (const [answer, error] of [
      [await native.refresh(refresh_token), 'invalid_grant'],
      [await client.refresh(access_token), 'invalid_grant'],
      [await client.refresh(id_token), 'invalid_grant'],
      [await client.refresh('junk'), 'invalid_grant'],
      [await client.refresh(refresh_token, { scope: 'openid email' }), 'invalid_scope'],
      [await client.token({ grant_type: 'client_credentials' }), 'unsupported_grant_type'],
    ] as const) {
      assert.deepEqual([answer.status, answer.json.error], [400, error])
    }
    const { json } = await client.refresh(refresh_token, { scope: 'openid' })
    assert.deepEqual(claimsOf(json.access_token).scopes, ['openid'])
    assert.deepEqual(claimsOf(json.refresh_token).scopes, ['openid', 'offline_access'])
  })

  test('ends with the identity', async () => {
    const other = await createPasswordUser(controller)
    const { access_token, refresh_token } = await client.tokens(other)
    await controller.askAdmin('POST', `/identities/${other.identityId}/disable`, { durationMinutes: 1 })
    assert.equal((await client.asBearer(access_token)).status, 401)
    assert.equal((await client.refresh(refresh_token)).json.error, 'invalid_grant')
    await controller.askAdmin('POST', `/identities/${other.identityId}/enable`)
    assert.equal((await client.asBearer(access_token)).status, 401, 'what was revoked stays so')
    const again = await client.tokens(other)
    assert.equal((await client.asBearer(again.access_token)).status, 200, 'a new login is good at once')
  })
})

describe('an exchange', () => {
  test('keeps what the session has shown and leaves its subject token alone', async () => {
    const { access_token, refresh_token } = await native.tokens(user)
    for (const requested of ['refresh_token', 'id_token', 'refresh_token']) {
      const { status, json } = await native.exchange(refresh_token, 'refresh_token', requested)
      assert.equal(status, 200)
      const [before, now] = [claimsOf(access_token), claimsOf(json.access_token)]
      assert.deepEqual([now.sub, now.amr, now.auth_time], [before.sub, before.amr, before.auth_time])
      assert.equal(now.z_asid, before.z_asid)
    }
  })

  test('never makes a refresh token out of an access token, nor takes one token for another', async () => {
    const { access_token, refresh_token, id_token } = await native.tokens(user)
    for (const answer of [
      await native.exchange(access_token, 'access_token', 'refresh_token'),
      await native.exchange(access_token, 'refresh_token', 'access_token'),
      await native.exchange(refresh_token, 'access_token', 'access_token'),
      await native.exchange(id_token, 'id_token', 'access_token'),
      await client.exchange(refresh_token, 'refresh_token', 'access_token'),
    ]) {
      assert.deepEqual([answer.status, answer.json.error], [400, 'invalid_request'])
    }
  })
})

describe('a bearer', () => {
  test('of anything but an access token is nobody', async () => {
    const { refresh_token, id_token, access_token } = await client.tokens(user)
    for (const token of [refresh_token, id_token]) {
      const { status, headers } = await client.asBearer(token)
      assert.equal(status, 401)
      assert.match(String(headers['www-authenticate']), /zt-session.*missing.*openziti-oidc.*missing/)
    }
    const broken = `${access_token.slice(0, -8)}${'A'.repeat(8)}`
    for (const token of ['junk', broken]) {
      const { status, headers } = await client.asBearer(token)
      assert.equal(status, 401)
      assert.match(String(headers['www-authenticate']), /^Bearer realm="openziti-oidc" error="invalid"/)
    }
  })

  test('sees its own session and ends it', async () => {
    const { access_token, refresh_token } = await client.tokens(user)
    const { json } = await client.asBearer(access_token, '/current-api-session')
    assert.equal(json.data.id, claimsOf(access_token).z_asid)
    assert.equal(json.data.token, access_token)
    assert.equal(Date.parse(json.data.expiresAt), claimsOf(access_token).exp * 1000)
    assert.equal((await client.asBearer(access_token, '/current-api-session', 'DELETE')).status, 200)
    assert.equal((await client.asBearer(access_token)).status, 401)
    assert.equal((await client.refresh(refresh_token)).status, 400)
  })

  test('is refused as soon as the policy asks for a code that its login has not shown', async () => {
    const authPolicyId = await createAuthPolicy(controller, {})
    const other = await createPasswordUser(controller, { authPolicyId })
    const { access_token } = await client.tokens(other)
    assert.equal((await client.asBearer(access_token)).status, 200)
    await controller.askAdmin('PATCH', `/auth-policies/${authPolicyId}`, { secondary: { requireTotp: true } })
    assert.equal((await client.asBearer(access_token)).status, 401)
  })

  for (const type of ['JTI', 'API_SESSION', 'IDENTITY']) {
    test(`ends by a revocation of type ${type}`, async () => {
      const other = await createPasswordUser(controller)
      const { access_token } = await client.tokens(other)
      const { jti, z_asid, sub } = claimsOf(access_token)
      const id = { JTI: jti, API_SESSION: z_asid, IDENTITY: sub }[type]
      assert.equal((await controller.askAdmin('POST', '/revocations', { id, type })).status, 201)
      assert.equal((await client.asBearer(access_token)).status, 401)
      assert.equal((await client.ask('/userinfo', { authorization: `Bearer ${access_token}` })).status, 401)
    })
  }
})

test('a bearer ends with the authenticator of the identity', async () => {
  const other = await createPasswordUser(controller)
  const { access_token, refresh_token } = await client.tokens(other)
  await controller.askAdmin('DELETE', `/authenticators/${other.authenticatorId}`)
  assert.equal((await client.asBearer(access_token)).status, 401)
  assert.equal((await client.refresh(refresh_token)).status, 400)
})

describe('revoking', () => {
  test('a refresh token ends the session, an access token only itself, and only by its client', async () => {
    const one = await client.tokens(user)
    assert.equal((await native.post('/revoke', { client_id: 'native', token: one.access_token })).status, 200)
    assert.equal((await client.asBearer(one.access_token)).status, 200)
    await client.post('/revoke', { client_id: 'openziti', token: one.access_token })
    assert.equal((await client.asBearer(one.access_token)).status, 401)
    const { json: two } = await client.refresh(one.refresh_token)
    await client.post('/revoke', { client_id: 'openziti', token: two.refresh_token })
    assert.equal((await client.asBearer(two.access_token)).status, 401)
    assert.equal((await client.post('/revoke', { client_id: 'openziti', token: 'junk' })).status, 200)
  })

  test('by logout ends the session of the ID token and no other', async () => {
    const [one, other] = [await client.tokens(user), await client.tokens(user)]
    assert.equal((await client.ask(`/end_session?id_token_hint=${one.access_token}`)).status, 400)
    const away = `id_token_hint=${one.id_token}&post_logout_redirect_uri=${encodeURIComponent('https://evil.example/')}`
    assert.equal((await client.ask(`/end_session?${away}`)).status, 400)
    const leave = (uri: string) =>
      client.ask(`/end_session?id_token_hint=${one.id_token}&post_logout_redirect_uri=${encodeURIComponent(uri)}`)
    assert.equal((await leave('http://localhost:20314/auth/logout')).status, 400, 'not registered')
    const { status, headers } = await leave('openziti://auth/logout')
    assert.deepEqual([status, headers.location], [302, 'openziti://auth/logout'])
    assert.equal((await client.asBearer(one.access_token)).status, 401)
    assert.equal((await client.asBearer(other.access_token)).status, 200)
  })
})

describe('a session certificate', () => {
  const newKey = async () => {
    const key = await generatePrivateKey('P-256')
    return { key: encodePrivateKey(key), csr: signCertificateRequest({ subject: { commonName: randomUUID() }, key }) }
  }

  test('binds the session to its key, and is replaced by whoever proves it', async () => {
    const { key, csr } = await newKey()
    const { access_token, refresh_token, session_cert: cert = '' } = await client.tokens(user, { csrPem: csr })
    const holder = new OidcClient(controller, 'openziti', { cert, key })
    assert.equal((await client.asBearer(access_token)).status, 401)
    assert.equal((await holder.asBearer(access_token)).status, 200)
    assert.equal((await client.refresh(refresh_token)).json.error, 'access_denied')
    const next = await newKey()
    assert.equal((await client.refresh(refresh_token, { csr_pem: next.csr })).json.error, 'access_denied')
    const { json } = await holder.refresh(refresh_token, { csr_pem: next.csr })
    const renewed = new OidcClient(controller, 'openziti', { cert: json.session_cert, key: next.key })
    assert.equal((await renewed.asBearer(json.access_token)).status, 200)
    assert.equal(claimsOf(json.access_token).z_cfs.length, 1)
    assert.notDeepEqual(claimsOf(json.access_token).z_cfs, claimsOf(access_token).z_cfs)
  })

  test('is not given to a session that is bound to nothing, nor for something that is no request', async () => {
    const { refresh_token } = await client.tokens(user)
    const { csr } = await newKey()
    assert.equal((await client.refresh(refresh_token, { csr_pem: csr })).json.session_cert, undefined)
    const completed = await client.completed(user, { csrPem: 'junk' })
    assert.equal((await client.redeem(completed)).json.error, 'invalid_request')
  })
})
