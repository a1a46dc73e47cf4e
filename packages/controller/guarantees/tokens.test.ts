/** What the provider's tokens say and keep to, so that routers and SDKs can rely on them and nobody can abuse them. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { after, describe, test } from 'node:test'
import { CertificateAuthority, parseLeafCertificate } from '@weft/pki'
import { systemClock } from '../clock.ts'
import { AuthenticatorApp } from '../testing/authenticator-app.ts'
import { enrolled } from '../testing/enrolling.ts'
import { claimsOf, OidcClient } from '../testing/oidc-client.ts'
import { createAuthPolicy, createPasswordUser, idOf, login } from '../testing/password-user.ts'
import { TestController } from '../testing/test-controller.ts'
import { TokenIssuer } from '../testing/token-issuer.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const client = new OidcClient(controller)
const user = await createPasswordUser(controller)
const serverCertificate = parseLeafCertificate(await readFile(controller.pki.files.serverChain, 'utf8'))

const payloadBytes = (token: string) => Buffer.from(token.split('.')[1] ?? '', 'base64url').length
const headerOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString('utf8'))

describe('tokens are bound to certificates', () => {
  test('only by logins that a certificate has authenticated', async () => {
    const withCertificate = new OidcClient(controller, 'openziti', await enrolled(controller))
    const { access_token, refresh_token } = await withCertificate.tokens(user)
    assert.deepEqual([claimsOf(access_token).z_cfs, claimsOf(refresh_token).z_cfs], [null, null])
    assert.equal((await client.asBearer(access_token)).status, 200, 'another connection will do')
    assert.equal((await client.refresh(refresh_token)).status, 200)
  })

  test('by that of the login itself, not by that of the request before it', async () => {
    const [one, other] = [await enrolled(controller), await enrolled(controller)]
    const begun = await new OidcClient(controller, 'openziti', one).begin()
    const holder = new OidcClient(controller, 'openziti', other)
    await holder.post('/login/cert', { id: begun.requestId })
    const { json } = await client.redeem(await client.finish(begun))
    const { sub, z_cfs, z_acf } = claimsOf(json.access_token)
    const { fingerprint } = parseLeafCertificate(other.cert)
    assert.deepEqual([sub, z_cfs, z_acf], [other.identityId, [fingerprint], fingerprint])
  })
})

test('the key id of tokens and of published keys is the SHA-1 of the certificate, in hex', async () => {
  const { access_token, refresh_token, id_token } = await client.tokens(user)
  for (const token of [access_token, refresh_token, id_token]) {
    assert.equal(headerOf(token).kid, serverCertificate.fingerprint)
  }
  const { json } = await client.ask('/keys')
  assert.match(serverCertificate.fingerprint, /^[0-9a-f]{40}$/)
  assert.deepEqual(
    json.keys.map(({ kid, use, d }: Record<string, unknown>) => [kid, use, d]),
    [[serverCertificate.fingerprint, 'sig', undefined]],
  )
})

test('no two tokens have the same id, whatever they belong to', async () => {
  const first = await client.tokens(user)
  const { json: second } = await client.refresh(first.refresh_token)
  const { json: third } = await client.exchange(second.refresh_token, 'refresh_token', 'refresh_token')
  const tokens = [first, second, third].flatMap(({ access_token, refresh_token }) => [access_token, refresh_token])
  const ids = tokens.map((token) => claimsOf(token).jti)
  assert.equal(new Set(ids).size, tokens.length)
})

test('refreshing and exchanging keep who, how, when and what for', async () => {
  const first = await client.tokens(user)
  const { json: refreshed } = await client.refresh(first.refresh_token)
  const exchange = (wanted: string) => client.exchange(refreshed.refresh_token, 'refresh_token', wanted)
  const [access, refresh, id] = [
    await exchange('access_token'),
    await exchange('refresh_token'),
    await exchange('id_token'),
  ]
  const kept = (token: string) => {
    const { sub, amr, auth_time, scopes, aud, z_asid, client_id } = claimsOf(token)
    return { sub, amr, auth_time, scopes, aud, z_asid, client_id }
  }
  const before = kept(first.access_token)
  assert.deepEqual(before.scopes, ['openid', 'offline_access'])
  for (const token of [
    refreshed.access_token,
    refreshed.refresh_token,
    access.json.access_token,
    refresh.json.access_token,
  ]) {
    assert.deepEqual(kept(token), before)
  }
  const { name: identityName } = controller.core.kit.view.get('identities', user.identityId)!
  for (const token of [refreshed.id_token, id.json.access_token]) {
    const { sub, name, amr, auth_time } = claimsOf(token)
    assert.deepEqual([sub, name, amr, auth_time], [before.sub, identityName, before.amr, before.auth_time])
  }
})

describe('a token fits its readers', () => {
  test('however much a client says of itself', async () => {
    const types = await Promise.all(
      Array.from({ length: 60 }, async () =>
        idOf(await controller.askAdmin('POST', '/config-types', { name: randomUUID(), schema: {} })),
      ),
    )
    const long = 'x'.repeat(5_000)
    const said = Object.fromEntries(
      ['type', 'version', 'branch', 'revision', 'appId', 'appVersion'].map((n) => [n, long]),
    )
    const environment = Object.fromEntries(
      ['os', 'arch', 'osRelease', 'osVersion', 'domain', 'hostname'].map((n) => [n, long]),
    )
    const begun = await client.begin()
    const { username, password } = user
    const body = { id: begun.requestId, username, password, configTypes: types, sdkInfo: said, envInfo: environment }
    await controller.askOidc({ method: 'POST', path: '/login/password', body })
    const { json } = await client.redeem(await client.finish(begun))
    for (const token of [json.access_token, json.refresh_token, json.id_token]) assert.ok(payloadBytes(token) < 4_096)
    assert.equal((await client.asBearer(json.access_token)).status, 200)
  })

  test('and a refresh token can be read by who holds it', async () => {
    const { refresh_token } = await client.tokens(user)
    const { iss, exp } = claimsOf(refresh_token)
    assert.deepEqual([iss, Number.isInteger(exp)], ['https://127.0.0.1:1280/oidc', true])
  })
})

test('a second token at a login must name the identity of the first factor', async () => {
  const idp = TokenIssuer.ec('idp')
  const root = await CertificateAuthority.createRoot({ subject: { commonName: 'idp' } }, { clock: systemClock })
  const shown = { subject: { commonName: 'idp' }, publicKey: idp.publicKey, names: {} }
  const { certificate } = root.issue({ ...shown, purposes: ['clientAuth'] })
  const issuer = 'https://idp.example/second'
  const signer = { name: 'second', issuer, audience: 'weft', enabled: true, certPem: certificate.pem, kid: 'idp' }
  const id = idOf(await controller.askAdmin('POST', '/external-jwt-signers', { ...signer, useExternalId: true }))
  const authPolicyId = await createAuthPolicy(controller, { secondary: { requireExtJwtSigner: id } })
  const [own, foreign] = [randomUUID(), randomUUID()]
  const person = await createPasswordUser(controller, { authPolicyId, externalId: own })
  await createPasswordUser(controller, { externalId: foreign })
  const token = (sub: string) => ({
    authorization: `Bearer ${idp.token({ iss: issuer, sub, aud: 'weft', exp: Math.floor(Date.now() / 1_000) + 600 })}`,
  })
  const begun = await client.begin()
  const { username, password } = person
  const logIn = (sub: string) => client.post('/login/password', { id: begun.requestId, username, password }, token(sub))
  const refused = await logIn(foreign)
  assert.deepEqual([refused.status, refused.json.authQueries[0].typeId], [200, 'EXT-JWT'], 'still owed')
  const early = await client.ask(`/authorize/callback?id=${begun.requestId}`)
  assert.match(String(early.headers.location), /error=interaction_required/)
  assert.equal((await logIn(own)).status, 302)
})

describe('a code of an authenticator app', () => {
  test('that was used at one API is used up at all of them', async () => {
    const person = await createPasswordUser(controller)
    const app = await AuthenticatorApp.enroll(controller, person)
    const { json } = await login(controller, person.username, person.password)
    const code = app.code()
    const show = () =>
      controller.ask({ method: 'POST', path: '/authenticate/mfa', body: { code }, token: json.data.token })
    assert.equal((await show()).status, 200)
    assert.equal((await show()).status, 400)
    const begun = await client.begin()
    await client.password(begun, person)
    const again = await client.post('/login/totp', { id: begun.requestId, code })
    assert.deepEqual([again.status, again.json.code], [400, 'INVALID TOTP CODE'])
    assert.equal((await client.post('/login/totp', { id: begun.requestId, code: app.code() })).status, 302)
  })

  test('is guessed at no API more often than at one', async () => {
    const person = await createPasswordUser(controller)
    const app = await AuthenticatorApp.enroll(controller, person)
    const { json } = await login(controller, person.username, person.password)
    const begun = await client.begin()
    await client.password(begun, person)
    const atProvider = (code: string) => client.post('/login/totp', { id: begun.requestId, code })
    const atClient = (code: string) =>
      controller.askClient({ method: 'POST', path: '/authenticate/mfa', body: { code }, token: json.data.token })
    for (let guess = 0; guess < 5; guess++) {
      assert.equal((await atProvider(`wrong${guess}`)).status, 400)
      assert.equal((await atClient(`wrong${guess}`)).status, 400)
    }
    for (const answer of [await atClient(app.code()), await atProvider(app.code())]) {
      assert.equal(answer.status, 429, 'the right one has to wait')
      assert.ok(Number(answer.headers['retry-after']) > 0)
    }
  })

  test('from the set for emergencies is good once, wherever it is used', async () => {
    const person = await createPasswordUser(controller)
    const { recoveryCodes } = await AuthenticatorApp.enroll(controller, person)
    const code = recoveryCodes[0]!
    const [begun, again] = [await client.begin(), await client.begin()]
    await client.password(begun, person)
    await client.password(again, person)
    assert.equal((await client.post('/login/totp', { id: begun.requestId, code })).status, 302)
    assert.equal((await client.post('/login/totp', { id: again.requestId, code })).status, 400)
    const { json } = await login(controller, person.username, person.password)
    const asked = { method: 'POST', path: '/authenticate/mfa', body: { code }, token: json.data.token } as const
    assert.equal((await controller.ask(asked)).status, 400)
  })
})
