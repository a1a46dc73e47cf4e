import assert from 'node:assert/strict'
import { createHmac, type KeyObject, sign } from 'node:crypto'
import { before, test } from 'node:test'
import type { Certificate } from '../certificates.ts'
import { type EnrollmentInvitation, signCaToken, signEnrollmentToken, TokenSigner } from '../enrollment-token.ts'
import { generatePrivateKey, type KeyKind, publicKeyOf } from '../keys.ts'
import { makeNetwork, noon, noonClock, type TestNetwork } from '../testing/network.ts'
import { readToken, verifyToken } from './received-token.ts'

const invitation: EnrollmentInvitation = {
  address: 'ctrl.weft.example:1280',
  method: 'ott',
  subjectId: 'K7cQ0bYVz',
  token: '4f1c2c0e-7a5e-4a0f-9a3e-0d6b2f3f7c11',
  expiresAt: noon,
  controllerAddresses: ['tls:ctrl.weft.example:6262'],
}
let network: TestNetwork
let key: KeyObject
let leaf: Certificate
let token: string

before(async () => {
  network = await makeNetwork()
  const signer = await makeSigner('P-256')
  key = signer.key
  leaf = signer.certificate
  token = signEnrollmentToken(new TokenSigner(signer), invitation)
})

async function makeSigner(kind: KeyKind): Promise<{ key: KeyObject; certificate: Certificate }> {
  const own = await generatePrivateKey(kind)
  const request = { subject: { commonName: 'c' }, publicKey: publicKeyOf(own), hosts: ['ctrl.weft.example'] }
  return { key: own, certificate: network.intermediate.issueServerCertificate(request).certificate }
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1]!, 'base64url').toString()) as object

