/** The stock CLI and the stock router enroll with the controller by every way they know. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { ApiClient } from '../kit/api-client.ts'
import { PeerNetwork } from './peer-network.ts'

const network = await PeerNetwork.start()
after(() => network[Symbol.asyncDispose]())
const { cli, controller } = network

interface IdentityFile {
  readonly ztAPI: string
  readonly id: { readonly cert: string; readonly ca: string }
}

async function identityFile(name: string): Promise<IdentityFile> {
  return JSON.parse(await network.read(name))
}

/** A certificate that an authority of the CLI gives to somebody: the flags by which it is presented. */
async function certified(ca: string, name: string): Promise<readonly string[]> {
  const root = network.path('pki')
  const flags = ['--ca-name', ca, '--client-file', name, '--client-name', name, '--curve', 'P256']
  await cli.says('pki', 'create', 'client', '--pki-root', root, ...flags)
  return ['-c', join(root, ca, 'certs', `${name}.cert`), '-k', join(root, ca, 'keys', `${name}.key`)]
}

async function provenCa(name: string): Promise<void> {
  const { cert, key } = await network.makeCa(name, '--curve', 'P256')
  await cli.says('edge', 'create', 'ca', name, cert, '-e', '-o', '-u', '-a', 'enrolled')
  await cli.says('edge', 'verify', 'ca', name, '--cacert', cert, '--cakey', key)
}

for (const algorithm of ['EC', 'RSA']) {
  test(`an identity enrolls with a key of kind ${algorithm} and logs in by its certificate; its token is used up`, async () => {
    const name = `one-time-${algorithm}`
    await cli.says('edge', 'create', 'identity', name, '-A', '-o', `${name}.jwt`)
    const token = await network.read(`${name}.jwt`)
    const enroll = ['edge', 'enroll', '-j', `${name}.jwt`, '-o', `${name}.json`, '-a', algorithm]
    await cli.says(...enroll)
    const { ztAPI, id } = await identityFile(`${name}.json`)
    assert.equal(ztAPI, `${controller.url}/edge/client/v1`)
    const leaf = new X509Certificate(id.cert.slice('pem:'.length))
    assert.equal(leaf.subjectAltName, `URI:spiffe://weft/identity/${await cli.idOf('identities', name)}`)
    assert.equal(id.ca.match(/BEGIN CERTIFICATE/g)?.length, 2)
    const { authenticators } = await cli.named('identities', name)
    assert.partialDeepStrictEqual(authenticators, {
      cert: { fingerprint: leaf.fingerprint.replaceAll(':', '').toLowerCase() },
    })
    await cli.says('edge', 'login', controller.url, '-f', `${name}.json`, '--ca', network.caFile, '--ignore-config')
    // Enrolling has removed the file.
    await network.write(`${name}.jwt`, token)
    assert.match(await cli.refuses(...enroll), /The supplied token is not valid/)
  })
}

test('an identity enrolls with a password and logs in by it', async () => {
  await cli.says('edge', 'create', 'identity', 'by-password', '--updb', 'password-user', '-A', '-o', 'password.jwt')
  const chosen = ['-u', 'password-user', '-p', 'correct horse']
  await cli.says('edge', 'enroll', '-j', 'password.jwt', ...chosen)
  const { authenticators } = await cli.named('identities', 'by-password')
  assert.partialDeepStrictEqual(authenticators, { updb: { username: 'password-user' } })
  await cli.says('edge', 'login', controller.url, ...chosen, '--ca', network.caFile, '--ignore-config')
})

test('holders of a certificate of a proven CA enroll by it, with an invitation and without', async () => {
  await provenCa('partners')
  await cli.says('edge', 'create', 'identity', 'by-invitation')
  await cli.says('edge', 'create', 'enrollment', 'ottca', 'by-invitation', 'partners')
  const { enrollment } = await cli.named('identities', 'by-invitation')
  await network.write('ottca.jwt', (enrollment as { ottca: { jwt: string } }).ottca.jwt)
  const invited = await certified('partners', 'invited')
  await cli.says('edge', 'enroll', '-j', 'ottca.jwt', '-o', 'ottca.json', ...invited)
  assert.ok('cert' in ((await cli.named('identities', 'by-invitation'))['authenticators'] as object))

  using api = await ApiClient.login(controller)
  const { text } = await api.get(`/cas/${await cli.idOf('cas', 'partners')}/jwt`)
  await network.write('ca.jwt', text)
  const device = await certified('partners', 'device-1')
  await cli.says('edge', 'enroll', '-j', 'ca.jwt', '-o', 'ca.json', ...device)
  assert.partialDeepStrictEqual(await cli.named('identities', 'partners-device-1'), { roleAttributes: ['enrolled'] })
  assert.match(await cli.refuses('edge', 'enroll', '-j', 'ca.jwt', '-o', 'again.json', ...device), /already|409|CERT/i)
})

test('a router enrolls and keeps what it gets in its files', async () => {
  await cli.says('edge', 'create', 'edge-router', 'router', '-o', 'router.jwt')
  await network.write(
    'router.yml',
    `v: 3
identity: { cert: r.cert, server_cert: r.server.cert, key: r.key, ca: r.cas }
ctrl: { endpoint: "tls:127.0.0.1:6262" }
listeners:
  - binding: edge
    address: tls:127.0.0.1:3022
    options: { advertise: "127.0.0.1:3022" }
edge:
  csr: { sans: { dns: [router.example], ip: ["127.0.0.1"] } }
`,
  )
  await cli.says('router', 'enroll', 'router.yml', '-j', 'router.jwt', '-a', 'EC')
  const id = await cli.idOf('edge-routers', 'router')
  const dialing = new X509Certificate(await network.read('r.cert'))
  const listening = new X509Certificate(await network.read('r.server.cert'))
  assert.match(dialing.subject, new RegExp(`CN=${id.replaceAll('.', '\\.')}$`, 'm'))
  assert.ok(listening.checkHost('router.example') && listening.checkIP('127.0.0.1'))
  assert.ok(existsSync(network.path('r.cas')))
  const fingerprint = dialing.fingerprint.replaceAll(':', '').toLowerCase()
  assert.partialDeepStrictEqual(await cli.named('edge-routers', 'router'), { isVerified: true, fingerprint })
})
