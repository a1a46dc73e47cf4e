/**
 * Tokens that are not what they seem, wherever tokens are taken: forged, altered, expired, of another kind or meant for
 * others. Each is refused with the code that peers know, and leaves nothing behind.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { after, describe, test } from 'node:test'
import { CertificateAuthority, parseLeafCertificate, parsePrivateKey, TokenSigner } from '@weft/pki'
import { systemClock } from '../clock.ts'
import { AuthenticatorApp } from '../testing/authenticator-app.ts'
import { invite, newCsr } from '../testing/enrolling.ts'
import { hostileTokens } from '../testing/hostile-tokens.ts'
import { claimsOf, OidcClient } from '../testing/oidc-client.ts'
import { createAuthPolicy, createPasswordUser, idOf } from '../testing/password-user.ts'
import { createSmallNetwork } from '../testing/small-network.ts'
import { type Answered, TestController } from '../testing/test-controller.ts'
import { TokenIssuer } from '../testing/token-issuer.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const client = new OidcClient(controller)
const { view } = controller.core.kit
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** The controller's own key, for tokens that nobody else could have signed. */
const certificate = parseLeafCertificate(await readFile(controller.pki.files.serverChain, 'utf8'))
const key = parsePrivateKey(await readFile(controller.pki.files.serverKey, 'utf8'))
const ownSigner = new TokenSigner({ certificate, key })

/** How much there is of everything that a token could bring about. */
function extent(): readonly number[] {
  const tables = ['identities', 'apiSessions', 'sessions', 'revocations', 'authenticators', 'enrollments'] as const
  return tables.map((table) => [...view.rows(table)].length)
}

/** Asserts what is answered to each, and that nothing came of any. */
async function refusesAll(
  tokens: Readonly<Record<string, string>>,
  ask: (token: string) => Promise<Answered>,
  isRefusal: (answer: Answered) => boolean,
): Promise<void> {
  const before = extent()
  for (const [name, token] of Object.entries(tokens)) {
    const answer = await ask(token)
    assert.ok(isRefusal(answer), `${name}: ${answer.status} ${answer.text}`)
  }
  assert.deepEqual(extent(), before)
}

const isUnauthorized = ({ status, json }: Answered) => status === 401 && json.error.code === 'UNAUTHORIZED'
const isOAuth = (error: string) => (answer: Answered) => answer.status === 400 && answer.json.error === error

const user = await createPasswordUser(controller)
const { access_token, refresh_token, id_token } = await client.tokens(user)
const seconds = Math.floor(Date.now() / 1_000)

/** Signed by the controller itself, and still not what is asked for. */
function misusedTokens(good: string): Readonly<Record<string, string>> {
  const claims = claimsOf(good)
  const signed = (changes: object) => ownSigner.sign({ ...claims, jti: randomUUID(), ...changes })
  return {
    expired: signed({ exp: seconds - 1 }),
    'without an end': signed({ exp: undefined }),
    'whose end is text': signed({ exp: '9999999999' }),
    'not yet valid': signed({ nbf: seconds + 600 }),
    'for another audience': signed({ aud: ['somebody-else'] }),
    'for no audience': signed({ aud: undefined }),
    'of no session': signed({ z_asid: '' }),
    'of nobody': signed({ sub: 'nobody' }),
    'of no identity': signed({ sub: undefined }),
    'without an id': signed({ jti: undefined }),
    'without a time': signed({ iat: undefined }),
    'of no type': signed({ z_t: undefined }),
    'of a service session': signed({ z_t: 's' }),
    'of a second factor': signed({ z_t: 't' }),
    'bound to a certificate that is not there': signed({ z_cfs: ['0'.repeat(40)] }),
  }
}

