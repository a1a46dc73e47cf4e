import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { encodeCaBundle, encodeCaBundleText } from './ca-bundle.ts'
import { makeNetwork, type TestNetwork } from './testing/network.ts'
import { openssl, opensslMissing } from './testing/openssl.ts'

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
