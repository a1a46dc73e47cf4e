import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect, createServer } from 'node:tls'
import { createPki, type Pki, type PkiOptions } from './create-pki.ts'
import { pkiFiles } from './pki-files.ts'
import { spiffeIdOf } from './spiffe.ts'
import { makeNetwork, noon, noonClock } from './testing/network.ts'
import { openssl, opensslMissing, temporaryDirectory } from './testing/openssl.ts'
import { verifyChain } from './verify-chain.ts'

const day = 24 * 60 * 60_000

function optionsIn(directory: string, changes: Partial<PkiOptions> = {}): PkiOptions {
  return {
    directory: join(directory, 'pki'),
    trustDomain: 'weft.example',
    controllerId: 'ctrl1',
    hosts: ['localhost', '127.0.0.1', '::1'],
    clock: noonClock,
    ...changes,
  }
}

const at = (time: number) => ({ clock: { now: () => time } })
const prints = (pki: Pki) =>
  [pki.root, pki.signer.certificate, pki.server.certificate, pki.client.certificate].map((it) => it.fingerprint)

function contentOf(directory: string): Record<string, string> {
  return Object.fromEntries(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]))
}

test('makes a complete PKI with guarded keys, and leaves nothing else behind', async () => {
  using home = temporaryDirectory()
  const pki = await createPki(optionsIn(home.path))
  assert.equal(pki.isNew, true)
  assert.deepEqual(pki.renewed, [])
  assert.deepEqual(readdirSync(home.path), ['pki'])
  assert.deepEqual(
    readdirSync(join(home.path, 'pki')).map((name) => join(home.path, 'pki', name)),
    Object.values(pki.files).toSorted(),
  )
  if (process.platform !== 'win32') {
    assert.equal(statSync(join(home.path, 'pki')).mode & 0o777, 0o700)
    for (const file of Object.values(pki.files)) {
      assert.equal(statSync(file).mode & 0o777, file.endsWith('.key') ? 0o600 : 0o644, file)
    }
  }
  assert.equal(pki.serverExpiresAt, noon + 365 * day)
  for (const [leaf, purpose] of [
    [pki.server, 'serverAuth'],
    [pki.client, 'clientAuth'],
  ] as const) {
    assert.ok(
      verifyChain({ leaf: leaf.certificate, intermediates: leaf.chain, roots: pki.caBundle, at: noon, purpose })
        .isTrusted,
    )
    assert.deepEqual(spiffeIdOf(leaf.certificate), {
      kind: 'controller',
      trustDomain: 'weft.example',
      controllerId: 'ctrl1',
    })
  }
})

test('a second call loads the same and writes nothing', async () => {
  using home = temporaryDirectory()
  const first = await createPki(optionsIn(home.path))
  const before = Object.values(first.files).map((file) => statSync(file, { bigint: true }).mtimeNs)
  const second = await createPki(optionsIn(home.path, { hosts: ['::1', 'LOCALHOST', '127.0.0.1'] }))
  assert.deepEqual([second.isNew, second.renewed], [false, []])
  assert.deepEqual(prints(second), prints(first))
  assert.deepEqual(
    Object.values(second.files).map((file) => statSync(file, { bigint: true }).mtimeNs),
    before,
  )
})

test('new hosts renew the server certificate and nothing else; its key stays, for the tokens that are out', async () => {
  using home = temporaryDirectory()
  const first = await createPki(optionsIn(home.path))
  const second = await createPki(optionsIn(home.path, { hosts: ['ctrl.example.com', '2001:db8::1'] }))
  assert.deepEqual(second.renewed, [{ certificate: 'server', reason: 'names changed' }])
  assert.deepEqual(second.server.certificate.names.dns, ['ctrl.example.com'])
  assert.deepEqual(second.server.certificate.names.ip, ['2001:db8::1'])
  assert.ok(second.server.key.equals(first.server.key))
  assert.deepEqual(prints(second).toSpliced(2, 1), prints(first).toSpliced(2, 1))
  const third = await createPki(optionsIn(home.path, { hosts: ['ctrl.example.com', '2001:db8::1'] }))
  assert.deepEqual([third.renewed, prints(third)], [[], prints(second)])
})

test('leaves are renewed within thirty days of their end, and not before', async () => {
  using home = temporaryDirectory()
  const first = await createPki(optionsIn(home.path))
  const early = await createPki(optionsIn(home.path, at(noon + 335 * day - 1)))
  assert.deepEqual(prints(early), prints(first))
  const due = await createPki(optionsIn(home.path, at(noon + 335 * day)))
  assert.deepEqual(due.renewed, [
    { certificate: 'server', reason: 'expires soon' },
    { certificate: 'client', reason: 'expires soon' },
  ])
  assert.equal(due.serverExpiresAt, noon + 700 * day)
  assert.ok(due.server.key.equals(first.server.key))
  assert.ok(due.root.equals(first.root))
})

