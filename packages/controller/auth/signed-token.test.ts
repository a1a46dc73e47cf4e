import assert from 'node:assert/strict'
import { constants, generateKeyPairSync, type KeyObject, type SignKeyObjectInput, sign } from 'node:crypto'
import { describe, test } from 'node:test'
import { Seeded } from '../testing/seeded.ts'
import { compact, hmacToken, TokenIssuer } from '../testing/token-issuer.ts'
import { isSignedBy, readToken } from './signed-token.ts'

const claims = { sub: 'somebody' }
const rsa = TokenIssuer.rsa()
const ec = TokenIssuer.ec()

function accepts(text: string, key: KeyObject): boolean {
  const token = readToken(text)
  return token !== undefined && isSignedBy(token, key)
}

const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
const p1363 = { dsaEncoding: 'ieee-p1363' } as const
const [p384, p521] = ['P-384', 'P-521'].map((namedCurve) => generateKeyPairSync('ec', { namedCurve }))
const ed25519 = generateKeyPairSync('ed25519')

type Keys = { readonly publicKey: KeyObject; readonly privateKey: KeyObject }

const supported: readonly [string, string | null, Keys, Omit<SignKeyObjectInput, 'key'>][] = [
  ['RS256', 'sha256', rsa, {}],
  ['RS384', 'sha384', rsa, {}],
  ['RS512', 'sha512', rsa, {}],
  ['PS256', 'sha256', rsa, pss],
  ['PS384', 'sha384', rsa, pss],
  ['PS512', 'sha512', rsa, pss],
  ['ES256', 'sha256', ec, p1363],
  ['ES384', 'sha384', p384!, p1363],
  ['ES512', 'sha512', p521!, p1363],
  ['EdDSA', null, ed25519, {}],
]

for (const [alg, digest, { publicKey, privateKey }, options] of supported) {
  test(`${alg} is verified, and nothing else with its name`, () => {
    const token = compact({ alg }, claims, (signed) => sign(digest, signed, { key: privateKey, ...options }))
    assert.equal(accepts(token, publicKey), true)
    const [head, , mark] = token.split('.')
    const forged = `${head}.${Buffer.from('{"sub":"another"}').toString('base64url')}.${mark}`
    assert.equal(accepts(forged, publicKey), false)
  })
}

describe('algorithm confusion', () => {
  test('a public key is not the secret of an HMAC', () => {
    const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()
    for (const secret of [pem, pem.trim(), JSON.stringify(rsa.jwk), '']) {
      assert.equal(accepts(hmacToken({}, claims, secret), rsa.publicKey), false)
    }
  })

  test('no signature is no signature, however it is spelled', () => {
    for (const alg of ['none', 'None', 'NONE', '', 'null']) {
      const unsigned = compact({ alg }, claims, () => Buffer.from('x'))
      assert.equal(accepts(unsigned, rsa.publicKey), false)
      assert.equal(accepts(`${unsigned.split('.').slice(0, 2).join('.')}.`, rsa.publicKey), false)
    }
  })

  test('the key decides: kinds and curves are not mixed', () => {
    assert.equal(accepts(ec.token(claims, { alg: 'RS256' }), ec.publicKey), false)
    assert.equal(accepts(rsa.token(claims, { alg: 'ES256' }), rsa.publicKey), false)
    assert.equal(accepts(rsa.token(claims, { alg: 'PS256' }), rsa.publicKey), false)
    assert.equal(accepts(rsa.token(claims, { alg: 'EdDSA' }), rsa.publicKey), false)
    const wide = compact({ alg: 'ES256' }, claims, (signed) =>
      sign('sha256', signed, { key: p384!.privateKey, ...p1363 }),
    )
    assert.equal(accepts(wide, p384!.publicKey), false)
    const der = compact({ alg: 'ES256' }, claims, (signed) => sign('sha256', signed, ec.privateKey))
    assert.equal(accepts(der, ec.publicKey), false)
  })

  test('a short RSA key is not trusted', () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
    const token = compact({ alg: 'RS256' }, claims, (signed) => sign('sha256', signed, privateKey))
    assert.equal(accepts(token, publicKey), false)
  })
})

describe('what is not read as a token', () => {
  const token = ec.token(claims)
  const [head = '', body = '', mark = ''] = token.split('.')

  test('truncated ones', () => {
    for (let length = 0; length < token.length; length++) {
      assert.equal(accepts(token.slice(0, length), ec.publicKey), false, `first ${length} characters`)
    }
  })

  const others: Readonly<Record<string, string>> = {
    empty: '',
    'two parts': `${head}.${body}`,
    'four parts': `${token}.${mark}`,
    padded: `${token}==`,
    'with other bits at the end of the signature': `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
    'with blanks': ` ${token}`,
    'a header that is a list': `${Buffer.from('[]').toString('base64url')}.${body}.${mark}`,
    'claims that are null': `${head}.${Buffer.from('null').toString('base64url')}.${mark}`,
    'claims that are no UTF-8': `${head}.${Buffer.from([0x22, 0xff, 0x22]).toString('base64url')}.${mark}`,
    'something critical': ec.token(claims, { crit: ['exp'], exp: 1 }),
    'longer than eight kibibytes': ec.token({ ...claims, more: 'x'.repeat(8_192) }),
  }
  for (const [name, text] of Object.entries(others)) {
    test(name, () => assert.equal(accepts(text, ec.publicKey), false))
  }

  test('names that every object inherits are not claims', () => {
    assert.equal(readToken(token)?.keyId, 'ec')
    assert.equal(readToken(compact({ alg: 'ES256' }, claims, () => Buffer.from('x')))?.keyId, undefined)
  })
})

test('a token that was altered anywhere is refused, and none makes the reader fail', () => {
  const seed = Date.now() % 1_000_000
  const random = new Seeded(seed)
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \u00e4\u0000'
  const token = ec.token(claims)
  for (let i = 0; i < 2_000; i++) {
    const letters = [...token]
    for (let edits = 1 + random.below(3); edits > 0; edits--) {
      letters.splice(random.below(letters.length), random.below(3), random.pick([...characters]))
    }
    const altered = letters.join('')
    if (altered !== token) assert.equal(accepts(altered, ec.publicKey), false, `seed ${seed}: ${altered}`)
  }
})
