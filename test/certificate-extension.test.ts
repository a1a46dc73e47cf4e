/** Certificates of identities and routers are extended by those who hold them, at a real controller. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  type EnrollError,
  encodeIdentityFile,
  enrollRouter,
  extendIdentityCertificate,
  extendRouterCertificates,
  type Identity,
  type LoadedIdentityFile,
  loadIdentityFile,
  loadIdentitySection,
  writeRouterIdentity,
} from '@weft/pki'
import { enrolledInto, invited, invitedRouter } from './kit/invitations.ts'
import { sharedStart } from './kit/running.ts'
import { weftRefuses, weftSays } from './kit/weft-command.ts'

const running = sharedStart()
const inHome = (name: string) => join(running().controller.home, name)

async function held(file: string): Promise<LoadedIdentityFile & { readonly identity: Identity }> {
  const loaded = await loadIdentityFile(file, { clock: Date })
  assert.deepEqual(loaded.problems, [])
  return { ...loaded, identity: loaded.identity! }
}

async function printOf(file: string): Promise<string> {
  return (await held(file)).identity.client!.certificate.fingerprint
}

async function authenticatorOf(identityId: string): Promise<Record<string, unknown>> {
  const [found] = await running().admin.list('/authenticators', `identity = "${identityId}"`)
  return found!
}

test('weft enroll makes an identity file once, and keeps the token unless told otherwise', async () => {
  const { admin } = running()
  const file = inHome('alice.json')
  const id = await enrolledInto(file, admin, 'alice')
  assert.ok(existsSync(`${file}.jwt`))
  if (process.platform !== 'win32') assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.equal((await authenticatorOf(id))['fingerprint'], await printOf(file))
  const before = await readFile(file, 'utf8')
  assert.match(await weftRefuses('enroll', `${file}.jwt`, '-o', file), /is there already.*--allow-overwrite/)
  assert.match(await weftRefuses('enroll', `${file}.jwt`, '-o', inHome('twice.json')), /INVALID_ENROLLMENT_TOKEN/)
  assert.ok(!existsSync(inHome('twice.json')), 'no empty file is left')
  assert.equal(await readFile(file, 'utf8'), before)

  const { jwt } = await invited(admin, 'bob')
  await writeFile(inHome('bob.jwt'), jwt)
  const said = await weftSays('edge', 'enroll', '--jwt', inHome('bob.jwt'), '-a', 'RSA', '--rm', '--json')
  assert.partialDeepStrictEqual(JSON.parse(said), { method: 'ott', file: inHome('bob.json') })
  assert.equal((await held(inHome('bob.json'))).identity.client!.key.asymmetricKeyType, 'rsa')
  assert.ok(!existsSync(inHome('bob.jwt')))
})

test('an identity gets a new certificate, which the controller takes once it was verified', async () => {
  const { admin } = running()
  const file = inHome('carol.json')
  const id = await enrolledInto(file, admin, 'carol')
  const holder = await held(file)
  const present = holder.identity.client!.certificate
  const extended = await extendIdentityCertificate(holder)
  assert.equal((await authenticatorOf(id))['fingerprint'], present.fingerprint)
  await extended.verify()
  assert.equal((await authenticatorOf(id))['fingerprint'], extended.chain[0]!.fingerprint)
  assert.deepEqual(extended.chain[0]!.names.uri, present.names.uri)
  await assert.rejects(extendIdentityCertificate(holder), (error: EnrollError) => error.refusal?.status === 401)
})

test('weft extend renews the file in place, with a new key when an administrator asks for one', async () => {
  const { admin } = running()
  const file = inHome('dave.json')
  const id = await enrolledInto(file, admin, 'dave')
  const first = await held(file)
  assert.match(await weftSays('extend', file), /dave\.json has a new certificate\. It ends \d{4}-/)
  const second = await held(file)
  assert.notEqual(second.identity.client!.certificate.fingerprint, first.identity.client!.certificate.fingerprint)
  assert.ok(second.identity.client!.key.equals(first.identity.client!.key))

  const { id: authenticatorId } = await authenticatorOf(id)
  const asked = await admin.post(`/authenticators/${authenticatorId}/request-extend`, { rollKeys: true })
  assert.equal(asked.status, 200, asked.text)
  assert.partialDeepStrictEqual(JSON.parse(await weftSays('extend', file, '--json')), { hasNewKey: true })
  assert.ok(!(await held(file)).identity.client!.key.equals(first.identity.client!.key))
  const rolled = await authenticatorOf(id)
  assert.equal(rolled['fingerprint'], await printOf(file))
  assert.ok(!rolled['isExtendRequested'] && !rolled['isKeyRollRequested'], 'the request is met')
})

test('weft extend takes up what was interrupted, whichever certificate came into force', async () => {
  const { admin } = running()
  const file = inHome('erin.json')
  await enrolledInto(file, admin, 'erin')
  const holder = await held(file)
  const stale = await extendIdentityCertificate(holder)
  await writeFile(`${file}.new`, encodeIdentityFile(stale.file), { mode: 0o600 })
  assert.partialDeepStrictEqual(JSON.parse(await weftSays('extend', file, '--json')), { isResumed: false })

  const verified = await extendIdentityCertificate(await held(file), { key: 'new' })
  await writeFile(`${file}.new`, encodeIdentityFile(verified.file), { mode: 0o600 })
  await verified.verify()
  const said = JSON.parse(await weftSays('extend', file, '--json'))
  assert.partialDeepStrictEqual(said, { isResumed: true, fingerprint: verified.chain[0]!.fingerprint })
  assert.equal(await printOf(file), verified.chain[0]!.fingerprint)
})

test('a router extends both certificates, and the former ones are refused', async () => {
  const { admin, controller } = running()
  const { id, jwt } = await invitedRouter(admin, 'er1')
  const files = { key: inHome('r.key'), cert: inHome('r.cert'), serverCert: inHome('r.server'), ca: inHome('r.cas') }
  await writeRouterIdentity(files, await enrollRouter(jwt, { names: { dns: ['er1.example'] } }))
  const load = async () => {
    const section = { cert: files.cert, key: files.key, server_cert: files.serverCert, ca: files.ca }
    const { identity, problems } = await loadIdentitySection(section, { baseDirectory: '/', clock: Date })
    assert.deepEqual(problems, [])
    return identity!
  }
  const present = await load()
  const clientApi = `${controller.url}/edge/client/v1`
  const extended = await extendRouterCertificates(present, clientApi)
  await writeRouterIdentity(files, extended)
  assert.equal(extended.routerId, id)
  assert.ok(extended.serverChain[0]!.coversHost('er1.example'))
  const { fingerprint } = await admin.detail(`/edge-routers/${id}`)
  assert.equal(fingerprint, (await load()).client!.certificate.fingerprint)
  await assert.rejects(
    extendRouterCertificates(present, clientApi),
    (error: EnrollError) => error.refusal?.status === 401,
  )
  await extendRouterCertificates(await load(), clientApi)
})
