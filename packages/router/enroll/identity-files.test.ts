import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assembleIdentity } from '@weft/model/config-sections'
import { identityFilesOf } from './identity-files.ts'

const usual = { cert: 'r.cert', key: 'r.key', ca: 'r.cas', serverCert: 'r.server.cert', serverKey: undefined }
const files = (changes: Partial<Record<keyof typeof usual, string>> = {}) =>
  identityFilesOf(assembleIdentity({ ...usual, ...changes, altServerCerts: undefined }), '/home/r1')

test('paths are relative to the working directory, with or without file:', () => {
  assert.deepEqual(files(), {
    key: '/home/r1/r.key',
    cert: '/home/r1/r.cert',
    serverCert: '/home/r1/r.server.cert',
    ca: '/home/r1/r.cas',
  })
  assert.equal(files({ key: 'file:keys/r.key' }).key, '/home/r1/keys/r.key')
  assert.equal(files({ key: 'file:///etc/r.key' }).key, '/etc/r.key')
  assert.equal(files({ serverKey: 'file:r.key' }).key, '/home/r1/r.key', 'the same file by another name')
})

for (const [what, changes, code, message] of [
  ['a key in place', { key: 'pem:abc' }, 'NOT_A_FILE', /^identity\.key is not the path/],
  ['a key in an engine', { key: 'pkcs11:slot=1' }, 'NOT_A_FILE', /^identity\.key/],
  ['a certificate in place', { cert: '-----BEGIN CERTIFICATE-----' }, 'NOT_A_FILE', /^identity\.cert/],
  [
    'one file for two certificates',
    { serverCert: './r.cert' },
    'SHARED_FILE',
    /^identity\.server_cert needs a file of its own, other than that of identity\.cert/,
  ],
  ['two keys', { serverKey: 'other.key' }, 'SHARED_FILE', /^identity\.server_key .* a router has one key/],
] as const) {
  test(`${what} is refused`, () => {
    assert.throws(
      () => files(changes),
      (error: Error & { code?: string }) => error.code === code && message.test(error.message),
    )
  })
}
