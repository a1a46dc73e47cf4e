/**
 * The stock enrollers against what this package signs, publishes and issues, and what they write as this package reads
 * it. Run by `npm run test:peer`.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { clientApisOf, encodeIdentityFile, loadIdentityFile } from '../identity-file.ts'
import { loadIdentitySection } from '../identity-section.ts'
import { encodePrivateKey } from '../keys.ts'
import { loadSigningCertificate } from '../signing-certificate.ts'
import { spiffeIdOf } from '../spiffe.ts'
import { startEnrollmentServer } from '../testing/enrollment-server.ts'
import { makeNetwork } from '../testing/network.ts'
import { temporaryDirectory } from '../testing/openssl.ts'
import { resolveTrustDomain } from '../trust-domain.ts'

const execute = promisify(execFile)

async function peer(cwd: string, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await execute(process.env['ZITI_BIN']!, args, { cwd, timeout: 60_000 })
  return stdout + stderr
}

for (const [keyAlgorithm, serverKeyKind] of [
  ['EC', 'P-256'],
  ['EC', 'P-384'],
  ['RSA', 'RSA-2048'],
] as const) {
  test(`the stock enroller makes an ${keyAlgorithm} identity at a server under ${serverKeyKind}`, async () => {
    using home = temporaryDirectory()
    await using server = await startEnrollmentServer({ serverKeyKind })
    writeFileSync(join(home.path, 'id.jwt'), server.invitation('ott'))
    await peer(home.path, 'edge', 'enroll', '--jwt', 'id.jwt', '-o', 'id.json', '-a', keyAlgorithm)
    const path = join(home.path, 'id.json')
    const { file, identity, problems } = await loadIdentityFile(path, { clock: Date })
    assert.deepEqual(problems, [])
    assert.equal(spiffeIdOf(identity!.client!.certificate)?.kind, 'identity')
    assert.deepEqual(clientApisOf(file), [`https://${server.address}/edge/client/v1`])
    assert.equal(encodeIdentityFile(file), readFileSync(path, 'utf8'), 'the same octets as ours')
  })
}

test('the stock enroller enrolls with certificates of a CA, and by password', async () => {
  using home = temporaryDirectory()
  await using server = await startEnrollmentServer()
  const partner = await makeNetwork('partner.example', Date)
  const { chainPem } = partner.intermediate.issueClientCertificate({
    subject: { commonName: 'device-1' },
    publicKey: partner.publicKey,
  })
  const at = (name: string) => join(home.path, name)
  writeFileSync(at('cert.pem'), chainPem)
  writeFileSync(at('key.pem'), encodePrivateKey(partner.key))
  for (const [method, token] of [
    ['ca', server.caToken()],
    ['ottca', server.invitation('ottca')],
  ] as const) {
    writeFileSync(at('id.jwt'), token)
    const own = ['-c', 'cert.pem', '-k', 'key.pem']
    await peer(home.path, 'edge', 'enroll', '--jwt', 'id.jwt', '-o', `${method}.json`, ...own)
    assert.deepEqual([server.asked.at(-1)!.query['method'], server.asked.at(-1)!.presented], [method, 'CN=device-1'])
    const { file, problems } = await loadIdentityFile(at(`${method}.json`), { clock: Date })
    assert.deepEqual([file.id.cert, problems], [`file://${at('cert.pem')}`, []])
  }
  writeFileSync(at('id.jwt'), server.invitation('updb'))
  const said = await peer(home.path, 'edge', 'enroll', '--jwt', 'id.jwt', '-u', 'alice', '-p', 'correct horse')
  assert.match(said, /alice/)
  assert.deepEqual(JSON.parse(server.asked.at(-1)!.body), { username: 'alice', password: 'correct horse' })
})

test('the stock enroller refuses a token of another server', async () => {
  using home = temporaryDirectory()
  await using server = await startEnrollmentServer()
  await using stranger = await startEnrollmentServer()
  writeFileSync(join(home.path, 'id.jwt'), stranger.invitation('ott', { address: server.address }))
  await assert.rejects(peer(home.path, 'edge', 'enroll', '--jwt', 'id.jwt', '-o', 'id.json', '-a', 'EC'))
  assert.ok(!existsSync(join(home.path, 'id.json')))
})

test('a stock router enrolls, and its files load', async () => {
  using home = temporaryDirectory()
  await using server = await startEnrollmentServer()
  const at = (name: string) => join(home.path, name)
  writeFileSync(at('r.jwt'), server.invitation('erott', { subjectId: '.Ifrmjv5a' }))
  writeFileSync(
    at('r.yml'),
    `v: 3
identity: { cert: r.cert, server_cert: r.server.cert, key: r.key, ca: r.cas }
ctrl: { endpoint: tls:127.0.0.1:6262 }
listeners:
  - binding: edge
    address: tls:127.0.0.1:3022
    options: { advertise: "127.0.0.1:3022" }
edge:
  csr: { country: US, organization: Example, sans: { dns: [r1.weft.example], ip: ["127.0.0.1", "::1"] } }
`,
  )
  await peer(home.path, 'router', 'enroll', 'r.yml', '--jwt', 'r.jwt', '-a', 'EC')
  const section = { cert: 'r.cert', server_cert: 'r.server.cert', key: 'r.key', ca: 'r.cas' }
  const { identity, problems } = await loadIdentitySection(section, { baseDirectory: home.path, clock: Date })
  assert.deepEqual(problems, [])
  const [listening] = identity!.servers
  assert.deepEqual(listening!.certificate.names, {
    dns: ['r1.weft.example'],
    ip: ['127.0.0.1', '::1'],
    email: [],
    uri: ['spiffe://weft.example/router/.Ifrmjv5a'],
  })
  assert.equal(identity!.client!.certificate.commonName, '.Ifrmjv5a')
  assert.equal(listening!.chain.length, 2)
})

test('a PKI of the stock tool loads as it is', async () => {
  using home = temporaryDirectory()
  const create = (kind: string, ...args: string[]) =>
    peer(home.path, 'pki', 'create', kind, '--pki-root', 'pki', ...args)
  const curve = ['--curve', 'P256']
  await create('ca', '--ca-file', 'root-ca', '--ca-name', 'root', '--trust-domain', 'peer.example', ...curve)
  const below = ['--intermediate-file', 'mid-ca', '--intermediate-name', 'mid', '--max-path-len', '1']
  await create('intermediate', '--ca-name', 'root-ca', ...below, ...curve)
  const leaf = ['--ca-name', 'mid-ca', ...curve]
  const hosts = ['--dns', 'localhost', '--ip', '127.0.0.1', '--spiffe-id', 'controller/ctrl1']
  await create('server', ...leaf, '--server-file', 'server', '--server-name', 'ctrl1', ...hosts)
  await create(
    'client',
    ...leaf,
    '--client-file',
    'client',
    '--client-name',
    'ctrl1',
    '--spiffe-id',
    'controller/ctrl1',
  )
  const section = {
    cert: 'pki/mid-ca/certs/client.chain.pem',
    server_cert: 'pki/mid-ca/certs/server.chain.pem',
    key: 'pki/mid-ca/keys/client.key',
    server_key: 'pki/mid-ca/keys/server.key',
    ca: 'pki/root-ca/certs/root-ca.cert',
  }
  const options = { baseDirectory: home.path, clock: Date }
  const { identity, problems } = await loadIdentitySection(section, options)
  assert.deepEqual(problems, [])
  const { caBundle, servers } = identity!
  assert.equal(resolveTrustDomain({ serverChain: servers[0]!.chain, caBundle }).name, 'peer.example')
  const signer = { cert: 'pki/mid-ca/certs/mid-ca.cert', key: 'pki/mid-ca/keys/mid-ca.key' }
  const loaded = await loadSigningCertificate(signer, { ...options, caBundle })
  assert.deepEqual(loaded.problems, [])
  assert.deepEqual(
    loaded.signing!.authority.chain.map(({ commonName }) => commonName),
    ['mid'],
  )
})