describe('an access token', () => {
  const places: Readonly<Record<string, (token: string) => Promise<Answered>>> = {
    'the client API': (token) => client.asBearer(token),
    'the management API': (token) => controller.ask({ path: '/current-identity', headers: bearer(token) }),
  }
  const all = {
    ...hostileTokens(access_token, certificate.publicKey),
    ...misusedTokens(access_token),
    'that is a refresh token': refresh_token,
    'that is an ID token': id_token,
  }
  for (const [place, ask] of Object.entries(places)) {
    test(`that is forged, expired or of another kind opens nothing at ${place}`, () =>
      refusesAll(all, ask, isUnauthorized))
  }

  test('that is forged, expired or of another kind tells nobody who somebody is', () =>
    refusesAll(
      all,
      (token) => client.ask('/userinfo', bearer(token)),
      ({ status, json }) => status === 401 && json.error === 'access_denied',
    ))

  test('that is forged beside a good one does not spoil it, nor does it become good by it', async () => {
    const network = await createSmallNetwork(controller)
    for (const forged of [...Object.values(hostileTokens(access_token, certificate.publicKey)).slice(0, 12)]) {
      const headers = { authorization: [`Bearer ${forged}`] }
      const answer = await controller.askClient({ path: '/services', token: network.token, headers })
      assert.equal(answer.status, 200)
      assert.deepEqual(
        answer.json.data.map(({ id }: { id: string }) => id),
        [network.serviceId],
      )
    }
  })
})

describe('a refresh token', () => {
  const all = {
    ...hostileTokens(refresh_token, certificate.publicKey),
    ...misusedTokens(refresh_token),
    'that is an access token': access_token,
    'that is an ID token': id_token,
    'that is empty': '',
  }

  test('that is forged, expired or of another kind refreshes nothing', () =>
    refusesAll(
      all,
      (token) => client.refresh(token),
      (answer) => isOAuth('invalid_grant')(answer) || isOAuth('access_denied')(answer),
    ))

  test('that is forged, expired or of another kind is exchanged for nothing', () =>
    refusesAll(
      all,
      (token) => client.exchange(token, 'refresh_token', 'access_token'),
      (answer) => isOAuth('invalid_request')(answer) || isOAuth('access_denied')(answer),
    ))

  test('that is forged is no reason to revoke anything', () =>
    refusesAll(
      { ...hostileTokens(refresh_token, certificate.publicKey), 'that is an ID token': id_token },
      (token) => client.post('/revoke', { client_id: 'openziti', token }),
      ({ status, text }) => status === 200 && text === '',
    ))

  test('that is replayed after its time of grace ends the session for both who hold it', async () => {
    const tokens = await client.tokens(user)
    const { json: next } = await client.refresh(tokens.refresh_token)
    await client.refresh(tokens.refresh_token)
    assert.ok(isOAuth('invalid_grant')(await client.refresh(tokens.refresh_token)))
    assert.ok(isUnauthorized(await client.asBearer(next.access_token)))
    assert.ok(isOAuth('invalid_grant')(await client.refresh(next.refresh_token)))
  })
})

test('an ID token that is forged or of another kind logs nobody out', () =>
  refusesAll(
    {
      ...hostileTokens(id_token, certificate.publicKey),
      'that is an access token': access_token,
      'that is a refresh token': refresh_token,
    },
    (token) => client.ask(`/end_session?id_token_hint=${token}`),
    isOAuth('invalid_request'),
  ))

test('a code that is made up, altered or used leads to no tokens', async () => {
  const completed = await client.completed(user)
  const { code } = completed
  const codes = { 'made up': randomUUID(), empty: '', cut: code.slice(0, -1), longer: `${code}A`, token: access_token }
  await refusesAll(codes, (altered) => client.redeem({ ...completed, code: altered }), isOAuth('invalid_grant'))
  const first = await client.redeem(completed)
  assert.equal(first.status, 200)
  assert.ok(isOAuth('invalid_grant')(await client.redeem(completed)))
  assert.ok(isUnauthorized(await client.asBearer(first.json.access_token)), 'a code in two hands ends its session')
})

describe('a zt-session', () => {
  test('that is made up, cut, or another kind of token opens nothing', () =>
    refusesAll(
      {
        'made up': randomUUID(),
        cut: user.token.slice(0, -1),
        longer: `${user.token}0`,
        'in capitals': user.token.toUpperCase(),
        'an access token': access_token,
        'the id of a session': [...view.rows('apiSessions')][0]!.id,
        'a pattern': '%',
      },
      (token) => controller.askClient({ path: '/current-identity', token }),
      isUnauthorized,
    ))
})