/** Signed by the right key, whatever it says. */
function forged(claims: unknown, header: unknown = { alg: 'ES256', typ: 'JWT' }): string {
  const signed = `${encoded(header)}.${encoded(claims)}`
  return `${signed}.${sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

const changed = (changes: object) => forged({ ...claimsOf(token), ...changes })

for (const kind of ['P-256', 'P-384', 'RSA-2048'] as KeyKind[]) {
  test(`a token signed under ${kind} is read, and verified with the certificate of its signer only`, async () => {
    const signer = await makeSigner(kind)
    const received = readToken(`\n${signEnrollmentToken(new TokenSigner(signer), invitation)}\r\n`)
    const { signed, signature, algorithm, ...said } = received
    assert.deepEqual(said, {
      controllerUrl: 'https://ctrl.weft.example:1280',
      method: 'ott',
      subjectId: 'K7cQ0bYVz',
      token: '4f1c2c0e-7a5e-4a0f-9a3e-0d6b2f3f7c11',
      expiresAt: noon,
      notBefore: undefined,
      controllerAddresses: ['tls:ctrl.weft.example:6262'],
    })
    verifyToken(received, signer.certificate, noonClock)
    assert.throws(() => verifyToken(received, leaf, noonClock), { code: 'WRONG_SIGNER' })
  })
}

test('a token of a CA leads to the controller without the slash at the end, and does not expire', () => {
  const ca = signCaToken(new TokenSigner({ key, certificate: leaf }), { address: 'c.example:1', caId: 'ca1' })
  const received = readToken(ca)
  assert.equal(received.controllerUrl, 'https://c.example:1')
  assert.deepEqual([received.expiresAt, received.controllerAddresses], [undefined, []])
  verifyToken(received, leaf, { now: () => noon * 2 })
})

test('clocks may be a minute apart', () => {
  const at = (now: number, text = token) => verifyToken(readToken(text), leaf, { now: () => now })
  at(noon + 60_000)
  assert.throws(() => at(noon + 60_001), { code: 'TOKEN_EXPIRED' })
  const later = changed({ nbf: noon / 1000, exp: noon / 1000 + 600 })
  at(noon - 60_000, later)
  assert.throws(() => at(noon - 60_001, later), { code: 'TOKEN_NOT_YET_VALID' })
})

test('an old token names its one controller in another place', () => {
  const addresses = (changes: object) => readToken(changed(changes)).controllerAddresses
  assert.deepEqual(addresses({ ctrls: null, ctrl: 'tls:old:1' }), ['tls:old:1'])
  assert.deepEqual(addresses({ ctrl: 'tls:old:1' }), ['tls:ctrl.weft.example:6262'])
})

test('no other algorithm than that of the key is believed', () => {
  const [, payload] = token.split('.')
  const under = (header: object, signature: string) => `${encoded(header)}.${payload}.${signature}`
  const hmac = createHmac('sha256', leaf.publicKey.export({ type: 'spki', format: 'pem' }))
  const der = sign('sha256', Buffer.from(token.slice(0, token.lastIndexOf('.'))), key).toString('base64url')
  for (const text of [
    under({ alg: 'none' }, 'AA'),
    under({ alg: 'HS256' }, hmac.update(`${encoded({ alg: 'HS256' })}.${payload}`).digest('base64url')),
    under({ alg: 'ES384' }, token.split('.')[2]!),
    under({ alg: 'RS256' }, token.split('.')[2]!),
    under({}, token.split('.')[2]!),
    `${token.slice(0, token.lastIndexOf('.'))}.${der}`,
    forged(claimsOf(token), { alg: 'ES512' }),
    forged(claimsOf(token), { alg: 5 }),
  ]) {
    assert.throws(() => verifyToken(readToken(text), leaf, noonClock), { code: 'WRONG_SIGNER' }, text.slice(0, 40))
  }
})

test('no change of a signed octet is believed', () => {
  const received = readToken(token)
  for (let at = 0; at < received.signed.length; at++) {
    const bent = Buffer.from(received.signed)
    bent[at]! ^= 1
    assert.throws(() => verifyToken({ ...received, signed: bent }, leaf, noonClock), { code: 'WRONG_SIGNER' })
  }
})

const unreadable: Record<string, () => string> = {
  nothing: () => '',
  prose: () => 'hello, this is no token',
  'two parts': () => token.slice(0, token.lastIndexOf('.')),
  'four parts': () => `${token}.AAAA`,
  'an empty signature': () => `${token.slice(0, token.lastIndexOf('.'))}.`,
  'other characters': () => token.replace('.', '.+'),
  'a payload that is no JSON': () => `${encoded({})}.${Buffer.from('{').toString('base64url')}.AAAA`,
  'a payload that is a list': () => `${encoded({})}.${encoded([])}.AAAA`,
  'a payload that is not UTF-8': () => `${encoded({})}.${Buffer.of(0x22, 0xff, 0x22).toString('base64url')}.AAAA`,
  'an endless token': () => `${token}${'A'.repeat(9000)}`,
  'no issuer': () => changed({ iss: undefined }),
  'an issuer without TLS': () => changed({ iss: 'http://ctrl.weft.example:1280' }),
  'an issuer with a password': () => changed({ iss: 'https://a:b@ctrl.weft.example' }),
  'an issuer with a query': () => changed({ iss: 'https://ctrl.weft.example/?a=b' }),
  'no subject': () => changed({ sub: '' }),
  'a subject that is no text': () => changed({ sub: 5 }),
  'an endless subject': () => changed({ sub: 'x'.repeat(300) }),
  'no id': () => changed({ jti: undefined }),
  'an expiry that is no time': () => changed({ exp: 'soon' }),
  'an expiry beyond time': () => changed({ exp: 1e300 }),
  'addresses that are no list': () => changed({ ctrls: {} }),
  'addresses that are no texts': () => changed({ ctrls: [5] }),
  'too many addresses': () => changed({ ctrls: Array.from({ length: 65 }, () => 'tls:a:1') }),
}
for (const [name, make] of Object.entries(unreadable)) {
  test(`refuses ${name}`, () => {
    assert.throws(() => readToken(make()), { code: 'BAD_TOKEN' })
  })
}

test('refuses methods that it does not know', () => {
  for (const em of [undefined, '', 'OTT', 'constructor', 5, ['ott']]) {
    assert.throws(() => readToken(changed({ em })), { code: 'UNKNOWN_METHOD' })
  }
})
