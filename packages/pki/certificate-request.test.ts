import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { CertificateRequest, extensionRequestId, parseCertificateRequest } from './certificate-request.ts'
import { bitString, contextTag, derTag, element, integer, objectIdentifier, sequence, set } from './der.ts'
import { encodeName } from './distinguished-name.ts'
import { subjectAltName } from './extensions.ts'
import { generatePrivateKey, type KeyKind, publicKeyOf } from './keys.ts'
import { decodePem, encodePem } from './pem.ts'
import { PkiError } from './pki-error.ts'
import { signCertificateRequest } from './sign-certificate-request.ts'
import { openssl, opensslMissing, temporaryDirectory } from './testing/openssl.ts'

/** As the stock enroller sends it: P-384, `C=US, O=NetFoundry, CN=<identity id>`, no names. */
const stockRequest = `-----BEGIN CERTIFICATE REQUEST-----
MIIBLzCBtgIBADA3MQswCQYDVQQGEwJVUzETMBEGA1UEChMKTmV0Rm91bmRyeTET
MBEGA1UEAxMKMmE1WnBVcUw0azB2MBAGByqGSM49AgEGBSuBBAAiA2IABPs/kBGr
4fL53oZhTEX4GtAAft5+PyHxhA6RfmghU9UaZ/NtThUOC7TWj6MTf424UA5hsycF
nQ65WZg7A3lWYx/HHsETvO2uRKiLoljCTw57AEqE7ZcTSG31pVP6BoJyZqAAMAoG
CCqGSM49BAMDA2gAMGUCMHfOcMBvWyT5jK93fxFtCjieO9gtiMZmdJag5nbIq+/9
kTQaXbPm3X9wNGsQo6ZQlwIxANhD8v2PGxa6JF3x8ZQCppIT20RihpFeJIMQmNpD
xAzggOtOre8dLEIii5wUAVyKJw==
-----END CERTIFICATE REQUEST-----
`

const names = {
  dns: ['er1.weft.example', 'localhost'],
  ip: ['127.0.0.1', '::1'],
  email: ['ops@weft.example'],
  uri: ['https://er1.weft.example/x'],
}
let key: KeyObject
let der: Buffer

before(async () => {
  key = await generatePrivateKey('P-256')
  der = derOf(signCertificateRequest({ subject: { organization: 'Weft', commonName: 'r1' }, key, names }))
})

function derOf(pem: string): Buffer {
  return decodePem(pem)[0]!.der
}

interface Draft {
  version?: Buffer
  subject?: Buffer
  publicKeyInfo?: Buffer
  attributes?: Buffer[]
  algorithm?: Buffer
  digest?: string | null
  signer?: KeyObject
}

/** A request that nobody here would make, signed all the same. */
function forged(draft: Draft): Buffer {
  const signer = draft.signer ?? key
  const info = sequence(
    draft.version ?? integer(Buffer.of(0)),
    draft.subject ?? encodeName({ commonName: 'x' }),
    draft.publicKeyInfo ?? publicKeyOf(signer).export({ type: 'spki', format: 'der' }),
    element(contextTag(0, 'constructed'), ...(draft.attributes ?? [])),
  )
  const algorithm = draft.algorithm ?? sequence(objectIdentifier('1.2.840.10045.4.3.2'))
  const digest = draft.digest === undefined ? 'sha256' : draft.digest
  return sequence(info, algorithm, bitString(sign(digest, info, signer)))
}

function refusalOf(bytes: Uint8Array): string {
  try {
    CertificateRequest.fromDer(bytes)
    return 'accepted'
  } catch (error) {
    if (!(error instanceof PkiError)) throw error
    return error.code
  }
}

for (const kind of ['P-256', 'P-384', 'RSA-2048'] as KeyKind[]) {
  test(`what is written under ${kind} reads back`, async () => {
    const own = await generatePrivateKey(kind)
    const subject = { country: 'US', province: 'NC', locality: 'Aachen', organization: 'Ä', commonName: 'r1' }
    const request = parseCertificateRequest(signCertificateRequest({ subject, key: own, names }))
    assert.equal(request.commonName, 'r1')
    assert.deepEqual(request.names, names)
    assert.deepEqual(request.subject, encodeName(subject))
    assert.ok(request.publicKey.equals(publicKeyOf(own)))
  })
}

test('a request of the stock enroller is read', () => {
  const request = parseCertificateRequest(stockRequest)
  assert.equal(request.commonName, '2a5ZpUqL4k')
  assert.equal(request.publicKey.asymmetricKeyDetails?.namedCurve, 'secp384r1')
  assert.deepEqual(request.names, { dns: [], ip: [], email: [], uri: [] })
})

