import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CertificateAuthority } from '@weft/pki'
import { systemClock } from '../clock.ts'
import { TokenIssuer } from '../testing/token-issuer.ts'
import { readKeySet } from './key-set.ts'

const rsa = TokenIssuer.rsa()
const ec = TokenIssuer.ec()
const { certificate } = await CertificateAuthority.createRoot(
  { subject: { commonName: 'idp' }, trustDomain: 'idp' },
  { clock: systemClock },
)

test('keys are found by their id, with the one algorithm they are for', () => {
  const keys = readKeySet({ keys: [rsa.jwk, ec.jwk] })
  assert.deepEqual([...keys!.keys()], ['rsa', 'ec'])
  const [key] = keys!.get('ec')!
  assert.equal(key!.algorithm, 'ES256')
  assert.ok(key!.key.equals(ec.publicKey))
})

test('keys may share an id', () => {
  const other = TokenIssuer.ec()
  assert.equal(readKeySet({ keys: [ec.jwk, other.jwk] })!.get('ec')!.length, 2)
})

test('a certificate beside a key must be about that very key', () => {
  const x5c = [certificate.der.toString('base64')]
  const { kty } = ec.jwk
  const alone = readKeySet({ keys: [{ kty, kid: 'c', x5c }] })!.get('c')!
  assert.ok(alone[0]!.key.equals(certificate.publicKey))
  assert.equal(readKeySet({ keys: [{ ...ec.jwk, x5c }] })!.size, 0)
})

const leftOut: Readonly<Record<string, unknown>> = {
  'for encryption': { ...ec.jwk, use: 'enc' },
  'for other operations': { ...ec.jwk, key_ops: ['encrypt'] },
  'without an id': { ...ec.jwk, kid: undefined },
  'a shared secret': { kty: 'oct', k: 'c2VjcmV0', kid: 'secret' },
  'of an unknown kind': { kty: 'XYZ', kid: 'new' },
  broken: { ...ec.jwk, x: 'AA' },
  'no object': 7,
}
for (const [name, entry] of Object.entries(leftOut)) {
  test(`left out: ${name}`, () => assert.deepEqual([...readKeySet({ keys: [entry, rsa.jwk] })!.keys()], ['rsa']))
}

test('a private key that was published is read as the public one', () => {
  const published = { ...ec.privateKey.export({ format: 'jwk' }), kid: 'oops' }
  assert.equal(readKeySet({ keys: [published] })!.get('oops')![0]!.key.type, 'public')
})

for (const document of [null, [], {}, { keys: {} }, 'keys', 7]) {
  test(`${JSON.stringify(document)} is no key set`, () => assert.equal(readKeySet(document), undefined))
}
