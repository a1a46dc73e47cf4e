/** Certificates are renewed by writing their files: the running controller serves and signs with the new ones. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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

test('a server certificate that is renewed on disk is served, and invitations are signed with it', async () => {
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
    hosts: ['localhost', '127.0.0.1'],
    spiffeId: 'spiffe://weft/controller/controller',
  })
  assert.notEqual(await presentedBy(controller), certificate.fingerprint)
  await writeFile(files.serverKey, encodePrivateKey(key))
  await writeFile(files.serverChain, chainPem)
  const isServed = async () => (await presentedBy(controller)) === certificate.fingerprint || undefined
  await until('the new certificate is served', isServed, { within: 20_000, every: 100 })

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
