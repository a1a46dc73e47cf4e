import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseCertificateRequest } from '../certificate-request.ts'
import { parseCertificates } from '../certificates.ts'
import { keyMatchesCertificate, parsePrivateKey } from '../keys.ts'
import { noon, noonClock } from '../testing/network.ts'
import { openssl, opensslMissing, temporaryDirectory } from '../testing/openssl.ts'
import { verifyChain } from '../verify-chain.ts'
import { PkiFolder } from './pki-folder.ts'

const day = 24 * 60 * 60_000
const subject = (commonName: string) => ({ organization: 'Example', commonName })

async function folderWith(path: string, trustDomain?: string): Promise<PkiFolder> {
  const folder = new PkiFolder(join(path, 'pki'), { clock: noonClock })
  await folder.createRoot({ name: 'ca', subject: subject('The root'), ...(trustDomain && { trustDomain }) })
  await folder.createIntermediate({ authority: 'ca', name: 'mid', subject: subject('The signer') })
  return folder
}

const server = {
  authority: 'mid',
  name: 'server',
  subject: subject('ctrl1'),
  purpose: 'serverAuth',
  names: { dns: ['ctrl.example'], ip: ['127.0.0.1'] },
} as const

const read = (path: string | undefined) => readFileSync(path!, 'utf8')

test('the steps make the files where the other tools look for them, keys for their owner alone', async () => {
  using home = temporaryDirectory()
  const folder = await folderWith(home.path, 'peer.example')
  await folder.createLeaf({ ...server, spiffeId: 'controller/ctrl1' })
  const at = (...parts: string[]) => join(folder.root, ...parts)
  assert.deepEqual(readdirSync(at('ca', 'certs')).sort(), ['ca.cert', 'mid.cert'])
  assert.deepEqual(readdirSync(at('ca', 'keys')), ['ca.key'], "an intermediate's key lies in its own folder only")
  const certs = ['mid.cert', 'mid.chain.pem', 'server.cert', 'server.chain.pem']
  assert.deepEqual(readdirSync(at('mid', 'certs')).sort(), certs)
  assert.deepEqual(readdirSync(at('mid', 'keys')).sort(), ['mid.key', 'server.key'])
  const others = ['certs', 'crlnumber', 'crls', 'index.txt', 'index.txt.attr', 'keys', 'serial']
  for (const authority of ['ca', 'mid']) assert.deepEqual(readdirSync(at(authority)).sort(), others)
  if (process.platform !== 'win32') {
    for (const key of [at('ca', 'keys', 'ca.key'), at('mid', 'keys', 'mid.key'), at('mid', 'keys', 'server.key')]) {
      assert.equal(statSync(key).mode & 0o777, 0o600, key)
    }
    assert.equal(statSync(at('mid', 'keys')).mode & 0o777, 0o700)
  }
  const chain = parseCertificates(read(at('mid', 'certs', 'server.chain.pem')))
  assert.deepEqual(
    chain.map(({ commonName }) => commonName),
    ['ctrl1', 'The signer', 'The root'],
  )
  const [leaf, intermediate, root] = chain
  assert.deepEqual(leaf!.names.uri, ['spiffe://peer.example/controller/ctrl1'])
  assert.ok(verifyChain({ leaf: leaf!, intermediates: [intermediate!], roots: [root!], at: noon }).isTrusted)
  assert.equal(leaf!.notAfter, noon + 365 * day)
  assert.ok(keyMatchesCertificate(parsePrivateKey(read(at('mid', 'keys', 'server.key'))), leaf!))
})

test('the index has a line for each certificate, in the form of the other tools', async () => {
  using home = temporaryDirectory()
  const folder = await folderWith(home.path)
  const { certificate } = await folder.createLeaf({ ...server, subject: { country: 'US', ...subject('a/b\tc') } })
  const [line] = read(join(folder.root, 'mid', 'index.txt')).split('\n')
  const form = /^V\t([0-9]{12}Z)\t\t((?:[0-9A-F]{2})+)\tserver\.cert\t\/C=US\/O=Example\/CN=a b\\09c$/
  const [, ends, serial] = form.exec(line!)!
  assert.equal(ends, '270601120000Z')
  assert.equal(BigInt(`0x${serial}`), BigInt(`0x${certificate!.x509.serialNumber}`))
  assert.equal(
    read(join(folder.root, 'ca', 'index.txt'))
      .trim()
      .split('\n').length,
    2,
  )
})