describe('a TOTP token', async () => {
  const holder = await createPasswordUser(controller)
  const app = await AuthenticatorApp.enroll(controller, holder)
  const begun = await client.begin()
  await client.password(begun, holder)
  await client.post('/login/totp', { id: begun.requestId, code: app.code() })
  const { json: tokens } = await client.redeem(await client.finish(begun))
  const body = { code: app.code() }
  const path = '/current-api-session/totp-token'
  const given = await controller.askClient({ method: 'POST', path, body, headers: bearer(tokens.access_token) })
  const token: string = given.json.data.token

  test('is none of the others, whatever its session may do', async () => {
    assert.equal(given.status, 200, given.text)
    assert.deepEqual([claimsOf(token).z_t, claimsOf(token).z_asid], ['t', claimsOf(tokens.access_token).z_asid])
    assert.ok(isUnauthorized(await client.asBearer(token)))
    assert.ok(isOAuth('invalid_grant')(await client.refresh(token)))
    assert.ok(isOAuth('invalid_request')(await client.exchange(token, 'access_token', 'access_token')))
    assert.ok(isOAuth('invalid_request')(await client.ask(`/end_session?id_token_hint=${token}`)))
  })

  test('is not given for a code that was spent, nor to a session that ended', async () => {
    const ask = () => controller.askClient({ method: 'POST', path, body, headers: bearer(tokens.access_token) })
    const again = await ask()
    assert.deepEqual([again.status, again.json.error.code], [400, 'MFA_INVALID_TOKEN'])
    await client.asBearer(tokens.access_token, '/current-api-session', 'DELETE')
    assert.ok(isUnauthorized(await ask()))
  })
})