test('openssl verifies our requests and reads the names', { skip: opensslMissing }, () => {
  const text = openssl(['req', '-verify', '-noout', '-text'], { input: encodePem('CERTIFICATE REQUEST', der) })
  assert.match(text, /self-signature verify OK/)
  assert.match(text, /Subject: O\s*=\s*Weft, CN\s*=\s*r1\n/)
  assert.match(text, /DNS:er1\.weft\.example, DNS:localhost, IP Address:127\.0\.0\.1, .*email:ops@weft\.example/)
})

for (const [kind, ...newKey] of [
  ['secp521r1', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-521', '-sha512'],
  ['ed25519', '-newkey', 'ed25519'],
  ['rsa', '-newkey', 'rsa:2048', '-sha384'],
]) {
  test(`reads what openssl asks for with a key of type ${kind}`, { skip: opensslMissing }, () => {
    using home = temporaryDirectory()
    const asked = ['-subj', '/O=Peer/CN=peer', '-addext', 'subjectAltName=DNS:a.example,URI:spiffe://t/identity/i']
    const out = ['-nodes', '-keyout', 'key', '-out', 'csr']
    openssl(['req', '-new', ...newKey, ...asked, ...out, '-addext', 'keyUsage=keyCertSign'], { cwd: home.path })
    const request = parseCertificateRequest(readFileSync(join(home.path, 'csr'), 'utf8'))
    const { asymmetricKeyType, asymmetricKeyDetails } = request.publicKey
    assert.equal(asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType, kind)
    assert.deepEqual([request.commonName, request.names.uri], ['peer', ['spiffe://t/identity/i']])
  })
}

test('every truncation and every flipped bit is refused', () => {
  for (let length = 0; length < der.length; length++) assert.notEqual(refusalOf(der.subarray(0, length)), 'accepted')
  for (let bit = 0; bit < der.length * 8; bit++) {
    const bent = Buffer.from(der)
    bent[bit >> 3]! ^= 1 << (bit & 7)
    assert.notEqual(refusalOf(bent), 'accepted', `bit ${bit}`)
  }
})

test('a signature of another key proves nothing', async () => {
  const publicKeyInfo = publicKeyOf(await generatePrivateKey('P-256')).export({ type: 'spki', format: 'der' })
  assert.equal(refusalOf(forged({ publicKeyInfo })), 'CSR_NOT_SIGNED')
})

test('the PEM holds one request and nothing else', () => {
  const pem = encodePem('CERTIFICATE REQUEST', der)
  assert.equal(parseCertificateRequest(`\n${pem}\n`).commonName, 'r1')
  for (const [text, code] of [
    [pem + pem, 'TOO_MANY_BLOCKS'],
    [encodePem('CERTIFICATE', der), 'WRONG_BLOCK_TYPE'],
    [encodePem('NEW CERTIFICATE REQUEST', der), 'WRONG_BLOCK_TYPE'],
    ['', 'NOT_PEM'],
    ['junk', 'NOT_PEM'],
    [pem.slice(0, -30), 'NOT_PEM'],
    [pem.repeat(1000), 'INPUT_TOO_LARGE'],
    [encodePem('CERTIFICATE REQUEST', Buffer.concat([der, Buffer.of(5, 0)])), 'BAD_CSR'],
    [encodePem('CERTIFICATE REQUEST', Buffer.from('hello')), 'BAD_CSR'],
  ] as const) {
    assert.throws(() => parseCertificateRequest(text), { code }, JSON.stringify(text.slice(0, 40)))
  }
})

test('keys that are too small, too large, on other curves or of other kinds are refused', () => {
  const rsa = (bits: number, publicExponent = 65_537) =>
    generateKeyPairSync('rsa', { modulusLength: bits, publicExponent }).privateKey
  const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey
  const rs256 = sequence(objectIdentifier('1.2.840.113549.1.1.11'), element(derTag.null))
  assert.equal(refusalOf(forged({ signer: rsa(1024), algorithm: rs256 })), 'UNSUPPORTED_KEY')
  assert.equal(refusalOf(forged({ signer: ec('secp224r1') })), 'UNSUPPORTED_KEY')
  assert.equal(refusalOf(forged({ signer: ec('secp256k1') })), 'UNSUPPORTED_KEY')
  assert.equal(refusalOf(forged({ signer: generateKeyPairSync('ed448').privateKey, digest: null })), 'UNSUPPORTED_KEY')
  const huge = sequence(
    sequence(objectIdentifier('1.2.840.113549.1.1.1'), element(derTag.null)),
    bitString(sequence(integer(Buffer.alloc(2048, 0xff)), integer(Buffer.of(1, 0, 1)))),
  )
  assert.equal(refusalOf(forged({ publicKeyInfo: huge, algorithm: rs256 })), 'UNSUPPORTED_KEY')
})

test('an RSA key whose every check would cost as much as a signature is refused', () => {
  const { n } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
  const modulus = integer(Buffer.from(n!, 'base64url'))
  for (const exponent of [Buffer.alloc(256, 0x7f), Buffer.of(1), Buffer.of(1, 0, 0), Buffer.of(0x80, 0, 0, 1)]) {
    const algorithm = sequence(objectIdentifier('1.2.840.113549.1.1.1'), element(derTag.null))
    const publicKeyInfo = sequence(algorithm, bitString(sequence(modulus, integer(exponent))))
    assert.match(refusalOf(forged({ publicKeyInfo })), /UNSUPPORTED_KEY|BAD_CSR/, exponent.toString('hex'))
  }
})

test('EC keys with parameters of their own, and points that are not written in full, are refused', {
  skip: opensslMissing,
}, () => {
  using home = temporaryDirectory()
  const cwd = home.path
  for (const form of [
    ['-param_enc', 'explicit'],
    ['-conv_form', 'compressed'],
  ]) {
    openssl(['ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'plain'], { cwd })
    openssl(['ec', '-in', 'plain', ...form, '-out', 'key'], { cwd })
    openssl(['req', '-new', '-key', 'key', '-subj', '/CN=x', '-out', 'csr'], { cwd })
    const pem = readFileSync(join(cwd, 'csr'), 'utf8')
    assert.throws(() => parseCertificateRequest(pem), { code: 'UNSUPPORTED_KEY' }, form.join(' '))
  }
})

test('outdated, unknown and foreign signature algorithms are refused', () => {
  const under = (id: string, ...parameters: Buffer[]) => sequence(objectIdentifier(id), ...parameters)
  assert.equal(refusalOf(forged({ algorithm: under('1.2.840.10045.4.1'), digest: 'sha1' })), 'UNSUPPORTED_SIGNATURE')
  assert.equal(refusalOf(forged({ algorithm: under('1.2.3.4') })), 'UNSUPPORTED_SIGNATURE')
  assert.equal(refusalOf(forged({ algorithm: under('1.2.840.113549.1.1.11') })), 'UNSUPPORTED_SIGNATURE')
  const withParameters = under('1.2.840.10045.4.3.2', element(derTag.null))
  assert.equal(refusalOf(forged({ algorithm: withParameters })), 'UNSUPPORTED_SIGNATURE')
})

test('malformed parts are refused although the signature is right', () => {
  const ask = (...values: Buffer[]) => sequence(objectIdentifier(extensionRequestId), set(...values))
  const wanted = ask(sequence(subjectAltName({ dns: ['a.example'] })))
  const san = (...general: Buffer[]) => {
    const value = element(derTag.octetString, sequence(...general))
    return ask(sequence(sequence(objectIdentifier('2.5.29.17'), value)))
  }
  const cases: Record<string, Draft> = {
    'another version': { version: integer(Buffer.of(1)) },
    'a subject that is no sequence': { subject: set() },
    'a name without a value': { subject: sequence(set(sequence(objectIdentifier('2.5.4.3')))) },
    'a common name that is not UTF-8': {
      subject: sequence(set(sequence(objectIdentifier('2.5.4.3'), element(derTag.utf8String, Buffer.of(0xff))))),
    },
    'extensions asked for twice': { attributes: [wanted, wanted] },
    'two lists of extensions': { attributes: [ask(sequence(), sequence())] },
    'no list of extensions': { attributes: [ask()] },
    'one extension twice': {
      attributes: [ask(sequence(subjectAltName({ dns: ['a'] }), subjectAltName({ dns: ['b'] })))],
    },
    'an address of five octets': { attributes: [san(element(contextTag(7, 'primitive'), Buffer.alloc(5)))] },
    'a host name with a null character': {
      attributes: [san(element(contextTag(2, 'primitive'), Buffer.from('a\0b')))],
    },
    'more names than anyone has': {
      attributes: [san(...Array.from({ length: 1001 }, () => element(contextTag(2, 'primitive'), Buffer.from('a'))))],
    },
    'more attributes than anyone has': {
      attributes: Array.from({ length: 65 }, () => sequence(objectIdentifier('1.2.3'), set())),
    },
  }
  assert.equal(CertificateRequest.fromDer(forged({ attributes: [wanted] })).names.dns[0], 'a.example')
  for (const [name, draft] of Object.entries(cases)) assert.equal(refusalOf(forged(draft)), 'BAD_CSR', name)
})

test('what is too large is refused before it is looked at', () => {
  assert.equal(refusalOf(Buffer.alloc(64 * 1024)), 'INPUT_TOO_LARGE')
  const name = element(derTag.utf8String, Buffer.alloc(3000, 'x'))
  const subject = sequence(set(sequence(objectIdentifier('2.5.4.10'), name)))
  assert.equal(refusalOf(forged({ subject })), 'INPUT_TOO_LARGE')
})

test('attributes of other kinds are passed over', () => {
  const challenge = sequence(
    objectIdentifier('1.2.840.113549.1.9.7'),
    set(element(derTag.utf8String, Buffer.from('p'))),
  )
  assert.equal(CertificateRequest.fromDer(forged({ attributes: [challenge] })).commonName, 'x')
})
