import assert from 'node:assert/strict'
import type { KeyObject } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { CertificateAuthority } from './authority.ts'
import { type CertificateRequest, parseCertificateRequest } from './certificate-request.ts'
import type { Certificate } from './certificates.ts'
import type { DistinguishedName } from './distinguished-name.ts'
import { EnrollmentIssuer } from './enrollment-issuer.ts'
import type { AlternativeNames } from './extensions.ts'
import { generatePrivateKey, keyMatchesCertificate } from './keys.ts'
import { signCertificateRequest } from './sign-certificate-request.ts'
import { makeNetwork, noon, noonClock, type TestNetwork } from './testing/network.ts'
import { openssl, opensslMissing, temporaryDirectory } from './testing/openssl.ts'
import { verifyChain } from './verify-chain.ts'

const day = 24 * 60 * 60_000
const identityId = 'mk.824vHa'
const routerId = '.Ifrmjv5a'
/** What a client may hope for in vain. */
const greedy: Partial<AlternativeNames> = {
  dns: ['ctrl.weft.example'],
  ip: ['127.0.0.1'],
  email: ['root@weft.example'],
  uri: ['spiffe://weft.example/identity/other', 'SPIFFE://weft.example/controller/ctrl1', 'spiffe:weft.example'],
}

let network: TestNetwork
let issuer: EnrollmentIssuer
let key: KeyObject

before(async () => {
  network = await makeNetwork()
  issuer = new EnrollmentIssuer({ authority: network.intermediate, trustDomain: 'weft.example' })
  key = await generatePrivateKey('P-256')
})

function requestFor(subject: DistinguishedName, names: Partial<AlternativeNames> = {}): CertificateRequest {
  return parseCertificateRequest(signCertificateRequest({ subject, key, names }))
}

const only = (...uri: string[]): AlternativeNames => ({ dns: [], ip: [], email: [], uri })

function isTrustedFor(certificate: Certificate, purpose: 'clientAuth' | 'serverAuth'): boolean {
  const intermediates = [network.intermediate.certificate]
  return verifyChain({ leaf: certificate, intermediates, roots: [network.root.certificate], at: noon, purpose })
    .isTrusted
}

test('an identity keeps the subject it asks for, and its only name is its SPIFFE id', () => {
  const request = requestFor({ country: 'US', organization: 'Weft test', commonName: 'anything' }, greedy)
  const { certificate, chain } = issuer.issueIdentity({ request, identityId })
  assert.deepEqual(certificate.content.subject, request.subject)
  assert.deepEqual(certificate.names, only(`spiffe://weft.example/identity/${identityId}`))
  assert.ok(keyMatchesCertificate(key, certificate))
  assert.equal(certificate.isCa, false)
  assert.equal(certificate.notAfter, noon + 365 * day)
  assert.ok(certificate.notBefore < noon, 'it starts in the past')
  assert.deepEqual([isTrustedFor(certificate, 'clientAuth'), isTrustedFor(certificate, 'serverAuth')], [true, false])
  assert.deepEqual(
    chain.map((member) => member.commonName),
    ['anything', 'weft.example ca'],
    'leaf first, no root',
  )
})

test('an identity that asks for no subject is called by its id', () => {
  const { certificate } = issuer.issueIdentity({ request: requestFor({ commonName: '' }), identityId })
  assert.equal(certificate.commonName, identityId)
})

test('a session certificate takes nothing but the key from the request and lives for half a day', () => {
  const request = requestFor({ organization: 'Evil', commonName: 'ignored' }, greedy)
  const ids = { identityId: 'HcH02jvHVs', apiSessionId: 'cmwh7pkvj00nuoe7dgcmytwqi', certificateId: 'u2H0m4vHas' }
  const { certificate } = issuer.issueApiSession({ request, ...ids })
  assert.equal(certificate.x509.subject, 'CN=HcH02jvHVs')
  assert.deepEqual(
    certificate.names,
    only(
      'spiffe://weft.example/identity/HcH02jvHVs/apiSession/cmwh7pkvj00nuoe7dgcmytwqi/apiSessionCertificate/u2H0m4vHas',
    ),
  )
  assert.equal(certificate.notAfter, noon + 12 * 3_600_000)
  const long = issuer.issueApiSession({ request, ...ids, lifetime: 365 * day }).certificate
  assert.equal(long.notAfter, noon + 365 * day)
})

