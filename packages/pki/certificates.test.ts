import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  Certificate,
  encodeCertificates,
  parseCertificates,
  parseLeafCertificate,
  uniqueCertificates,
} from './certificates.ts'
import { derTag, element, objectIdentifier, octetString, sequence } from './der.ts'
import { encodeName } from './distinguished-name.ts'
import { basicConstraints } from './extensions.ts'
import { encodePrivateKey } from './keys.ts'
import { encodePem } from './pem.ts'
import { PkiError } from './pki-error.ts'
import { signCertificate } from './sign-certificate.ts'
import { makeNetwork, noon, type TestNetwork } from './testing/network.ts'
import { openssl, opensslMissing } from './testing/openssl.ts'

let network: TestNetwork
let leaf: Certificate

before(async () => {
  network = await makeNetwork()
  leaf = network.intermediate.issue({
    subject: { organization: 'Weft', commonName: 'Größe, mit Komma' },
    publicKey: network.publicKey,
    purposes: ['serverAuth', 'clientAuth'],
    names: {
      dns: ['ctrl.example.com', '*.weft.example'],
      ip: ['10.1.2.3', '2001:db8::1'],
      email: ['ops@example.com'],
      uri: ['spiffe://weft.example/controller/ctrl1', 'https://example.com/a,b'],
    },
  }).certificate
})

/** A certificate signed with the network's key that carries exactly the given extensions. */
function withExtensions(...extensions: Buffer[]): Buffer {
  const name = encodeName({ commonName: 'odd' })
  const publicKeyInfo = network.publicKey.export({ type: 'spki', format: 'der' })
  const draft = { issuer: name, subject: name, notBefore: noon, notAfter: noon + 1000, publicKeyInfo, extensions }
  return signCertificate(draft, network.key).der
}

function altNames(...names: Buffer[]): Buffer {
  return sequence(objectIdentifier('2.5.29.17'), octetString(sequence(...names)))
}

test('tells the subject, the names one by one, the constraints and the validity', () => {
  const read = parseLeafCertificate(leaf.pem)
  assert.equal(read.commonName, 'Größe, mit Komma')
  assert.deepEqual(read.names, {
    dns: ['ctrl.example.com', '*.weft.example'],
    ip: ['10.1.2.3', '2001:db8::1'],
    email: ['ops@example.com'],
    uri: ['spiffe://weft.example/controller/ctrl1', 'https://example.com/a,b'],
  })
  assert.equal(read.isCa, false)
  assert.equal(read.isSelfSigned, false)
  assert.equal(read.notBefore, noon - 5 * 60_000)
  assert.equal(new Date(read.notAfter).toISOString(), '2027-06-01T12:00:00.000Z')
  assert.match(read.fingerprint, /^[0-9a-f]{40}$/)
  assert.deepEqual([network.root.certificate.isCa, network.root.certificate.isSelfSigned], [true, true])
  assert.equal(network.intermediate.certificate.content.pathLength, 0)
})

test('the fingerprint is the one openssl prints', { skip: opensslMissing }, () => {
  const printed = openssl(['x509', '-noout', '-fingerprint', '-sha1'], { input: leaf.pem })
  assert.equal(printed.split('=')[1]!.trim().replaceAll(':', '').toLowerCase(), leaf.fingerprint)
})

test('covers the hosts that clients may dial, and no others', () => {
  for (const host of [
    'ctrl.example.com',
    'CTRL.example.com',
    'a.weft.example',
    '10.1.2.3',
    '2001:db8::1',
    '[2001:db8:0::1]',
  ]) {
    assert.equal(leaf.coversHost(host), true, host)
  }
  for (const host of ['example.com', 'a.b.weft.example', '10.1.2.4', '::1', 'Größe, mit Komma', '']) {
    assert.equal(leaf.coversHost(host), false, host)
  }
})

