import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { encodeCaBundle, encodeCaBundleText, parseCaBundle, parseCaBundleText } from './ca-bundle.ts'
import type { Certificate } from './certificates.ts'
import { contextTag, element, objectIdentifier, sequence } from './der.ts'
import { PkiError } from './pki-error.ts'
import { makeNetwork, type TestNetwork } from './testing/network.ts'
import { openssl, opensslMissing, temporaryDirectory } from './testing/openssl.ts'

let network: TestNetwork

before(async () => {
  network = await makeNetwork()
})

test('frames the certificates as peers expect them', () => {
  const { der } = network.root.certificate
  const hex = encodeCaBundle([network.root.certificate]).toString('hex')
  const length = (octets: number) => `82${octets.toString(16).padStart(4, '0')}`
  const expected = [
    `30${length(der.length + 45)}06092a864886f70d010702`,
    `a0${length(der.length + 30)}30${length(der.length + 26)}020101`,
    '3100',
    '300b06092a864886f70d010701',
    `a0${length(der.length)}${der.toString('hex')}`,
    'a100',
    '3100',
  ]
  assert.equal(hex, expected.join(''))
})

test('leaves out repetitions and what is not an authority', () => {
  const { certificate } = network.intermediate.issueClientCertificate({
    subject: { commonName: 'leaf' },
    publicKey: network.publicKey,
  })
  const { root, intermediate } = network
  const clean = encodeCaBundle([root.certificate, intermediate.certificate])
  assert.deepEqual(encodeCaBundle([root.certificate, certificate, root.certificate, intermediate.certificate]), clean)
})

test('the text has lines of 64 characters and no newline at the end', () => {
  const text = encodeCaBundleText([network.root.certificate])
  const lines = text.split('\n')
  assert.ok(lines.slice(0, -1).every((line) => line.length === 64))
  assert.ok(lines.at(-1)!.length > 0 && lines.at(-1)!.length <= 64)
  assert.deepEqual(Buffer.from(text, 'base64'), encodeCaBundle([network.root.certificate]))
})

test('openssl reads both certificates back', { skip: opensslMissing }, () => {
  const { root, intermediate } = network
  const input = encodeCaBundle([root.certificate, intermediate.certificate])
  const printed = openssl(['pkcs7', '-inform', 'DER', '-print_certs'], { input })
  for (const { pem } of [root.certificate, intermediate.certificate]) assert.ok(printed.includes(pem))
  assert.match(openssl(['pkcs7', '-inform', 'DER', '-print_certs'], { input: encodeCaBundle([]) }), /^\s*$/)
})

const printsOf = (certificates: readonly Certificate[]) => certificates.map(({ fingerprint }) => fingerprint)

test('what was written reads back, in lines of any length', () => {
  const authorities = [network.root.certificate, network.intermediate.certificate]
  const text = encodeCaBundleText(authorities)
  for (const form of [text, text.replaceAll('\n', ''), text.replaceAll('\n', '\r\n'), `\n${text}\n`]) {
    assert.deepEqual(printsOf(parseCaBundleText(form)), printsOf(authorities))
  }
})

test('a bundle made by openssl is read, and what is no authority is left out', { skip: opensslMissing }, () => {
  using home = temporaryDirectory()
  const { certificate } = network.intermediate.issueClientCertificate({
    subject: { commonName: 'leaf' },
    publicKey: network.publicKey,
  })
  writeFileSync(join(home.path, 'certs'), certificate.pem + network.intermediate.certificate.pem)
  const args = ['crl2pkcs7', '-nocrl', '-certfile', 'certs', '-outform', 'DER', '-out', 'bundle']
  openssl(args, { cwd: home.path })
  const text = openssl(['base64', '-in', 'bundle'], { cwd: home.path })
  assert.deepEqual(printsOf(parseCaBundleText(text)), [network.intermediate.certificate.fingerprint])
})

test('every truncation is refused, and no damage ends in anything but a refusal', () => {
  const der = encodeCaBundle([network.root.certificate])
  for (let length = 0; length < der.length; length++) {
    assert.throws(() => parseCaBundle(der.subarray(0, length)), { code: 'BAD_CA_BUNDLE' }, `${length} octets`)
  }
  for (let at = 0; at < der.length; at++) {
    const bent = Buffer.from(der)
    bent[at]! ^= 0xff
    try {
      parseCaBundle(bent)
    } catch (error) {
      assert.ok(error instanceof PkiError, String(error))
    }
  }
})

test('what is no bundle, empty, or larger than any trust store is refused', () => {
  const { certificate } = network.intermediate.issueClientCertificate({
    subject: { commonName: 'leaf' },
    publicKey: network.publicKey,
  })
  const data = sequence(objectIdentifier('1.2.840.113549.1.7.1'), element(contextTag(0, 'constructed'), sequence()))
  for (const bytes of [encodeCaBundle([]), encodeCaBundle([certificate]), network.root.certificate.der, data]) {
    assert.throws(() => parseCaBundle(bytes), { code: 'BAD_CA_BUNDLE' })
  }
  assert.throws(() => parseCaBundleText('<html></html>'), { code: 'BAD_CA_BUNDLE' })
  assert.throws(() => parseCaBundleText(''), { code: 'BAD_CA_BUNDLE' })
  assert.throws(() => parseCaBundle(Buffer.alloc(1024 * 1024 + 1)), { code: 'INPUT_TOO_LARGE' })
  assert.throws(() => parseCaBundleText('A'.repeat(3 * 1024 * 1024)), { code: 'INPUT_TOO_LARGE' })
})