test('nothing is replaced unless the caller says so, and an authority never', async () => {
  using home = temporaryDirectory()
  const folder = await folderWith(home.path)
  const made = await folder.createLeaf(server)
  const before = ['cert', 'chain', 'key'].map((part) => read(made.files[part as 'cert']))
  const taken = { code: 'NAME_TAKEN' }
  await assert.rejects(folder.createLeaf(server), taken)
  await assert.rejects(folder.createKey({ authority: 'mid', name: 'server' }), taken)
  await assert.rejects(folder.createRoot({ name: 'ca', subject: subject('x') }), taken)
  await assert.rejects(folder.createIntermediate({ authority: 'ca', name: 'mid', subject: subject('x') }), taken)
  for (const [authority, name] of [
    ['mid', 'mid'],
    ['ca', 'mid'],
    ['ca', 'ca'],
  ] as const) {
    const leaf = { ...server, authority, name, existing: 'replace' } as const
    await assert.rejects(folder.createLeaf(leaf), taken)
    await assert.rejects(folder.createLeaf({ ...leaf, keyName: name }), taken)
    await assert.rejects(folder.createKey({ authority, name, existing: 'replace' }), taken)
  }
  assert.deepEqual(
    ['cert', 'chain', 'key'].map((part) => read(made.files[part as 'cert'])),
    before,
  )
  const again = await folder.createLeaf({ ...server, existing: 'replace' })
  assert.notEqual(again.certificate!.fingerprint, made.certificate!.fingerprint)
  assert.notEqual(read(again.files.key), before[2])
})

test('a certificate is renewed for the key that is there, or made for a key that was made before', async () => {
  using home = temporaryDirectory()
  const folder = await folderWith(home.path)
  const { files } = await folder.createKey({ authority: 'mid', name: 'server', keyKind: 'P-384' })
  const key = read(files.key)
  const first = await folder.createLeaf({ ...server, keyName: 'server' })
  const renewed = await folder.createLeaf({ ...server, keyName: 'server', existing: 'replace' })
  assert.equal(read(files.key), key)
  for (const { certificate } of [first, renewed]) assert.ok(keyMatchesCertificate(parsePrivateKey(key), certificate!))
  await assert.rejects(folder.createLeaf({ ...server, name: 'other', keyName: 'missing' }), { code: 'NO_SUCH_KEY' })
  assert.ok(!existsSync(join(folder.root, 'mid', 'certs', 'other.cert')))
})

test('a renewal keeps key, subject, names and purpose, and begins now', async () => {
  using home = temporaryDirectory()
  const early = await folderWith(home.path, 'x')
  const subjectOf = { country: 'US', ...subject('ctrl1') }
  const first = await early.createLeaf({ ...server, subject: subjectOf, spiffeId: 'controller/ctrl1', lifetime: day })
  const key = read(first.files.key)
  const later = new PkiFolder(early.root, { clock: { now: () => noon + 300 * day } })
  const { certificate, kind, files } = await later.renewLeaf({ authority: 'mid', name: 'server' })
  assert.equal(kind, 'server')
  assert.equal(certificate!.notAfter, noon + 665 * day)
  assert.equal(certificate!.x509.subject, first.certificate!.x509.subject)
  assert.deepEqual(certificate!.names, first.certificate!.names)
  assert.equal(read(files.key), key)
  assert.ok(parseCertificates(read(files.chain))[0]!.equals(certificate!))
  await assert.rejects(later.renewLeaf({ authority: 'mid', name: 'mid' }), { code: 'NAME_TAKEN' })
  await assert.rejects(later.renewLeaf({ authority: 'ca', name: 'mid' }), { code: 'NAME_TAKEN' })
  await assert.rejects(later.renewLeaf({ authority: 'mid', name: 'none' }), { code: 'NO_SUCH_CERTIFICATE' })
  writeFileSync(files.key!, read(join(early.root, 'mid', 'keys', 'mid.key')))
  await assert.rejects(later.renewLeaf({ authority: 'mid', name: 'server' }), { code: 'KEY_MISMATCH' })
})

test('requests are for a key of their own or one that is there, that of the authority included', async () => {
  using home = temporaryDirectory()
  const folder = await folderWith(home.path)
  const own = await folder.createCertificateRequest({ authority: 'mid', name: 'web', subject: subject('web') })
  assert.equal(own.kind, 'request')
  assert.equal(parseCertificateRequest(read(own.files.request)).commonName, 'web')
  const wanted = { authority: 'mid', name: 'cross', keyName: 'mid', subject: subject('The signer') }
  const { files } = await folder.createCertificateRequest(wanted)
  assert.ok(!existsSync(join(folder.root, 'mid', 'keys', 'cross.key')))
  const request = parseCertificateRequest(read(files.request))
  const key = parsePrivateKey(read(join(folder.root, 'mid', 'keys', 'mid.key')))
  assert.deepEqual(request.publicKey.export({ format: 'jwk' }).x, key.export({ format: 'jwk' }).x)
  await assert.rejects(folder.createCertificateRequest(wanted), { code: 'NAME_TAKEN' })
})

test('a SPIFFE path needs a trust domain above it; a complete id does not', async () => {
  using home = temporaryDirectory()
  const folder = await folderWith(home.path)
  await assert.rejects(folder.createLeaf({ ...server, spiffeId: 'controller/c' }), {
    code: 'BAD_SPIFFE_ID',
    message: /names no trust domain/,
  })
  await assert.rejects(folder.createLeaf({ ...server, spiffeId: 'spiffe://x/../y' }), { code: 'BAD_SPIFFE_ID' })
  const { certificate } = await folder.createLeaf({ ...server, spiffeId: 'spiffe://x/router/r' })
  assert.deepEqual(certificate!.names.uri, ['spiffe://x/router/r'])
})

