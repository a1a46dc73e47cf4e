import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { CertificateAuthority } from './authority.ts'
import { encodeCertificates } from './certificates.ts'
import { generatePrivateKey, type KeyKind, publicKeyOf } from './keys.ts'
import { spiffeIdOf } from './spiffe.ts'
import { makeNetwork, noon, noonClock, type TestNetwork } from './testing/network.ts'
import { openssl, opensslMissing, temporaryDirectory } from './testing/openssl.ts'

const spiffeId = 'spiffe://weft.example/controller/ctrl1'
const hosts = ['localhost', 'ctrl.example.com', '127.0.0.1', '::1']
const subject = { commonName: 'ctrl1' }
let network: TestNetwork

before(async () => {
  network = await makeNetwork()
})

test('issues a server certificate for names, both kinds of addresses and the controller itself', () => {
  const { certificate, chain } = network.intermediate.issueServerCertificate({
    subject,
    publicKey: network.publicKey,
    hosts,
    spiffeId,
  })
  assert.deepEqual(certificate.names, {
    dns: ['localhost', 'ctrl.example.com'],
    ip: ['127.0.0.1', '::1'],
    email: [],
    uri: [spiffeId],
  })
  assert.equal(certificate.commonName, 'ctrl1')
  assert.deepEqual(
    chain.map((member) => member.commonName),
    ['ctrl1', 'weft.example ca'],
    'the root stays out of the chain',
  )
})

test('the trust domain stands in the root and in every authority below it', () => {
  for (const authority of [network.root, network.intermediate]) {
    assert.deepEqual(spiffeIdOf(authority.certificate), { kind: 'trust domain', trustDomain: 'weft.example' })
  }
})

test('everything is backdated by five minutes, and serials are random, positive and of 20 octets', () => {
  const issue = () => network.intermediate.issueClientCertificate({ subject, publicKey: network.publicKey }).certificate
  const serials = new Set(Array.from({ length: 50 }, () => issue().x509.serialNumber))
  assert.equal(serials.size, 50)
  for (const serial of serials) assert.match(serial, /^[4-7][0-9A-F]{39}$/)
  for (const certificate of [issue(), network.root.certificate, network.intermediate.certificate]) {
    assert.equal(certificate.notBefore, noon - 300_000)
  }
})

test('the SAN extension of an identity has exactly the octets that peers compare', () => {
  const { certificate } = network.intermediate.issueClientCertificate({
    subject: { commonName: 'K7cQ0bYVz' },
    publicKey: network.publicKey,
    spiffeId: 'spiffe://weft.example/identity/K7cQ0bYVz',
  })
  const worked = '30330603551d11042c302a8628' + Buffer.from('spiffe://weft.example/identity/K7cQ0bYVz').toString('hex')
  assert.ok(certificate.der.toString('hex').includes(worked))
})

test('nothing outlives its issuer, and an expired authority issues nothing', async () => {
  const clock = { now: () => noon }
  const root = await CertificateAuthority.createRoot(
    { subject: { commonName: 'short' }, trustDomain: 'short', lifetime: 60_000 },
    { clock },
  )
  const issue = () => root.issueClientCertificate({ subject, publicKey: network.publicKey })
  assert.equal(issue().certificate.notAfter, noon + 60_000)
  clock.now = () => noon + 60_000
  assert.throws(issue, { code: 'CA_EXPIRED' })
})

test('refuses a certificate that may not sign, a key of someone else, and names that do not fit', async () => {
  const { certificate } = network.intermediate.issueClientCertificate({ subject, publicKey: network.publicKey })
  const deps = { clock: noonClock }
  assert.throws(() => new CertificateAuthority({ certificate, key: network.key }, deps), { code: 'NOT_A_CA' })
  const foreign = { certificate: network.root.certificate, key: network.intermediate.key }
  assert.throws(() => new CertificateAuthority(foreign, deps), { code: 'KEY_MISMATCH' })
  const issue = (commonName: string, host: string) =>
    network.intermediate.issueServerCertificate({
      subject: { commonName },
      publicKey: network.publicKey,
      hosts: [host],
    })
  assert.throws(() => issue('x'.repeat(65), 'a'), { code: 'NAME_TOO_LONG' })
  assert.throws(() => issue('x', 'a b'), { code: 'BAD_HOST' })
})

for (const kind of ['P-256', 'P-384', 'RSA-2048'] as KeyKind[]) {
  test(`openssl verifies chains under ${kind}, strictly, and reads the extensions`, {
    skip: opensslMissing,
  }, async () => {
    using directory = temporaryDirectory()
    const root = await CertificateAuthority.createRoot(
      { subject: { commonName: 'root' }, trustDomain: 'weft.example', keyKind: kind },
      { clock: noonClock },
    )
    const intermediate = await root.createIntermediate({ subject: { commonName: 'ca' }, keyKind: kind })
    const publicKey = publicKeyOf(await generatePrivateKey(kind))
    const server = intermediate.issueServerCertificate({ subject, publicKey, hosts, spiffeId })
    const client = intermediate.issueClientCertificate({ subject, publicKey, spiffeId })
    for (const [name, pem] of Object.entries({
      root: root.certificate.pem,
      between: encodeCertificates(intermediate.chain),
      server: server.chainPem,
      client: client.chainPem,
    })) {
      writeFileSync(join(directory.path, name), pem)
    }
    const cwd = directory.path
    for (const [name, purpose] of Object.entries({ server: 'sslserver', client: 'sslclient' })) {
      const strict = ['-x509_strict', '-check_ss_sig', '-purpose', purpose, '-attime', String(noon / 1000)]
      const verify = ['verify', ...strict, '-CAfile', 'root', '-untrusted', 'between', name]
      assert.match(openssl(verify, { cwd }), /: OK/)
    }
    const text = (name: string) => openssl(['x509', '-noout', '-text', '-in', name], { cwd })
    const encipherment = kind.startsWith('RSA') ? ', Key Encipherment' : ''
    assert.match(text('root'), /Basic Constraints: critical\s+CA:TRUE\n/)
    assert.match(text('between'), /Basic Constraints: critical\s+CA:TRUE, pathlen:0\n/)
    assert.match(text('between'), /Key Usage: critical\s+Digital Signature, Certificate Sign, CRL Sign\n/)
    assert.match(text('between'), /URI:spiffe:\/\/weft\.example\n/)
    assert.match(text('server'), /Basic Constraints: critical\s+CA:FALSE\n/)
    assert.match(text('server'), new RegExp(`Key Usage: critical\\s+Digital Signature${encipherment}\\n`))
    assert.match(text('server'), /Extended Key Usage: \n\s+TLS Web Server Authentication\n/)
    assert.match(
      text('server'),
      /DNS:localhost, DNS:ctrl\.example\.com, IP Address:127\.0\.0\.1, IP Address:0:0:0:0:0:0:0:1, URI:spiffe:\/\/weft\.example\/controller\/ctrl1\n/,
    )
    assert.match(text('client'), /Extended Key Usage: \n\s+TLS Web Client Authentication\n/)
    const keyId = (name: string, which: string) =>
      new RegExp(`${which} Key Identifier: \\n\\s+([0-9A-F:]+)`).exec(text(name))?.[1]
    assert.equal(keyId('server', 'Authority'), keyId('between', 'Subject'))
    assert.equal(keyId('between', 'Authority'), keyId('root', 'Subject'))
    assert.ok(keyId('server', 'Subject'))
  })
}