test('a router gets the hosts it asks for, and its own SPIFFE id in place of those it asks for', () => {
  const names = {
    ...greedy,
    dns: ['ER1.weft.example', 'er1.weft.example'],
    uri: [...greedy.uri!, 'https://er1.example/'],
  }
  const request = requestFor({ country: 'US', province: 'NC', organizationalUnit: 'Ziti', commonName: routerId }, names)
  const own = `spiffe://weft.example/router/${routerId}`
  const client = issuer.issueRouterClient({ request, routerId }).certificate
  const server = issuer.issueRouterServer({ request, routerId }).certificate
  for (const certificate of [client, server]) {
    assert.deepEqual(certificate.names, {
      dns: ['er1.weft.example'],
      ip: ['127.0.0.1'],
      email: ['root@weft.example'],
      uri: ['https://er1.example/', own],
    })
    assert.deepEqual(certificate.content.subject, request.subject)
  }
  assert.deepEqual([isTrustedFor(client, 'clientAuth'), isTrustedFor(client, 'serverAuth')], [true, false])
  assert.deepEqual([isTrustedFor(server, 'clientAuth'), isTrustedFor(server, 'serverAuth')], [false, true])
})

test('a router dials under its own id only, and listens under it whatever it asks for', () => {
  const request = requestFor({ organization: 'Weft', commonName: 'another' })
  assert.throws(() => issuer.issueRouterClient({ request, routerId }), { code: 'CSR_NAMES_ANOTHER' })
  assert.equal(issuer.issueRouterServer({ request, routerId }).certificate.x509.subject, `CN=${routerId}`)
})

for (const [what, names, code] of [
  ['a host that is none', { dns: ['a b'] }, 'BAD_HOST'],
  ['more hosts than allowed', { dns: Array.from({ length: 129 }, (_, index) => `h${index}`) }, 'BAD_HOST'],
  ['more addresses of other kinds', { uri: Array.from({ length: 129 }, () => 'a:b') }, 'BAD_CSR'],
  ['a URI that starts with a blank', { uri: [' spiffe://weft.example/identity/other'] }, 'BAD_CSR'],
  ['a URI with a broken escape', { uri: ['https://a.example/%zz'] }, 'BAD_CSR'],
  ['a URI without a scheme', { uri: ['//weft.example'] }, 'BAD_CSR'],
] as const) {
  test(`refuses a router that asks for ${what}`, () => {
    const request = requestFor({ commonName: routerId }, names)
    assert.throws(() => issuer.issueRouterServer({ request, routerId }), { code })
  })
}

test('ids that would not read back from the SPIFFE id are refused', () => {
  const request = requestFor({ commonName: 'x' })
  for (const bad of ['', '..', 'a/apiSession/b', 'a b', 'ä']) {
    assert.throws(() => issuer.issueIdentity({ request, identityId: bad }), { code: 'BAD_SPIFFE_ID' }, bad)
  }
})

test('an extension keeps the names of the present certificate and takes key and subject from the request', async () => {
  const before = issuer.issueIdentity({ request: requestFor({ commonName: 'old-cn' }), identityId }).certificate
  const next = await generatePrivateKey('P-384')
  const pem = signCertificateRequest({ subject: { commonName: 'new-cn' }, key: next, names: greedy })
  const { certificate } = issuer.extendIdentity({ request: parseCertificateRequest(pem), current: before })
  assert.equal(certificate.commonName, 'new-cn')
  assert.deepEqual(certificate.names, before.names)
  assert.ok(keyMatchesCertificate(next, certificate))
})

test('a self-signed authority issues chains of the leaf alone', async () => {
  const root = await CertificateAuthority.createRoot(
    { subject: { commonName: 'lone' }, trustDomain: 'lone' },
    { clock: noonClock },
  )
  const lone = new EnrollmentIssuer({ authority: root, trustDomain: 'spiffe://lone' })
  const { chain } = lone.issueIdentity({ request: requestFor({ commonName: 'x' }), identityId })
  assert.equal(chain.length, 1)
})

test('openssl accepts the certificates and reads the usages that peers look for', { skip: opensslMissing }, () => {
  using home = temporaryDirectory()
  const cwd = home.path
  const request = requestFor({ commonName: routerId }, { dns: ['er1.weft.example'] })
  writeFileSync(join(cwd, 'root'), network.root.certificate.pem)
  for (const [name, purpose, issued] of [
    ['identity', 'sslclient', issuer.issueIdentity({ request, identityId })],
    ['client', 'sslclient', issuer.issueRouterClient({ request, routerId })],
    ['server', 'sslserver', issuer.issueRouterServer({ request, routerId })],
  ] as const) {
    writeFileSync(join(cwd, name), issued.chainPem)
    const strict = ['-x509_strict', '-purpose', purpose, '-attime', String(noon / 1000)]
    assert.match(openssl(['verify', ...strict, '-CAfile', 'root', '-untrusted', name, name], { cwd }), /: OK/)
    const text = openssl(['x509', '-noout', '-text', '-in', name], { cwd })
    assert.match(text, /Key Usage: critical\s+Digital Signature, Key Encipherment, Data Encipherment\n/)
    assert.match(text, /Extended Key Usage: \n\s+TLS Web (Client|Server) Authentication\n/)
  }
})