test('when the authorities near their own end, leaves are not renewed at every start', async () => {
  using home = temporaryDirectory()
  await createPki(optionsIn(home.path))
  const last = await createPki(optionsIn(home.path, at(noon + 3640 * day)))
  assert.equal(last.serverExpiresAt, last.signer.certificate.notAfter)
  assert.deepEqual((await createPki(optionsIn(home.path, at(noon + 3641 * day)))).renewed, [])
  await assert.rejects(createPki(optionsIn(home.path, at(noon + 3651 * day))), { code: 'CA_EXPIRED' })
})

test('after a start with the clock ahead, leaves are issued again and authorities reported', async () => {
  using home = temporaryDirectory()
  await createPki(optionsIn(home.path))
  await createPki(optionsIn(home.path, { ...at(noon + 50 * day), hosts: ['a.example'] }))
  const back = await createPki(optionsIn(home.path, { hosts: ['a.example'] }))
  assert.deepEqual(back.renewed, [{ certificate: 'server', reason: 'not valid yet' }])
  await assert.rejects(createPki(optionsIn(home.path, at(noon - day))), { code: 'CA_NOT_YET_VALID' })
})

test('another controller id renews both leaves', async () => {
  using home = temporaryDirectory()
  await createPki(optionsIn(home.path))
  const renamed = await createPki(optionsIn(home.path, { controllerId: 'ctrl2' }))
  assert.deepEqual(
    renamed.renewed.map(({ certificate }) => certificate),
    ['server', 'client'],
  )
  assert.equal(renamed.client.certificate.commonName, 'ctrl2')
})

test('a call that was cut short at any point is completed by the next', async () => {
  using home = temporaryDirectory()
  const options = optionsIn(home.path)
  const whole = await createPki(options)
  const { serverKey, serverChain, serverCert, clientKey, clientChain, clientCert, caBundle } = whole.files
  const written = [serverKey, serverChain, serverCert, clientKey, clientChain, clientCert, caBundle]
  for (let kept = 0; kept < written.length; kept++) {
    for (const file of written.slice(kept)) rmSync(file)
    const completed = await createPki(options)
    assert.ok(completed.root.equals(whole.root))
    assert.ok(
      written.every((file) => existsSync(file)),
      `after ${kept} files`,
    )
    assert.deepEqual((await createPki(options)).renewed, [])
  }
})

test('damaged leaves are replaced, with a new key only where the key is lost', async () => {
  using home = temporaryDirectory()
  const options = optionsIn(home.path)
  const { files, server, client } = await createPki(options)
  writeFileSync(files.serverChain, readFileSync(files.serverChain, 'utf8').slice(0, 300))
  writeFileSync(files.clientKey, 'not a key')
  const mended = await createPki(options)
  assert.deepEqual(mended.renewed, [
    { certificate: 'server', reason: 'damaged' },
    { certificate: 'client', reason: 'damaged' },
  ])
  assert.equal(mended.server.key.equals(server.key), true)
  assert.equal(mended.client.key.equals(client.key), false)
  writeFileSync(files.serverKey, readFileSync(files.clientKey))
  assert.deepEqual((await createPki(options)).renewed, [{ certificate: 'server', reason: 'damaged' }])
})

test('a leaf of another authority is replaced', async () => {
  using home = temporaryDirectory()
  const options = optionsIn(home.path)
  const { files, server } = await createPki(options)
  const stranger = await makeNetwork()
  const foreign = stranger.intermediate.issueServerCertificate({
    subject: { commonName: 'ctrl1' },
    publicKey: server.certificate.publicKey,
    hosts: options.hosts,
  })
  writeFileSync(files.serverChain, foreign.chainPem)
  writeFileSync(files.serverCert, foreign.certificate.pem)
  assert.deepEqual((await createPki(options)).renewed, [
    { certificate: 'server', reason: 'issued by another authority' },
  ])
})

test('authorities are never replaced: what is missing or foreign is an error', async () => {
  using home = temporaryDirectory()
  const options = optionsIn(home.path)
  const { files } = await createPki(options)
  await assert.rejects(createPki({ ...options, trustDomain: 'other.example' }), { code: 'PKI_DIFFERENT' })
  const before = contentOf(options.directory)
  for (const [file, code] of [
    [files.intermediateKey, 'PKI_INCOMPLETE'],
    [files.intermediateCert, 'PKI_INCOMPLETE'],
    [files.rootCert, 'PKI_INCOMPLETE'],
  ] as const) {
    const content = readFileSync(file)
    rmSync(file)
    await assert.rejects(createPki(options), { code })
    writeFileSync(file, content)
  }
  const stranger = await makeNetwork()
  writeFileSync(files.rootCert, stranger.root.certificate.pem)
  await assert.rejects(createPki(options), { code: 'PKI_DIFFERENT' })
  writeFileSync(files.rootCert, before['root.cert']!)
  assert.deepEqual(contentOf(options.directory), before)
})

