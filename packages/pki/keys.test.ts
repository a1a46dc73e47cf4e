import assert from 'node:assert/strict'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import {
  encodePrivateKey,
  generatePrivateKey,
  type KeyKind,
  keyMatchesCertificate,
  parsePrivateKey,
  publicKeyOf,
  tokenAlgorithmOf,
} from './keys.ts'
import { encodePem } from './pem.ts'
import { makeNetwork } from './testing/network.ts'
import { openssl, opensslMissing } from './testing/openssl.ts'

for (const [kind, algorithm] of [
  ['P-256', 'ES256'],
  ['P-384', 'ES384'],
  ['P-521', 'ES512'],
  ['RSA-2048', 'RS256'],
] as [KeyKind, string][]) {
  test(`a ${kind} key signs tokens with ${algorithm} and survives PKCS#8`, async () => {
    const key = await generatePrivateKey(kind)
    assert.equal(tokenAlgorithmOf(key), algorithm)
    assert.equal(tokenAlgorithmOf(publicKeyOf(key)), algorithm)
    const pem = encodePrivateKey(key)
    assert.match(pem, /^-----BEGIN PRIVATE KEY-----\n/)
    assert.ok(parsePrivateKey(pem).equals(key))
  })
}

test('P-521 keys are read and sign with ES512; other curves and kinds have no algorithm', () => {
  assert.equal(tokenAlgorithmOf(generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey), 'ES512')
  for (const { privateKey } of [
    generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
    generateKeyPairSync('ed25519'),
    generateKeyPairSync('x25519'),
  ]) {
    assert.throws(() => tokenAlgorithmOf(privateKey), { code: 'UNSUPPORTED_KEY' })
  }
})

test('reads SEC1 and PKCS#1 as the platform writes them', () => {
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  assert.ok(parsePrivateKey(ec.export({ type: 'sec1', format: 'pem' }) as string).equals(ec))
  assert.ok(parsePrivateKey(rsa.export({ type: 'pkcs1', format: 'pem' }) as string).equals(rsa))
})

test('reads what openssl writes, curve parameters in front included', { skip: opensslMissing }, () => {
  const sec1 = openssl(['ecparam', '-name', 'secp384r1', '-genkey'])
  assert.match(sec1, /EC PARAMETERS[\s\S]*EC PRIVATE KEY/)
  assert.equal(tokenAlgorithmOf(parsePrivateKey(sec1)), 'ES384')
  const pkcs8 = openssl(['pkcs8', '-topk8', '-nocrypt'], { input: sec1 })
  assert.ok(parsePrivateKey(pkcs8).equals(parsePrivateKey(sec1)))
})

test('refuses what it cannot use, and says which', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const good = encodePrivateKey(privateKey)
  const encrypted = { format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const
  const der = privateKey.export({ type: 'pkcs8', format: 'der' })
  const cases: [text: string, code: string][] = [
    ['', 'NOT_PEM'],
    ['x'.repeat(100_000), 'INPUT_TOO_LARGE'],
    [publicKey.export({ type: 'spki', format: 'pem' }) as string, 'WRONG_BLOCK_TYPE'],
    [good + good, 'TOO_MANY_BLOCKS'],
    [privateKey.export({ type: 'pkcs8', ...encrypted }) as string, 'ENCRYPTED_KEY'],
    [privateKey.export({ type: 'sec1', ...encrypted }) as string, 'ENCRYPTED_KEY'],
    [encodePem('PRIVATE KEY', der.subarray(0, 50)), 'BAD_KEY'],
    [encodePem('PRIVATE KEY', Buffer.from('hello')), 'BAD_KEY'],
    [encodePem('RSA PRIVATE KEY', der.subarray(10)), 'BAD_KEY'],
    [encodePem('OPENSSH PRIVATE KEY', der), 'UNSUPPORTED_KEY'],
  ]
  for (const [text, code] of cases) assert.throws(() => parsePrivateKey(text), { code }, code)
})

test('a key belongs to a certificate only if its signatures verify under it', async () => {
  const { intermediate, key, publicKey } = await makeNetwork()
  const { certificate } = intermediate.issueClientCertificate({ subject: { commonName: 'x' }, publicKey })
  assert.equal(keyMatchesCertificate(key, certificate), true)
  assert.equal(keyMatchesCertificate(await generatePrivateKey('P-256'), certificate), false)
  assert.equal(keyMatchesCertificate(await generatePrivateKey('P-384'), certificate), false)
  assert.equal(keyMatchesCertificate(await generatePrivateKey('RSA-2048'), certificate), false)
})

test('a key file that names a public half which is not its own does not match the certificate of that half', async () => {
  const { intermediate, key, publicKey } = await makeNetwork()
  const { certificate } = intermediate.issueClientCertificate({ subject: { commonName: 'x' }, publicKey })
  const own = key.export({ type: 'sec1', format: 'der' })
  const foreign = (await generatePrivateKey('P-256')).export({ type: 'sec1', format: 'der' })
  // SEC1 of P-256: the 32 private octets start at offset 7; the public half stands at the end.
  const liar = Buffer.concat([own.subarray(0, 7), foreign.subarray(7, 39), own.subarray(39)])
  try {
    const read = createPrivateKey({ key: liar, format: 'der', type: 'sec1' })
    assert.equal(keyMatchesCertificate(read, certificate), false)
  } catch (error) {
    // A platform that checks the halves against each other while reading is just as good.
    assert.match(String(error), /inconsistent|invalid|unsupported|DECODER/i)
  }
})
