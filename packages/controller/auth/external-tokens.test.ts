import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { CertificateAuthority } from '@weft/pki'
import { systemClock } from '../clock.ts'
import { createAuthPolicy, idOf } from '../testing/password-user.ts'
import { TestController } from '../testing/test-controller.ts'
import { compact, hmacToken, TokenIssuer } from '../testing/token-issuer.ts'
import { ExternalTokens } from './external-tokens.ts'
import { readKeySet, type VerificationKey } from './key-set.ts'
import { LoginRefused } from './login.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

type Json = Readonly<Record<string, unknown>>

const idp = TokenIssuer.rsa()
const published = new Map<string, readonly Json[]>()
const jwks = {
  async keysOf(endpoint: string, keyId: string): Promise<readonly VerificationKey[]> {
    return readKeySet({ keys: published.get(endpoint) ?? [] })?.get(keyId) ?? []
  },
}
const tokens = new ExternalTokens({
  view: controller.core.kit.view,
  jwks,
  clock: systemClock,
  isControllerKey: (keyId) => keyId === 'controller',
})

async function createSigner(values: Json = {}, keys: readonly Json[] = [idp.jwk]) {
  const name = randomUUID()
  const issuer = `https://idp.example/${name}`
  const jwksEndpoint = `https://keys.example/${name}`
  published.set(jwksEndpoint, keys)
  const body = { name, issuer, audience: 'weft', enabled: true, jwksEndpoint, useExternalId: true, ...values }
  const id = idOf(await controller.askAdmin('POST', '/external-jwt-signers', body))
  return { id, issuer, jwksEndpoint }
}

async function createIdentity(values: Json = {}) {
  const externalId = randomUUID()
  const body = { name: externalId, type: 'Default', isAdmin: false, externalId, ...values }
  return { id: idOf(await controller.askAdmin('POST', '/identities', body)), externalId }
}

const seconds = () => Math.floor(Date.now() / 1_000)
const signer = await createSigner()
const identity = await createIdentity()
const good = { iss: signer.issuer, sub: identity.externalId, aud: 'weft', exp: seconds() + 600 }