test('the key of the root may be kept elsewhere', async () => {
  using home = temporaryDirectory()
  const options = optionsIn(home.path)
  const { files } = await createPki(options)
  rmSync(files.rootKey)
  assert.deepEqual((await createPki(options)).renewed, [])
})

test('a root that the operator added to the bundle stays, and ours returns if it was lost', async () => {
  using home = temporaryDirectory()
  const options = optionsIn(home.path)
  const { files, root } = await createPki(options)
  const stranger = await makeNetwork('stranger')
  writeFileSync(files.caBundle, stranger.root.certificate.pem)
  const { caBundle, caBundlePem } = await createPki(options)
  assert.deepEqual(
    caBundle.map((it) => it.fingerprint),
    [root.fingerprint, stranger.root.certificate.fingerprint],
  )
  assert.equal(readFileSync(files.caBundle, 'utf8'), caBundlePem)
})

test('key files that were opened to others are closed again', {
  skip: process.platform === 'win32' && 'no modes',
}, async () => {
  using home = temporaryDirectory()
  const options = optionsIn(home.path)
  const { files } = await createPki(options)
  const keys = [files.rootKey, files.intermediateKey, files.serverKey, files.clientKey]
  for (const file of keys) chmodSync(file, 0o644)
  await createPki(options)
  for (const file of keys) assert.equal(statSync(file).mode & 0o777, 0o600, file)
})

test('callers that start at once end with one network', async () => {
  using home = temporaryDirectory()
  const options = optionsIn(home.path)
  const all = await Promise.all(Array.from({ length: 5 }, () => createPki(options)))
  assert.equal(new Set(all.map((pki) => pki.root.fingerprint)).size, 1)
  assert.equal(all.filter((pki) => pki.isNew).length, 1)
  assert.deepEqual(readdirSync(home.path), ['pki'])
  const settled = await createPki(options)
  assert.deepEqual((await createPki(options)).renewed, [])
  assert.ok(settled.root.equals(all[0]!.root))
})

test('an empty directory is used, a directory of something else is left alone', async () => {
  using home = temporaryDirectory()
  const options = optionsIn(home.path)
  mkdirSync(options.directory)
  assert.equal((await createPki(options)).isNew, true)
  const other = optionsIn(home.path, { directory: join(home.path, 'other') })
  mkdirSync(other.directory)
  writeFileSync(join(other.directory, 'notes.txt'), 'mine')
  await assert.rejects(createPki(other), { code: 'PKI_INCOMPLETE' })
  assert.deepEqual(contentOf(other.directory), { 'notes.txt': 'mine' })
})

test('bad names are refused before anything is written', async () => {
  using home = temporaryDirectory()
  for (const [change, code] of [
    [{ trustDomain: 'a b' }, 'BAD_TRUST_DOMAIN'],
    [{ controllerId: 'a/b' }, 'BAD_SPIFFE_ID'],
    [{ controllerId: 'x'.repeat(65) }, 'NAME_TOO_LONG'],
    [{ hosts: ['not a host'] }, 'BAD_HOST'],
  ] as const) {
    await assert.rejects(createPki(optionsIn(home.path, change)), { code })
    assert.deepEqual(readdirSync(home.path), [])
  }
})

test('openssl verifies what lies on disk', { skip: opensslMissing }, async () => {
  using home = temporaryDirectory()
  const { files } = await createPki(optionsIn(home.path))
  const time = ['-attime', String(noon / 1000)]
  for (const leaf of [files.serverChain, files.clientChain]) {
    const verify = [
      'verify',
      '-x509_strict',
      ...time,
      '-CAfile',
      files.caBundle,
      '-untrusted',
      files.intermediateCert,
      leaf,
    ]
    assert.match(openssl(verify), /: OK/)
  }
})

for (const host of ['127.0.0.1', '::1']) {
  test(`server and client meet over TLS on ${host}, each verifying the other`, async () => {
    using home = temporaryDirectory()
    const pki = await createPki(optionsIn(home.path, { clock: Date }))
    const { files } = pki
    assert.deepEqual(files, pkiFiles(join(home.path, 'pki')))
    const ca = pki.caBundlePem
    await using server = createServer({
      ca,
      cert: readFileSync(files.serverChain),
      key: readFileSync(files.serverKey),
      requestCert: true,
      rejectUnauthorized: true,
    })
    const accepted = once(server, 'secureConnection')
    server.listen(0, host)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const socket = connect({
      host,
      port,
      ca,
      cert: readFileSync(files.clientChain),
      key: readFileSync(files.clientKey),
    })
    await once(socket, 'secureConnect')
    assert.equal(socket.authorized, true)
    const [peer] = await accepted
    assert.equal(peer.getPeerX509Certificate()?.fingerprint256, pki.client.certificate.x509.fingerprint256)
    socket.destroy()
    peer.destroy()
  })
}
