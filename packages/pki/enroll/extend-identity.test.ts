import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { parseCertificateRequest } from '../certificate-request.ts'
import { parseLeafCertificate } from '../certificates.ts'
import { type LoadedIdentityFile, loadIdentityFile, writeIdentityFile } from '../identity-file.ts'
import { keyMatchesCertificate, parsePrivateKey } from '../keys.ts'
import { spiffeIdOf } from '../spiffe.ts'
import { type EnrollmentServer, type Intercept, send, startEnrollmentServer } from '../testing/enrollment-server.ts'
import { makeNetwork } from '../testing/network.ts'
import { temporaryDirectory } from '../testing/openssl.ts'
import { enrollIdentity } from './enroll-identity.ts'
import { extendIdentityCertificate, type IdentityHolder } from './extend-identity.ts'
import { extendIdentityFile } from './extend-identity-file.ts'

let server: EnrollmentServer
let intercept: Intercept | undefined
let home: ReturnType<typeof temporaryDirectory>
let path: string

before(async () => {
  server = await startEnrollmentServer({ intercept: (asked, response) => intercept?.(asked, response) })
  home = temporaryDirectory()
  path = join(home.path, 'id.json')
})

after(async () => {
  home[Symbol.dispose]()
  await server[Symbol.asyncDispose]()
})

beforeEach(async () => {
  Object.assign(server.desk, { isExtendable: true, isKeyRollRequested: false })
  intercept = undefined
  await writeIdentityFile(path, (await enrollIdentity(server.invitation('ott'))).file)
})

async function held(file = path): Promise<IdentityHolder & LoadedIdentityFile> {
  const loaded = await loadIdentityFile(file, { clock: Date })
  return { ...loaded, identity: loaded.identity! }
}

const pemOf = (source: string | undefined) => source!.replace(/^pem:/, '')
const printOf = async () => (await held()).identity.client!.certificate.fingerprint

/** Ends the connection in place of an answer to what is asked at a path. */
function losing(part: string, then: 'server acts' | 'server does nothing'): void {
  intercept = (asked, response) => {
    if (!asked.path.endsWith(part)) return undefined
    if (then === 'server acts') server.desk.answer({ ...asked, path: asked.path.replace('/edge/client/v1', '') })
    return response.destroy()
  }
}

test('the same key gets a new certificate, which counts once it was verified', async () => {
  const holder = await held()
  const present = holder.identity.client!.certificate
  const extended = await extendIdentityCertificate(holder)
  assert.equal(extended.hasNewKey, false)
  assert.equal(pemOf(extended.file.id.key), holder.identity.client!.keyPem)
  const [leaf] = extended.chain
  assert.notEqual(leaf!.fingerprint, present.fingerprint)
  assert.equal(leaf!.commonName, present.commonName)
  assert.deepEqual(spiffeIdOf(leaf!), spiffeIdOf(present))
  assert.equal(server.desk.inForce, present.fingerprint)
  await extended.verify()
  assert.equal(server.desk.inForce, leaf!.fingerprint)
})

test('a key roll makes a key of the kind that is wanted; an administrator can ask for it', async () => {
  const wanted = await extendIdentityCertificate(await held(), { key: 'new', keyKind: 'P-384' })
  const key = parsePrivateKey(pemOf(wanted.file.id.key))
  assert.equal(key.asymmetricKeyDetails?.namedCurve, 'secp384r1')
  assert.ok(wanted.hasNewKey && keyMatchesCertificate(key, wanted.chain[0]!))
  server.desk.isKeyRollRequested = true
  assert.equal((await extendIdentityCertificate(await held())).hasNewKey, true)
  assert.equal((await extendIdentityCertificate(await held(), { key: 'keep' })).hasNewKey, false)
})

test('in a session of the caller no other is opened', async () => {
  const before = server.asked.length
  const session = { authenticatorId: 'auth1', headers: { 'zt-session': 'a-session-token' } }
  await extendIdentityCertificate(await held(), { session })
  const [only, ...more] = server.asked.slice(before)
  assert.deepEqual([only!.path, more], ['/edge/client/v1/current-identity/authenticators/auth1/extend', []])
  const { clientCertCsr } = JSON.parse(only!.body) as { clientCertCsr: string }
  assert.equal(
    parseCertificateRequest(clientCertCsr).commonName,
    (await held()).identity.client!.certificate.commonName,
  )
})

