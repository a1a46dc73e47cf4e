import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostAddress, isForbiddenAddress } from './forbidden-addresses.ts'

const refused = [
  'http://169.254.169.254/latest/meta-data',
  'http://2852039166/',
  'http://0xa9.0xfe.0xa9.0xfe/',
  'http://0251.0376.0251.0376/',
  'http://169.254.43518/',
  'http://[::ffff:169.254.169.254]/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[64:ff9b::169.254.169.254]/',
  'http://[fe80::1]/',
  'http://[febf::1]/',
  'http://[fd00:ec2::254]/',
  'http://[::]/',
  'http://0.0.0.0/',
  'http://0/',
  'http://224.0.0.251/',
  'http://[ff02::fb]/',
]

for (const url of refused) {
  test(`${url} is forbidden`, () => assert.equal(isForbiddenAddress(hostAddress(new URL(url))), true))
}

const accepted = [
  'https://idp.example.com/jwks',
  'https://127.0.0.1:1399/jwks',
  'https://[::1]/',
  'https://10.0.0.1/',
  'https://[fd00::1]/',
  'https://[2001:db8::1]/',
  'https://169.253.0.1/',
  'https://169.255.0.1/',
]

for (const url of accepted) {
  test(`${url} is not`, () => assert.equal(isForbiddenAddress(hostAddress(new URL(url))), false))
}
