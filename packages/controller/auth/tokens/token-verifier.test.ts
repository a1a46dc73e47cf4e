import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { createPki, type Identity, loadIdentitySection, TokenSigner } from '@weft/pki'
import type { View } from '../../state/view.ts'
import { SigningKeys } from './signing-keys.ts'
import { asSessionToken, TokenVerifier } from './token-verifier.ts'

const HOUR = 3_600_000
const directory = await mkdtemp(join(tmpdir(), 'weft-tokens-'))
after(() => rm(directory, { recursive: true, force: true }))

let now = Date.now()
const clock = { now: () => now, monotonic: () => now }
const [identity, renewed] = [await newIdentity('one'), await newIdentity('two')]

async function newIdentity(name: string): Promise<Identity> {
  const options = { trustDomain: 'weft', controllerId: name, hosts: ['127.0.0.1'], clock }
  const { files } = await createPki({ directory: join(directory, name), ...options })
  const { clientChain, clientKey, serverChain, serverKey, caBundle } = files
  const { identity: loaded } = await loadIdentitySection(
    { cert: clientChain, key: clientKey, server_cert: serverChain, server_key: serverKey, ca: caBundle },
    { baseDirectory: directory, clock },
  )
  return loaded!
}

/** Tables in which nobody is revoked and everybody is there, unless rows say otherwise. */
function setUp(rows: Readonly<Record<string, unknown>> = {}) {
  const options = { identity, apiAddress: '127.0.0.1:1280', longestLife: 24 * HOUR }
  const keys = new SigningKeys(options, clock)
  const get = (table: string, id: string) =>
    rows[`${table}/${id}`] ?? (table === 'identities' ? { id, disabledAt: null, disabledUntil: null } : undefined)
  return { keys, verifier: new TokenVerifier({ keys, view: { get } as unknown as View, clock }) }
}

const seconds = () => Math.floor(now / 1000)
const claims = () => ({
  sub: 'somebody',
  iat: seconds(),
  nbf: seconds(),
  exp: seconds() + 60,
  jti: randomUUID(),
  aud: ['openziti'],
  amr: ['password'],
  z_asid: randomUUID(),
  z_t: 'a',
})

describe('a token', () => {
  test('is ours by its key', () => {
    const { keys, verifier } = setUp()
    const token = keys.sign(claims())
    assert.ok(verifier.verifySignature(token).claims)
    assert.ok(verifier.verifySignature(token).claims, 'also when it comes again')
    const foreign = new TokenSigner(renewed.servers[0]!).sign(claims())
    assert.equal(verifier.verifySignature(foreign).problem, 'foreign')
  })

  test('counts only under the algorithm of its key', () => {
    const { keys, verifier } = setUp()
    const [, payload] = keys.sign(claims()).split('.')
    const kid = identity.servers[0]!.certificate.fingerprint
    const forged = (alg: string, signature: (signed: string) => string) => {
      const signed = `${Buffer.from(JSON.stringify({ alg, kid })).toString('base64url')}.${payload}`
      return `${signed}.${signature(signed)}`
    }
    const publicKey = identity.servers[0]!.certificate.publicKey.export({ type: 'spki', format: 'pem' })
    const hmac = (signed: string) => createHmac('sha256', publicKey).update(signed).digest('base64url')
    for (const token of [
      forged('none', () => ''),
      forged('none', () => 'AA'),
      forged('HS256', hmac),
      forged('ES256', hmac),
      forged('ES384', () => keys.sign(claims()).split('.')[2]!),
      forged('RS256', () => 'AAAA'),
    ]) {
      assert.notEqual(verifier.verifySignature(token).problem, undefined, token)
    }
  })

  test('must be whole and of bounded length', () => {
    const { keys, verifier } = setUp()
    const token = keys.sign(claims())
    for (const broken of ['', 'a.b', token.slice(0, -4), `${token}.x`, `${token}=`, 'a'.repeat(10_000)]) {
      assert.equal(verifier.verifySignature(broken).claims, undefined)
    }
    assert.equal(verifier.verifySignature(keys.sign({ ...claims(), long: 'x'.repeat(9_000) })).problem, 'malformed')
  })

  test('has its time: to the second at its end, a minute of doubt at its beginning', () => {
    const { verifier } = setUp()
    assert.equal(verifier.timeProblem(claims()), undefined)
    assert.equal(verifier.timeProblem({ exp: seconds() }), 'expired')
    assert.equal(verifier.timeProblem({}), 'expired')
    assert.equal(verifier.timeProblem({ ...claims(), nbf: seconds() + 59 }), undefined)
    assert.equal(verifier.timeProblem({ ...claims(), nbf: seconds() + 61 }), 'not yet valid')
  })

  test('is of the type it says', () => {
    assert.ok(asSessionToken(claims(), 'a'))
    assert.equal(asSessionToken(claims(), 'r'), undefined)
    for (const name of ['z_t', 'z_asid', 'sub', 'jti', 'iat', 'aud', 'amr']) {
      assert.equal(asSessionToken({ ...claims(), [name]: undefined }, 'a'), undefined)
    }
    assert.equal(asSessionToken({ ...claims(), aud: ['somebody-else'] }, 'a'), undefined)
  })

  test('ends with its id, its session, and all that its identity was issued up to that second', () => {
    const token = { ...claims(), z_t: 'a' as const }
    const revoked = (id: string, issuedBefore = now) =>
      setUp({ [`revocations/${id}`]: { issuedBefore: new Date(issuedBefore).toISOString() } }).verifier.sessionProblem(
        token,
      )
    assert.equal(revoked(token.jti), 'revoked')
    assert.equal(revoked(token.z_asid), 'revoked')
    assert.equal(revoked(token.sub, token.iat * 1000 + 1), 'revoked')
    assert.equal(revoked(token.sub, token.iat * 1000 - 1), undefined)
    assert.equal(revoked('somebody else'), undefined)
  })

  test('ends with its identity', () => {
    const disabled = { 'identities/somebody': { disabledAt: '2026-01-01T00:00:00.000Z', disabledUntil: null } }
    assert.equal(setUp(disabled).verifier.sessionProblem(claims()), 'identity disabled')
  })
})

test('a former key verifies until the last token it signed has ended, and is published as long', () => {
  const { keys, verifier } = setUp()
  const token = keys.sign({ ...claims(), exp: seconds() + 30 * 86_400 })
  keys.renew(renewed)
  const [present, former] = [renewed.servers[0]!, identity.servers[0]!].map(
    ({ certificate }) => certificate.fingerprint,
  )
  assert.deepEqual(
    keys.published().map(({ kid }) => kid),
    [present, former],
  )
  assert.ok(verifier.verifySignature(token).claims)
  now += 24 * HOUR + 1
  assert.deepEqual(
    keys.published().map(({ kid }) => kid),
    [present],
  )
  assert.equal(verifier.verifySignature(token).problem, 'foreign')
})

test('a token that was signed here is known as long as its key is, and only as it was signed', () => {
  const { keys, verifier } = setUp()
  const told = claims()
  const token = keys.sign(told)
  verifier.wasSigned(token, told)
  assert.deepEqual(verifier.verifySignature(token).claims, told)
  assert.equal(verifier.verifySignature(`${token.slice(0, -2)}AA`).problem, 'bad signature')
  keys.renew(renewed)
  assert.deepEqual(verifier.verifySignature(token).claims, told, 'the key is a former one')
  now += 24 * HOUR + 1
  assert.equal(verifier.verifySignature(token).problem, 'foreign')
})
