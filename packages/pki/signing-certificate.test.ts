import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { encodeCertificates } from './certificates.ts'
import { encodePrivateKey, generatePrivateKey } from './keys.ts'
import { loadSigningCertificate, type SigningCertificateOptions } from './signing-certificate.ts'
import { makeNetwork, noon, noonClock, type TestNetwork } from './testing/network.ts'
import { openssl, opensslMissing, temporaryDirectory } from './testing/openssl.ts'

let network: TestNetwork
let good: { cert: string; key: string }

before(async () => {
  network = await makeNetwork()
  const { certificate, key } = network.intermediate
  good = { cert: certificate.pem, key: encodePrivateKey(key) }
})

function load(section: unknown, options: Partial<SigningCertificateOptions> = {}) {
  const caBundle = [network.root.certificate]
  return loadSigningCertificate(section, { baseDirectory: '/nowhere', clock: noonClock, caBundle, ...options })
}

async function problemsOf(section: unknown): Promise<string[]> {
  const { signing, problems } = await load(section)
  assert.equal(signing, undefined)
  return problems.map(({ path, message }) => `${path} ${message}`)
}

test('an intermediate issues chains of leaf and intermediate, completed from the bundle', async () => {
  const { signing, problems, warnings } = await load(good)
  assert.deepEqual([problems, warnings], [[], []])
  const { chain } = signing!.authority.issueClientCertificate({
    subject: { commonName: 'x' },
    publicKey: network.publicKey,
  })
  assert.deepEqual(
    chain.map(({ commonName }) => commonName),
    ['x', 'weft.example ca'],
  )
  assert.deepEqual(signing!.authorities, [signing!.authority.certificate])
})

test('what stands between signer and root comes from cert, from ca or from the bundle, in order and without the root', async () => {
  const upper = await network.root.createIntermediate({ subject: { commonName: 'upper' }, pathLength: 1 })
  const lower = await upper.createIntermediate({ subject: { commonName: 'lower' } })
  const key = encodePrivateKey(lower.key)
  const root = network.root.certificate
  for (const [section, caBundle] of [
    [{ key, cert: encodeCertificates([lower.certificate, upper.certificate, root]) }, []],
    [{ key, cert: lower.certificate.pem, ca: encodeCertificates([root, upper.certificate]) }, []],
    [{ key, cert: lower.certificate.pem }, [root, upper.certificate]],
  ] as const) {
    const { signing, warnings } = await load(section, { caBundle })
    assert.deepEqual(warnings, [])
    assert.deepEqual(
      signing!.authority.chain.map(({ commonName }) => commonName),
      ['lower', 'upper'],
    )
  }
})

test('a chain that ends below its root is a warning', async () => {
  const { signing, warnings } = await load(good, { caBundle: [] })
  assert.ok(signing)
  assert.match(warnings[0]!.message, /do not reach a root/)
})

test('a self-signed signer needs nothing above it', async () => {
  const { certificate, key } = network.root
  const { signing, warnings } = await load({ cert: certificate.pem, key: encodePrivateKey(key) }, { caBundle: [] })
  assert.deepEqual([signing!.authority.chain, warnings], [[], []])
})

test('files are watched, but not the authorities above', async () => {
  using home = temporaryDirectory()
  const baseDirectory = home.path
  for (const [name, text] of Object.entries({ ...good, ca: network.root.certificate.pem })) {
    writeFileSync(join(baseDirectory, name), text, { mode: 0o600 })
  }
  const section = { cert: 'cert', key: 'file:key', ca: 'ca' }
  const { signing } = await load(section, { baseDirectory, caBundle: [] })
  assert.deepEqual(signing!.files, [join(baseDirectory, 'cert'), join(baseDirectory, 'key')])
  chmodSync(join(baseDirectory, 'key'), 0o644)
  assert.match((await load(section, { baseDirectory })).warnings[0]!.message, /mode 644/)
})

test('everything that is wrong is told at once, each under its own path', async () => {
  assert.deepEqual(await problemsOf({}), [
    'edge.enrollment.signingCert.cert is missing',
    'edge.enrollment.signingCert.key is missing',
  ])
  assert.match((await problemsOf('x'))[0]!, /must be a section/)
  const all = await problemsOf({ cert: 'gone', key: 'pkcs11:x', ca: 'junk\n' })
  assert.match(all[0]!, /signingCert\.cert \/nowhere\/gone does not exist/)
  assert.match(all[1]!, /signingCert\.key "pkcs11:" refers to an engine/)
  assert.match(all[2]!, /signingCert\.ca is neither a file path nor PEM/)
})

test('a leaf, a key of someone else, and a key that signs no certificates are refused', async () => {
  const leaf = network.intermediate.issueClientCertificate({
    subject: { commonName: 'x' },
    publicKey: network.publicKey,
  })
  const own = { cert: leaf.chainPem, key: encodePrivateKey(network.key) }
  assert.match((await problemsOf(own))[0]!, /signingCert\.cert may not sign certificates/)
  const foreign = { ...good, key: encodePrivateKey(await generatePrivateKey('P-256')) }
  assert.match((await problemsOf(foreign))[0]!, /signingCert\.key the private key does not belong/)
  const odd = { ...good, key: encodePrivateKey(generateKeyPairSync('ed25519').privateKey) }
  assert.match((await problemsOf(odd))[0]!, /signingCert\.key keys of this kind are not supported/)
})

test('an authority out of its time is a warning, and issues nothing', async () => {
  const late = { now: () => noon + 3651 * 24 * 3_600_000 }
  const { signing, warnings } = await load(good, { clock: late })
  assert.match(warnings[0]!.message, /expired at/)
  const request = { subject: { commonName: 'x' }, publicKey: network.publicKey }
  assert.throws(() => signing!.authority.issueClientCertificate(request), { code: 'CA_EXPIRED' })
})

test('an authority made by openssl with an RSA key loads as it is', { skip: opensslMissing }, async () => {
  using home = temporaryDirectory()
  const cwd = home.path
  const root = ['-subj', '/O=Peer/CN=root', '-days', '30', '-keyout', 'key', '-out', 'cert']
  openssl(['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...root], { cwd })
  const { signing, problems } = await loadSigningCertificate(
    { cert: 'cert', key: 'key' },
    { baseDirectory: cwd, clock: Date },
  )
  assert.deepEqual(problems, [])
  const { publicKey } = network
  const leaf = signing!.authority.issueClientCertificate({ subject: { commonName: 'x' }, publicKey })
  writeFileSync(join(cwd, 'leaf'), leaf.chainPem)
  assert.match(openssl(['verify', '-CAfile', 'cert', 'leaf'], { cwd }), /: OK/)
})
