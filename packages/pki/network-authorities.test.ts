import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Certificate } from './certificates.ts'
import { parseCertificates } from './certificates.ts'
import { gatherAuthorities } from './network-authorities.ts'
import { makeNetwork, type TestNetwork } from './testing/network.ts'

let network: TestNetwork
let other: TestNetwork

before(async () => {
  network = await makeNetwork()
  other = await makeNetwork('other.example')
})

const namesOf = (certificates: readonly Certificate[]) => certificates.map(({ commonName }) => commonName)

test('authorities of all sources stand there once, sorted into roots and intermediates', () => {
  const { certificate: leaf } = network.intermediate.issueClientCertificate({
    subject: { commonName: 'leaf' },
    publicKey: network.publicKey,
  })
  const pool = gatherAuthorities(
    [network.root.certificate, leaf],
    [network.intermediate.certificate],
    new Set([network.root.certificate, other.root.certificate]),
  )
  assert.deepEqual(namesOf(pool.all), ['weft.example root', 'weft.example ca', 'other.example root'])
  assert.deepEqual(namesOf(pool.roots), ['weft.example root', 'other.example root'])
  assert.deepEqual(namesOf(pool.intermediates), ['weft.example ca'])
  assert.deepEqual(namesOf(parseCertificates(pool.pem)), namesOf(pool.all))
})

test('an intermediate without its issuer is where trust ends', () => {
  const pool = gatherAuthorities([network.intermediate.certificate], [other.root.certificate])
  assert.deepEqual(namesOf(pool.roots), ['weft.example ca', 'other.example root'])
  assert.deepEqual(pool.intermediates, [])
})

test('a namesake of the issuer is not the issuer', async () => {
  const namesake = await makeNetwork()
  const pool = gatherAuthorities([namesake.root.certificate, network.intermediate.certificate])
  assert.deepEqual(pool.intermediates, [])
})
