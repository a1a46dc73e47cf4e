import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameByFormat } from './identity-name.ts'

const parts = { caName: 'ca', caId: '7', commonName: 'device', requestedName: '', identityId: 'id' }

for (const [format, name] of [
  ['[caName]-[commonName]', 'ca-device'],
  ['[caId] [identityId] [identityId]', '7 id id'],
  ['[requestedName]', ''],
  ['[unknown] fixed', '[unknown] fixed'],
] as const) {
  test(`"${format}" becomes "${name}"`, () => assert.equal(nameByFormat(format, parts), name))
}

test('what a certificate says is not read as a format', () => {
  const hostile = { ...parts, commonName: "[caId]$&$'" }
  assert.equal(nameByFormat('[commonName]!', hostile), "[caId]$&$'!")
})