test('reads a chain in order, writes it back, and drops repetitions', () => {
  const chain = [leaf, network.intermediate.certificate, network.root.certificate]
  const read = parseCertificates(encodeCertificates(chain))
  assert.deepEqual(
    read.map((certificate) => certificate.fingerprint),
    chain.map((certificate) => certificate.fingerprint),
  )
  assert.equal(uniqueCertificates([...chain, ...read]).length, 3)
})

test('"not PEM", "wrong block type" and "bad DER" are told apart', () => {
  assert.throws(() => parseCertificates('MIIB'), { code: 'NOT_PEM' })
  assert.throws(() => parseCertificates(encodePrivateKey(network.key)), { code: 'WRONG_BLOCK_TYPE' })
  assert.throws(() => parseCertificates(leaf.pem + encodePrivateKey(network.key)), { code: 'WRONG_BLOCK_TYPE' })
  assert.throws(() => parseCertificates(encodePem('CERTIFICATE', Buffer.from('hello'))), { code: 'BAD_DER' })
})

test('an error never repeats the key it met', () => {
  const pem = encodePrivateKey(network.key)
  assert.throws(
    () => parseCertificates(pem),
    (error: Error) => !error.message.includes(pem.split('\n')[1]!),
  )
})

test('every truncation of the DER is refused', () => {
  for (let length = 0; length < leaf.der.length; length++) {
    assert.throws(() => Certificate.fromDer(leaf.der.subarray(0, length)), { code: 'BAD_DER' }, `${length} octets`)
  }
})

test('bytes after the certificate, and PEM in place of DER, are refused', () => {
  assert.throws(() => Certificate.fromDer(Buffer.concat([leaf.der, Buffer.of(0)])), { code: 'BAD_DER' })
  assert.throws(() => Certificate.fromDer(Buffer.concat([leaf.der, leaf.der])), { code: 'BAD_DER' })
  assert.throws(() => Certificate.fromDer(Buffer.from(leaf.pem)), { code: 'BAD_DER' })
})

test('a certificate with any one octet changed is read or refused, and nothing else happens', () => {
  for (let at = 0; at < leaf.der.length; at++) {
    for (const mask of [0x01, 0x80, 0xff]) {
      const mutant = Buffer.from(leaf.der)
      mutant[at]! ^= mask
      try {
        const read = Certificate.fromDer(mutant)
        assert.equal(typeof read.commonName, 'string')
        read.coversHost('ctrl.example.com')
        void read.isSelfSigned
      } catch (error) {
        assert.ok(error instanceof PkiError && error.code === 'BAD_DER', `octet ${at} ^ ${mask}: ${error}`)
      }
    }
  }
})

const odd: Record<string, () => Buffer> = {
  'the same extension twice': () => withExtensions(basicConstraints({ isCa: false }), basicConstraints({ isCa: true })),
  'an address of five octets': () => withExtensions(altNames(element(0x87, Buffer.alloc(5)))),
  'a DNS name with a NUL': () => withExtensions(altNames(element(0x82, Buffer.from('good.example\0.evil.example')))),
  'a DNS name that is not ASCII': () => withExtensions(altNames(element(0x82, Buffer.from('münchen')))),
  'more than a thousand names': () =>
    withExtensions(altNames(...Array.from({ length: 1001 }, () => element(0x82, Buffer.of(97))))),
  'a negative path length': () =>
    withExtensions(
      sequence(
        objectIdentifier('2.5.29.19'),
        octetString(sequence(element(derTag.boolean, Buffer.of(0xff)), element(derTag.integer, Buffer.of(0xff)))),
      ),
    ),
}
for (const [name, make] of Object.entries(odd)) {
  test(`refuses ${name}`, () => {
    assert.throws(make, { code: 'BAD_DER' })
  })
}

test('names of other kinds are passed over', () => {
  const read = Certificate.fromDer(
    withExtensions(altNames(element(0x88, Buffer.of(42)), element(0x82, Buffer.from('a')))),
  )
  assert.deepEqual(read.names, { dns: ['a'], ip: [], email: [], uri: [] })
})
