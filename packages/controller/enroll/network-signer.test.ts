import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CertificateAuthority, parseLeafCertificate } from '@weft/pki'
import { systemClock } from '../clock.ts'
import { ApiError } from '../operation/api-error.ts'
import { newCsr, newKey } from '../testing/enrolling.ts'
import { NetworkSigner } from './network-signer.ts'

async function root(commonName: string) {
  return CertificateAuthority.createRoot({ subject: { commonName }, trustDomain: 'weft' }, { clock: systemClock })
}

function signingWith(authority: CertificateAuthority) {
  return { authority, authorities: [authority.certificate], files: [] }
}

async function newSigner() {
  const first = await root('first')
  const identity = { client: undefined, servers: [], caBundle: [first.certificate], caPem: '', files: [] }
  const signer = new NetworkSigner({ signing: signingWith(first), trustDomain: 'weft', identity, anchors: [] })
  return { first, signer }
}

const wanted = { identityId: 'me', apiSessionId: 'session', certificateId: 'one' }

test('of a request for a session only the key counts', async () => {
  const { signer } = await newSigner()
  const csr = newCsr('somebody else', newKey(), ['spiffe://weft/identity/another'])
  const { certificate, caPem } = signer.issueSessionCertificate({ csr, ...wanted })
  assert.equal(certificate.commonName, 'me')
  assert.deepEqual(certificate.names.uri, ['spiffe://weft/identity/me/apiSession/session/apiSessionCertificate/one'])
  assert.equal(caPem, signer.authorities.pem)
})

test('what is wrong with a request is told', async () => {
  const { signer } = await newSigner()
  for (const csr of ['', 'junk']) {
    assert.throws(
      () => signer.issueSessionCertificate({ csr, ...wanted }),
      (error) => error instanceof ApiError && error.code === 'COULD_NOT_PROCESS_CSR',
    )
  }
})

test('a new signing certificate signs from then on, and the old authority stays known', async () => {
  const { first, signer } = await newSigner()
  const second = await root('second')
  signer.renew(signingWith(second))
  const { certificate } = signer.issueSessionCertificate({ csr: newCsr('x'), ...wanted })
  assert.ok(certificate.x509.verify(second.certificate.publicKey))
  assert.deepEqual(
    signer.authorities.all.map(({ fingerprint }) => fingerprint),
    [first.certificate, second.certificate].map(({ fingerprint }) => fingerprint),
  )
  assert.equal(signer.trusted.roots.length, 2)
  assert.equal(parseLeafCertificate(signer.authorities.pem).commonName, 'first')
})
