import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeName } from './distinguished-name.ts'
import { basicConstraints, subjectAltName } from './extensions.ts'
import { signCertificate } from './sign-certificate.ts'
import { makeNetwork, noon } from './testing/network.ts'
import { resolveTrustDomain } from './trust-domain.ts'

const { root, intermediate, key, publicKey } = await makeNetwork()
const { chain } = intermediate.issueServerCertificate({ subject: { commonName: 'c' }, publicKey, hosts: ['localhost'] })

function selfSigned(...extensions: Buffer[]) {
  const name = encodeName({ commonName: 'self' })
  const publicKeyInfo = publicKey.export({ type: 'spki', format: 'der' })
  return signCertificate(
    { issuer: name, subject: name, notBefore: noon, notAfter: noon + 1, publicKeyInfo, extensions },
    key,
  )
}

test('the first SPIFFE id from the leaf upwards decides, before any configuration', () => {
  const evidence = { serverChain: chain, caBundle: [root.certificate], configured: 'other' }
  assert.deepEqual(resolveTrustDomain(evidence), { name: 'weft.example', source: 'certificate' })
})

test('the path continues into the bundle when the chain ends early', () => {
  const evidence = { serverChain: chain.slice(0, 1), caBundle: [root.certificate, intermediate.certificate] }
  assert.deepEqual(resolveTrustDomain(evidence), { name: 'weft.example', source: 'certificate' })
})

test('a stranger in the bundle does not lend its name', async () => {
  const stranger = await makeNetwork('stranger')
  const evidence = { serverChain: [selfSigned()], caBundle: [stranger.root.certificate], configured: 'spiffe://mine' }
  assert.deepEqual(resolveTrustDomain(evidence), { name: 'mine', source: 'configuration' })
})

test('without either the root gives the name', () => {
  const certificate = selfSigned(basicConstraints({ isCa: true }))
  const evidence = { serverChain: [certificate], caBundle: [] }
  assert.deepEqual(resolveTrustDomain(evidence), { name: certificate.fingerprint, source: 'root fingerprint' })
})

test('two SPIFFE ids in one certificate are refused', () => {
  const certificate = selfSigned(subjectAltName({ uri: ['spiffe://a', 'SPIFFE://b'] }))
  assert.throws(() => resolveTrustDomain({ serverChain: [certificate], caBundle: [] }), { code: 'BAD_SPIFFE_ID' })
})