test('what the network has not issued, cannot be recognised or is not there is refused by name', async () => {
  server.desk.isExtendable = false
  await assert.rejects(extendIdentityCertificate(await held()), { code: 'NOT_EXTENDABLE' })
  server.desk.isExtendable = true
  const holder = await held()
  const stranger = await makeNetwork('stranger.example', Date)
  const caBundle = [stranger.root.certificate]
  const identity = { ...holder.identity, caBundle, caPem: stranger.root.certificate.pem }
  const before = server.asked.length
  await assert.rejects(extendIdentityCertificate({ ...holder, identity }), { code: 'SERVER_UNTRUSTED' })
  assert.equal(server.asked.length, before, 'nothing was sent')
  const bare = { ...holder, identity: { ...holder.identity, client: undefined } }
  await assert.rejects(extendIdentityCertificate(bare), { code: 'MISSING_INPUT' })
  server.desk.inForce = undefined
  await assert.rejects(extendIdentityCertificate(holder), { code: 'REFUSED', message: /UNAUTHORIZED/ })
})

test('of several controllers the first that answers is asked', async () => {
  const holder = await held()
  const ztAPIs = ['https://127.0.0.1:1/edge/client/v1', holder.file.ztAPI]
  const { chain } = await extendIdentityCertificate({ ...holder, file: { ...holder.file, ztAPIs } })
  assert.equal(server.desk.pending, chain[0]!.fingerprint)
  const none = { ...holder.file, ztAPIs: ztAPIs.slice(0, 1) }
  await assert.rejects(extendIdentityCertificate({ ...holder, file: none }), { code: 'UNREACHABLE' })
})

test('an answer for another key, or without its authorities, is not believed', async () => {
  const holder = await held()
  const { chainPem } = server.network.intermediate.issueClientCertificate({
    subject: { commonName: 'x' },
    publicKey: server.network.publicKey,
  })
  for (const [data, why] of [
    [{ clientCert: chainPem, ca: server.authorities.pem }, /"clientCert" is for another key/],
    [{ ca: server.authorities.pem }, /"clientCert" is missing/],
    [{ clientCert: holder.identity.client!.certPem }, /"ca" is missing/],
  ] as const) {
    intercept = (asked, response) =>
      asked.path.endsWith('/extend') ? (send(response, 200, { data }) ?? 'answered') : undefined
    await assert.rejects(extendIdentityCertificate(holder), { code: 'BAD_ANSWER', message: why })
  }
})

test('a file is extended in place, for its owner alone', async () => {
  const before = await printOf()
  const { certificate, hasNewKey, isResumed } = await extendIdentityFile(path, { key: 'new' })
  assert.deepEqual([hasNewKey, isResumed], [true, false])
  assert.notEqual(certificate.fingerprint, before)
  assert.equal(await printOf(), certificate.fingerprint)
  assert.equal(server.desk.inForce, certificate.fingerprint)
  assert.ok(!existsSync(`${path}.new`))
  if (process.platform !== 'win32') assert.equal(statSync(path).mode & 0o777, 0o600)
  await extendIdentityFile(path)
})

test('an extension whose last answer was lost is found to be complete', async () => {
  losing('/extend-verify', 'server acts')
  await assert.rejects(extendIdentityFile(path, { key: 'new' }), { code: 'UNREACHABLE' })
  intercept = undefined
  const stored = JSON.parse(readFileSync(`${path}.new`, 'utf8')) as { id: { cert: string } }
  const { certificate, isResumed, hasNewKey } = await extendIdentityFile(path)
  assert.deepEqual([isResumed, hasNewKey], [true, true])
  assert.ok(parseLeafCertificate(pemOf(stored.id.cert)).equals(certificate))
  assert.equal(await printOf(), server.desk.inForce)
})

test('an extension that never came into force is begun again', async () => {
  const before = await printOf()
  losing('/extend-verify', 'server does nothing')
  await assert.rejects(extendIdentityFile(path), { code: 'UNREACHABLE' })
  assert.ok(existsSync(`${path}.new`))
  assert.equal(await printOf(), before)
  intercept = undefined
  assert.equal((await extendIdentityFile(path)).isResumed, false)
  assert.equal(await printOf(), server.desk.inForce)
  assert.ok(!existsSync(`${path}.new`))
})

test('a file without a certificate is refused by name', async () => {
  const file = join(home.path, 'by-password.json')
  await writeIdentityFile(file, (await enrollIdentity(server.invitation('updb'), { password: 'correct horse' })).file)
  await assert.rejects(extendIdentityFile(file), { code: 'BAD_IDENTITY_FILE', message: /by-password\.json/ })
})
