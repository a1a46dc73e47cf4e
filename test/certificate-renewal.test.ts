/** Certificates are renewed by writing their files: the running controller serves and signs with the new ones. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test from 'node:test'
import { connect } from 'node:tls'
import { encodePrivateKey, generatePrivateKey, loadSigningCertificate, pkiFiles, publicKeyOf } from '@weft/pki'
import { ApiClient } from './kit/api-client.ts'
import { ControllerProcess } from './kit/controller-process.ts'
import { until } from './kit/patience.ts'
import { readToken } from './peer/enrollment-token.ts'

async function presentedBy({ port, ca }: ControllerProcess): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' })
  await once(socket, 'secureConnect')
  const { fingerprint } = socket.getPeerX509Certificate()!
  socket.destroy()
  return fingerprint.replaceAll(':', '').toLowerCase()
}

/** What the OIDC provider calls itself for those who ask for a host; undefined where it is none of its own. */
async function issuerFor(host: string, { port, ca }: ControllerProcess): Promise<string | undefined> {
  const path = '/oidc/.well-known/openid-configuration'
  const headers = { host: `${host}:${port}` }
  // The name is asked for before any certificate has it.
  const own = { checkServerIdentity: () => undefined }
  const request = https.get({ host: '127.0.0.1', port, ca, path, headers, agent: false, ...own })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const said = await text(response)
  return response.statusCode === 200 ? JSON.parse(said).issuer : undefined
}

test('a server certificate that is renewed on disk is served, and what is signed and told follows it', async () => {
  await using controller = await ControllerProcess.start()
  const directory = join(controller.home, 'pki')
  const files = pkiFiles(directory)
  const options = { baseDirectory: directory, clock: Date }
  const { signing } = await loadSigningCertificate(
    { cert: files.intermediateCert, key: files.intermediateKey },
    options,
  )
  const key = await generatePrivateKey('P-256')
  const { certificate, chainPem } = signing!.authority.issueServerCertificate({
    subject: { commonName: 'controller' },
    publicKey: publicKeyOf(key),
    hosts: ['localhost', '127.0.0.1', 'renewed.example'],
    spiffeId: 'spiffe://weft/controller/controller',
  })
  assert.notEqual(await presentedBy(controller), certificate.fingerprint)
  assert.equal(await issuerFor('renewed.example', controller), undefined)
  await writeFile(files.serverKey, encodePrivateKey(key))
  await writeFile(files.serverChain, chainPem)
  const isServed = async () => (await presentedBy(controller)) === certificate.fingerprint || undefined
  await until('the new certificate is served', isServed, { within: 20_000, every: 100 })
  assert.equal(await issuerFor('renewed.example', controller), `https://renewed.example:${controller.port}/oidc`)

  using api = await ApiClient.login(controller)
  const id = await api.create('identities', {
    name: 'late',
    type: 'Default',
    isAdmin: false,
    enrollment: { ott: true },
  })
  const { body } = await api.get(`/identities/${id}`)
  const { enrollment } = body!.data as { enrollment: { ott: { jwt: string } } }
  const { sub } = await readToken(enrollment.ott.jwt, controller)
  assert.equal(sub, id)
  const listed = (await api.get('/controllers')).body!.data as { fingerprint: string }[]
  assert.deepEqual(
    listed.map(({ fingerprint }) => fingerprint),
    [certificate.fingerprint],
  )
})
