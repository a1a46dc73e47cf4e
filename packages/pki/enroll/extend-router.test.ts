import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Identity, loadIdentitySection } from '../identity-section.ts'
import { generatePrivateKey, keyMatchesCertificate } from '../keys.ts'
import { type EnrollmentServer, startEnrollmentServer } from '../testing/enrollment-server.ts'
import { temporaryDirectory } from '../testing/openssl.ts'
import { enrollRouter, type RouterFiles, writeRouterIdentity } from './enroll-router.ts'
import { extendRouterCertificates } from './extend-router.ts'

let server: EnrollmentServer
let clientApi: string

before(async () => {
  server = await startEnrollmentServer()
  clientApi = `https://${server.address}/edge/client/v1`
})

after(() => server[Symbol.asyncDispose]())

async function loaded({ key, cert, serverCert, ca }: RouterFiles): Promise<Identity> {
  const section = { cert, key, server_cert: serverCert, ca }
  const { identity, problems } = await loadIdentitySection(section, { baseDirectory: '/', clock: Date })
  assert.deepEqual(problems, [])
  return identity!
}

async function enrolled(directory: string): Promise<RouterFiles> {
  const at = (name: string) => join(directory, name)
  const files = { key: at('r.key'), cert: at('r.cert'), serverCert: at('r.server.cert'), ca: at('r.cas') }
  const names = { dns: ['er1.weft.example'], ip: ['127.0.0.1'], email: [], uri: [] }
  await writeRouterIdentity(files, await enrollRouter(server.invitation('erott', { subjectId: 'r1' }), { names }))
  return files
}

test('both certificates are extended for the key that is there, under the names that are there', async () => {
  using home = temporaryDirectory()
  const files = await enrolled(home.path)
  const present = await loaded(files)
  const extended = await extendRouterCertificates(present, clientApi)
  assert.equal(extended.routerId, 'r1')
  assert.ok(extended.key.equals(present.client!.key))
  assert.deepEqual(extended.serverChain[0]!.names, present.servers[0]!.certificate.names)
  await writeRouterIdentity(files, extended)
  const renewed = await loaded(files)
  assert.notEqual(renewed.client!.certificate.fingerprint, present.client!.certificate.fingerprint)
  assert.equal(server.desk.inForce, renewed.client!.certificate.fingerprint)
  await assert.rejects(extendRouterCertificates(present, clientApi), { code: 'REFUSED', message: /UNAUTHORIZED/ })
})

test('a new key and other names are taken where they are given', async () => {
  using home = temporaryDirectory()
  const present = await loaded(await enrolled(home.path))
  const key = await generatePrivateKey('P-384')
  const options = { key, names: { dns: ['other.example'] }, subject: { organization: 'Example' } }
  const { clientChain, serverChain } = await extendRouterCertificates(present, clientApi, options)
  for (const chain of [clientChain, serverChain]) assert.ok(keyMatchesCertificate(key, chain[0]!))
  assert.ok(serverChain[0]!.coversHost('other.example') && !serverChain[0]!.coversHost('er1.weft.example'))
})