describe('an external token', async () => {
  const clock = systemClock
  const idp = TokenIssuer.ec('idp')
  const root = await CertificateAuthority.createRoot({ subject: { commonName: 'idp' }, trustDomain: 'x' }, { clock })
  const { certificate: shown } = root.issue({
    subject: { commonName: 'idp' },
    publicKey: idp.publicKey,
    purposes: ['clientAuth'],
    names: {},
  })
  const issuer = 'https://idp.example/hostile'
  const signer = { name: 'idp', issuer, audience: 'weft', enabled: true, certPem: shown.pem, kid: 'idp' }
  const enrolling = { enrollToTokenEnabled: true, enrollToCertEnabled: true, useExternalId: true }
  const signerId = idOf(await controller.askAdmin('POST', '/external-jwt-signers', { ...signer, ...enrolling }))
  const externalId = randomUUID()
  const person = { name: 'person', type: 'Default', isAdmin: false, externalId }
  const personId = idOf(await controller.askAdmin('POST', '/identities', person))
  const claims = { iss: issuer, sub: externalId, aud: 'weft', exp: seconds + 600 }
  const good = idp.token(claims)
  const wrong = (changes: object) => idp.token({ ...claims, ...changes })
  const all = {
    ...hostileTokens(good, idp.publicKey),
    expired: wrong({ exp: seconds - 1 }),
    'without an end': wrong({ exp: undefined }),
    'not yet valid': wrong({ nbf: seconds + 600 }),
    'for another audience': wrong({ aud: 'others' }),
    'for no audience': wrong({ aud: undefined }),
    'of another issuer': wrong({ iss: `${issuer}/` }),
    'of no issuer': wrong({ iss: undefined }),
    'of the controller': access_token,
  }

  test('that is good is accepted, so the refusals are about the others', async () => {
    const path = '/authenticate?method=ext-jwt'
    const { status, json } = await controller.askClient({ method: 'POST', path, body: {}, headers: bearer(good) })
    assert.deepEqual([status, json.data.identityId], [200, personId])
  })

  test('that is forged, expired or meant for others logs nobody in', () =>
    refusesAll(
      all,
      (token) =>
        controller.askClient({
          method: 'POST',
          path: '/authenticate?method=ext-jwt',
          body: {},
          headers: bearer(token),
        }),
      isUnauthorized,
    ))

  test('that is forged, expired or meant for others passes no login of the provider', async () => {
    const { requestId } = await client.begin()
    await refusesAll(
      all,
      (token) => client.post('/login/ext-jwt', { id: requestId }, bearer(token)),
      ({ status }) => status === 401,
    )
    const { headers } = await client.ask(`/authorize/callback?id=${requestId}`)
    assert.match(String(headers.location), /error=interaction_required/)
  })

  test('that is forged, expired or meant for others enrolls nobody', () =>
    refusesAll(
      { ...all, 'of somebody who is there': good },
      (token) => controller.askClient({ method: 'POST', path: '/enroll/token', body: {}, headers: bearer(token) }),
      ({ status, json }) =>
        (status === 400 && json.error.code === 'INVALID_ENROLLMENT_TOKEN') ||
        (status === 409 && json.error.code === 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED'),
    ))

  test('that is forged, expired or meant for others is no second factor, nor is one that names another', async () => {
    const authPolicyId = await createAuthPolicy(controller, { secondary: { requireExtJwtSigner: signerId } })
    await controller.askAdmin('PATCH', `/identities/${personId}`, { authPolicyId })
    const token = await controller.loginAs(personId)
    const other = idp.token({ ...claims, sub: 'another' })
    const path = '/services'
    await refusesAll(
      { ...all, 'of another identity': other },
      (forged) => controller.askClient({ path, token, headers: bearer(forged) }),
      isUnauthorized,
    )
    assert.equal((await controller.askClient({ path, token, headers: bearer(good) })).status, 200)
  })
})

describe('an enrollment token', async () => {
  const invited = await invite(controller, { ott: true })
  const { json } = await controller.askAdmin('GET', `/identities/${invited.identityId}`)
  const jwt: string = json.data.enrollment.ott.jwt
  const other = await invite(controller, { updb: 'somebody-invited' })
  const post = (path: string) =>
    controller.askClient({ method: 'POST', path, body: newCsr('x'), contentType: 'application/x-pem-file' })
  const enroll = (token: string) => post(`/enroll?method=ott&token=${encodeURIComponent(token)}`)
  const isCode = (code: string) => (answer: Answered) => answer.status === 400 && answer.json.error.code === code

  test('that is made up, cut, signed or of a session enrolls nobody', () =>
    refusesAll(
      {
        'made up': randomUUID(),
        empty: '',
        cut: invited.token.slice(0, -1),
        longer: `${invited.token}0`,
        'in capitals': invited.token.toUpperCase(),
        'with a space': ` ${invited.token}`,
        'with an end of text': `${invited.token}\0`,
        'the whole invitation': jwt,
        'an access token': access_token,
        'a zt-session': user.token,
        'a pattern': '%',
        ...hostileTokens(jwt, certificate.publicKey),
      },
      enroll,
      isCode('INVALID_ENROLLMENT_TOKEN'),
    ))

  test('of another method enrolls nobody', async () => {
    await refusesAll({ updb: other.token }, enroll, isCode('INVALID_ENROLL_METHOD'))
    for (const method of ['erott', 'ottca', 'updb', 'none', 'constructor']) {
      assert.ok(isCode('INVALID_ENROLL_METHOD')(await post(`/enroll?method=${method}&token=${invited.token}`)), method)
    }
  })

  test('that is expired enrolls nobody, and one that was used nobody else', async () => {
    const late = await invite(controller, { ott: true })
    const [row] = view.find('enrollments', 'identityId', late.identityId)
    await controller.write((change) => change.update('enrollments', row!.id, { expiresAt: change.now }))
    await refusesAll({ expired: late.token }, enroll, isCode('ENROLLMENT_EXPIRED'))
    assert.equal((await enroll(invited.token)).status, 200)
    await refusesAll({ used: invited.token }, enroll, isCode('INVALID_ENROLLMENT_TOKEN'))
  })

  test('is no access token, though the same key has signed it', async () => {
    assert.ok(isUnauthorized(await client.asBearer(jwt)))
    assert.ok(isOAuth('invalid_grant')(await client.refresh(jwt)))
    assert.ok(isOAuth('invalid_request')(await client.ask(`/end_session?id_token_hint=${jwt}`)))
  })
})