/** The problem that a refused caller is told, or `accepted`. */
async function outcome(...presented: readonly string[]): Promise<string> {
  try {
    await tokens.login(presented)
    return 'accepted'
  } catch (error) {
    assert.ok(error instanceof LoginRefused)
    assert.deepEqual([error.status, error.code], [401, 'UNAUTHORIZED'])
    const challenge = error.headers?.['www-authenticate'] ?? ''
    assert.match(challenge, /^Bearer realm="openziti-primary-ext-jwt" error="[a-z]+" error_description="[a-z ]+" id="/)
    return /error="([a-z]+)"/.exec(challenge)![1]!
  }
}

test('a good token logs in whom it names', async () => {
  const login = await tokens.login([idp.token(good)])
  assert.deepEqual(login, {
    identityId: identity.id,
    authenticatorId: `extJwtId:${signer.id}`,
    signerId: signer.id,
  })
})

const now = seconds()
const cases: readonly (readonly [string, Json, string])[] = [
  ['in its last seconds', { exp: now + 30 }, 'accepted'],
  ['that begins within the tolerance', { nbf: now + 30 }, 'accepted'],
  ['for several audiences', { aud: ['others', 'weft'] }, 'accepted'],
  ['expired', { exp: now - 1 }, 'expired'],
  ['without an end', { exp: undefined }, 'invalid'],
  ['whose end is text', { exp: String(now + 600) }, 'invalid'],
  ['not yet valid', { nbf: now + 120 }, 'invalid'],
  ['whose beginning is text', { nbf: 'now' }, 'invalid'],
  ['of the wrong audience', { aud: 'others' }, 'invalid'],
  ['of an audience that only begins like ours', { aud: 'weft2' }, 'invalid'],
  ['without an audience', { aud: undefined }, 'invalid'],
  ['without a subject', { sub: undefined }, 'invalid'],
  ['whose subject is no text', { sub: 7 }, 'invalid'],
  ['whose subject is blank', { sub: ' ' }, 'invalid'],
  ['of an unknown issuer', { iss: 'https://nobody.example' }, 'missing'],
  ['whose issuer differs by a slash', { iss: `${signer.issuer}/` }, 'missing'],
  ['without an issuer', { iss: undefined }, 'missing'],
  ['of an unknown subject', { sub: 'nobody' }, 'missing'],
]
for (const [name, claims, expected] of cases) {
  test(`a token ${name}: ${expected}`, async () => {
    assert.equal(await outcome(idp.token({ ...good, ...claims })), expected)
  })
}

describe('forged tokens', () => {
  const pem = idp.publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const forged: Readonly<Record<string, string>> = {
    'signed by another key under the same id': TokenIssuer.rsa('rsa').token(good),
    'of another key id': idp.token(good, { kid: 'unknown' }),
    'without a key id': idp.token(good, { kid: undefined }),
    'algorithm confusion: HMAC with the public key': hmacToken({ kid: 'rsa' }, good, pem),
    'algorithm confusion: none': compact({ alg: 'none', kid: 'rsa' }, good, () => Buffer.from('x')),
    'algorithm confusion: EC for RSA': TokenIssuer.ec('rsa').token(good),
    'not the algorithm that the key is for': idp.token(good, { alg: 'RS512' }),
  }
  for (const [name, token] of Object.entries(forged)) {
    test(name, async () => assert.equal(await outcome(token), 'invalid'))
  }

  test('truncated', async () => {
    const token = idp.token(good)
    for (const length of [0, 1, 20, token.length - 1, token.lastIndexOf('.')]) {
      assert.notEqual(await outcome(token.slice(0, length)), 'accepted')
    }
  })

  test('a token of a controller is no external one, whatever it says', async () => {
    const capturing = await createSigner({}, [{ ...idp.jwk, kid: 'controller' }])
    assert.equal(await outcome(idp.token({ ...good, iss: capturing.issuer }, { kid: 'controller' })), 'missing')
  })

  test('the key of one signer does not speak for another', async () => {
    const other = TokenIssuer.rsa('shared')
    const { issuer } = await createSigner({}, [other.jwk])
    await createSigner({}, [{ ...idp.jwk, kid: 'shared' }])
    assert.equal(await outcome(idp.token({ ...good, iss: issuer }, { kid: 'shared' })), 'invalid')
    assert.equal(await outcome(other.token({ ...good, iss: issuer })), 'accepted')
  })
})

describe('replayed tokens', () => {
  test('are refused once the signer has withdrawn the key', async () => {
    const { issuer, jwksEndpoint } = await createSigner()
    const token = idp.token({ ...good, iss: issuer })
    assert.equal(await outcome(token), 'accepted')
    published.set(jwksEndpoint, [])
    assert.equal(await outcome(token), 'invalid')
  })

  test('are refused once the signer is disabled', async () => {
    const { id, issuer } = await createSigner()
    const token = idp.token({ ...good, iss: issuer })
    assert.equal(await outcome(token), 'accepted')
    await controller.askAdmin('PATCH', `/external-jwt-signers/${id}`, { enabled: false })
    assert.equal(await outcome(token), 'missing')
  })

  test('are refused once the identity is disabled', async () => {
    const { id, externalId } = await createIdentity()
    const token = idp.token({ ...good, sub: externalId })
    assert.equal(await outcome(token), 'accepted')
    await controller.askAdmin('POST', `/identities/${id}/disable`, { durationMinutes: 0 })
    assert.equal(await outcome(token), 'missing')
  })
})

test('of several tokens the first good one counts, and of bad ones the worst is told', async () => {
  const [expired, wrong] = [idp.token({ ...good, exp: 1 }), idp.token({ ...good, aud: 'others' })]
  assert.equal(await outcome('garbage', expired, idp.token(good)), 'accepted')
  assert.equal(await outcome('garbage', wrong, expired), 'expired')
  assert.equal(await outcome('garbage', wrong), 'invalid')
  assert.equal(await outcome(), 'missing')
})

test('the auth policy may allow no tokens, or those of some signers', async () => {
  const other = await createSigner()
  const forbidden = await createIdentity({ authPolicyId: await policyWith({ allowed: false, allowedSigners: [] }) })
  const authPolicyId = await policyWith({ allowed: true, allowedSigners: [other.id] })
  const { externalId } = await createIdentity({ authPolicyId })
  assert.equal(await outcome(idp.token({ ...good, sub: forbidden.externalId })), 'missing')
  assert.equal(await outcome(idp.token({ ...good, sub: externalId })), 'missing')
  assert.equal(await outcome(idp.token({ ...good, sub: externalId, iss: other.issuer })), 'accepted')
})

test('the claim may be anywhere, and name an identity by its own id', async () => {
  const { issuer } = await createSigner({ claimsProperty: '/who/ids/1', useExternalId: false })
  assert.equal(await outcome(idp.token({ ...good, iss: issuer, who: { ids: ['', identity.id] } })), 'accepted')
  assert.equal(await outcome(idp.token({ ...good, iss: issuer, who: { ids: [identity.id] } })), 'invalid')
  const inherited = await createSigner({ claimsProperty: 'constructor/name' })
  assert.equal(await outcome(idp.token({ ...good, iss: inherited.issuer })), 'invalid')
})

test('a signer that is known by its certificate speaks by its kid, or else by its fingerprint', async () => {
  const subject = { commonName: 'idp' }
  const authority = await CertificateAuthority.createRoot({ subject, trustDomain: 'idp' }, { clock: systemClock })
  const certified = () => authority.issueClientCertificate({ subject, publicKey: idp.publicKey }).certificate
  const [one, two] = [certified(), certified()]
  const byPrint = await createSigner({ certPem: one.pem, jwksEndpoint: undefined })
  const byName = await createSigner({ certPem: two.pem, jwksEndpoint: undefined, kid: 'named' })
  const ask = (iss: string, kid: string) => outcome(idp.token({ ...good, iss }, { kid }))
  assert.equal(await ask(byPrint.issuer, one.fingerprint), 'accepted')
  assert.equal(await ask(byPrint.issuer, 'named'), 'invalid')
  assert.equal(await ask(byName.issuer, 'named'), 'accepted')
  assert.equal(await ask(byName.issuer, two.fingerprint), 'invalid')
})

test('a second factor must be of the required signer and name the same identity', async () => {
  const other = await createSigner()
  const somebodyElse = await createIdentity()
  const confirmed = (...presented: readonly string[]) => tokens.isConfirmedBy(signer.id, identity.id, presented)
  assert.equal(await confirmed('garbage', idp.token(good)), true)
  assert.equal(await confirmed(), false)
  assert.equal(await confirmed(idp.token({ ...good, sub: somebodyElse.externalId })), false)
  assert.equal(await confirmed(idp.token({ ...good, iss: other.issuer })), false)
  assert.equal(await confirmed(idp.token({ ...good, exp: 1 })), false)
})

async function policyWith(extJwt: Json): Promise<string> {
  const id = await createAuthPolicy(controller, {})
  const { json } = await controller.askAdmin('GET', `/auth-policies/${id}`)
  const { name, primary, secondary } = json.data
  const answer = await controller.askAdmin('PUT', `/auth-policies/${id}`, {
    name,
    primary: { ...primary, extJwt },
    secondary,
  })
  assert.equal(answer.status, 200, answer.text)
  return id
}