test('an authority that is not there, or whose file is bad, is named', async () => {
  using home = temporaryDirectory()
  const folder = await folderWith(home.path)
  await assert.rejects(folder.createLeaf({ ...server, authority: 'none' }), {
    code: 'NO_SUCH_AUTHORITY',
    message: /"none"/,
  })
  for (const name of ['../mid', '', '.hidden', 'a/b', 'a'.repeat(65), 'a b']) {
    await assert.rejects(folder.createLeaf({ ...server, name }), { code: 'BAD_FILE_NAME' })
    await assert.rejects(folder.createRoot({ name, subject: subject('x') }), { code: 'BAD_FILE_NAME' })
  }
  const key = join(folder.root, 'mid', 'keys', 'mid.key')
  writeFileSync(key, 'no key')
  await assert.rejects(folder.createLeaf(server), { code: 'BAD_PKI_FILE', message: /mid\.key: the input is not PEM/ })
  rmSync(key)
  await assert.rejects(folder.createLeaf(server), { code: 'NO_SUCH_KEY', message: /mid\.key/ })
})

test('an authority without room below it makes none, and leaves nothing behind', async () => {
  using home = temporaryDirectory()
  const folder = await folderWith(home.path)
  const below = { authority: 'mid', name: 'lower', subject: subject('lower') }
  await assert.rejects(folder.createIntermediate(below), { code: 'PATH_TOO_LONG' })
  assert.deepEqual(readdirSync(folder.root).sort(), ['ca', 'mid'])
  const wide = { authority: 'ca', name: 'wide', subject: subject('wide'), pathLength: 1 }
  await folder.createIntermediate(wide)
  await folder.createIntermediate({ ...below, authority: 'wide' })
  const { path } = await folder.loadAuthority('lower')
  assert.deepEqual(
    path.map(({ commonName }) => commonName),
    ['lower', 'wide', 'The root'],
  )
})

test('the list shows each thing once, says what it is, and what cannot be read', async () => {
  using home = temporaryDirectory()
  const folder = await folderWith(home.path)
  await folder.createLeaf(server)
  await folder.createLeaf({ authority: 'mid', name: 'alice', subject: subject('alice'), purpose: 'clientAuth' })
  await folder.createKey({ authority: 'mid', name: 'spare' })
  writeFileSync(join(folder.root, 'mid', 'certs', 'odd.cert'), 'nothing')
  writeFileSync(join(folder.root, 'notes.txt'), 'not part of it')
  const entries = await folder.list()
  assert.deepEqual(
    entries.map(({ authority, name, kind }) => `${authority} ${name} ${kind}`),
    [
      'ca ca root',
      'mid mid intermediate',
      'mid alice client',
      'mid odd unreadable',
      'mid server server',
      'mid spare key',
    ],
  )
  assert.match(entries[3]!.problem!, /odd\.cert: the input is not PEM/)
  assert.deepEqual(await folder.authorities(), ['ca', 'mid'])
  assert.deepEqual(await new PkiFolder(join(home.path, 'none'), { clock: noonClock }).list(), [])
})

test('openssl verifies the chain, and continues where we stopped', { skip: opensslMissing }, async () => {
  using home = temporaryDirectory()
  const folder = new PkiFolder(join(home.path, 'pki'), { clock: Date })
  await folder.createRoot({ name: 'ca', subject: subject('root'), trustDomain: 'x', keyKind: 'RSA-2048' })
  await folder.createIntermediate({ authority: 'ca', name: 'mid', subject: subject('mid'), keyKind: 'P-521' })
  const { files } = await folder.createLeaf({ ...server, keyKind: 'P-384' })
  const at = (...parts: string[]) => join(folder.root, ...parts)
  const trust = ['-CAfile', at('ca', 'certs', 'ca.cert'), '-untrusted', at('mid', 'certs', 'mid.chain.pem')]
  openssl(['verify', '-purpose', 'sslserver', ...trust, files.cert!])
  const csr = await folder.createCertificateRequest({ authority: 'mid', name: 'web', subject: subject('web') })
  const settings = join(home.path, 'ca.cnf')
  writeFileSync(
    settings,
    `[ca]\ndefault_ca = mid\n[mid]\ndatabase = ${at('mid', 'index.txt')}\nserial = ${at('mid', 'serial')}
new_certs_dir = ${at('mid', 'certs')}\ndefault_md = sha256\npolicy = any\n[any]\norganizationName = optional
commonName = supplied\n`,
  )
  const signer = ['-cert', at('mid', 'certs', 'mid.cert'), '-keyfile', at('mid', 'keys', 'mid.key')]
  const made = ['-in', csr.files.request!, '-out', at('mid', 'certs', 'web.cert')]
  openssl(['ca', '-batch', '-notext', '-days', '10', '-config', settings, ...signer, ...made])
  const web = (await folder.list()).find(({ name }) => name === 'web')!
  assert.deepEqual([web.kind, web.certificate!.commonName], ['client', 'web'])
})
