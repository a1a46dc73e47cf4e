import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CertificateAuthority, generatePrivateKey, publicKeyOf } from '@weft/pki'
import type { NetworkAuthorities } from '../auth/certificate-trust.ts'
import { LeafTrust } from './leaf-trust.ts'

const HOUR = 60 * 60_000

async function newNetwork(now: number) {
  const clock = { now: () => now }
  const request = { subject: { commonName: 'root' }, trustDomain: 'weft.example' }
  const root = await CertificateAuthority.createRoot(request, { clock })
  const intermediate = await root.createIntermediate({ subject: { commonName: 'intermediate' } })
  const publicKey = publicKeyOf(await generatePrivateKey('P-256'))
  const leaf = intermediate.issueClientCertificate({ subject: { commonName: 'r1' }, publicKey }).certificate
  return { roots: [root.certificate], between: [intermediate.certificate.der], leaf }
}

test('a leaf is trusted by what is sent along, and for a while without it', async () => {
  let now = Date.now()
  const { roots, between, leaf } = await newNetwork(now)
  const network: NetworkAuthorities = { roots, intermediates: [] }
  const trust = new LeafTrust({ network: () => network, clock: { now: () => now } })
  assert.throws(() => trust.check(leaf.der, []), { name: 'HelloRefusal' })
  trust.check(leaf.der, between)
  trust.check(leaf.der, [])
  now += HOUR
  assert.throws(() => trust.check(leaf.der, []), { name: 'HelloRefusal' })
  trust.check(leaf.der, between)
})

test('other authorities judge anew, and a leaf that has expired is not trusted because it was', async () => {
  let now = Date.now()
  const { roots, between, leaf } = await newNetwork(now)
  const stranger = await newNetwork(now)
  let network: NetworkAuthorities = { roots, intermediates: [] }
  const trust = new LeafTrust({ network: () => network, clock: { now: () => now } })
  trust.check(leaf.der, between)
  network = { roots: stranger.roots, intermediates: [] }
  assert.throws(() => trust.check(leaf.der, between), { name: 'HelloRefusal' })
  network = { roots, intermediates: [] }
  now = leaf.notAfter - 1_000
  trust.check(leaf.der, between)
  now = leaf.notAfter + 1_000
  assert.throws(() => trust.check(leaf.der, between), { name: 'HelloRefusal' })
})

test('bytes that are no certificate are refused', () => {
  const network: NetworkAuthorities = { roots: [], intermediates: [] }
  const trust = new LeafTrust({ network: () => network, clock: Date })
  assert.throws(() => trust.check(Buffer.from('nothing'), []), { name: 'HelloRefusal', message: /cannot be read/ })
})
