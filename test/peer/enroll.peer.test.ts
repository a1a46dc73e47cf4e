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
      cert: { fingerprint: fingerprintOf(leaf) },
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
  const fingerprint = fingerprintOf(dialing)
  assert.partialDeepStrictEqual(await cli.named('edge-routers', 'router'), { isVerified: true, fingerprint })
})

test('a transit router enrolls by the same command', async () => {
  await cli.says('edge', 'create', 'transit-router', 'transit', '-o', 'transit.jwt')
  await network.write(
    'transit.yml',
    `v: 3
identity: { cert: t.cert, server_cert: t.server.cert, key: t.key, ca: t.cas }
ctrl: { endpoint: "tls:127.0.0.1:6262" }
csr: { sans: { dns: [transit.example], ip: ["127.0.0.1"] } }
`,
  )
  await cli.says('router', 'enroll', 'transit.yml', '-j', 'transit.jwt', '-a', 'EC')
  const listening = new X509Certificate(await network.read('t.server.cert'))
  assert.ok(listening.checkHost('transit.example') && listening.checkIP('127.0.0.1'))
  const fingerprint = fingerprintOf(new X509Certificate(await network.read('t.cert')))
  assert.partialDeepStrictEqual(await cli.named('transit-routers', 'transit'), { isVerified: true, fingerprint })
})

test('an identity is invited again in place of its certificate, which ends with that', async () => {
  await cli.says('edge', 'create', 'identity', 'again', '-A', '-o', 'again.jwt')
  await cli.says('edge', 'enroll', '-j', 'again.jwt', '-o', 'again-1.json', '-a', 'EC')
  const login = (file: string) => [
    'edge',
    'login',
    controller.url,
    '-f',
    file,
    '--ca',
    network.caFile,
    '--ignore-config',
  ]
  await cli.says(...login('again-1.json'))
  const { authenticators } = await cli.named('identities', 'again')
  const authenticator = (authenticators as { cert: { id: string } }).cert.id

  await cli.says('edge', 'update', 'authenticator', 'cert', authenticator, '--re-enroll')
  await cli.refuses(...login('again-1.json'))
  const { enrollment } = await cli.named('identities', 'again')
  await network.write('again-2.jwt', (enrollment as { ott: { jwt: string } }).ott.jwt)
  await cli.says('edge', 'enroll', '-j', 'again-2.jwt', '-o', 'again-2.json', '-a', 'EC')
  await cli.says(...login('again-2.json'))
})

test('a certificate is asked to be extended, with its key and with a new one', async () => {
  await cli.says('edge', 'create', 'identity', 'extended', '-o', 'extended.jwt')
  await cli.says('edge', 'enroll', '-j', 'extended.jwt', '-o', 'extended.json', '-a', 'EC')
  const flags = async () => {
    const [authenticator] = await cli.list('authenticators', `identity = "${await cli.idOf('identities', 'extended')}"`)
    const { id, isExtendRequested = false, isKeyRollRequested = false } = authenticator!
    return { id: String(id), asked: [isExtendRequested, isKeyRollRequested] }
  }
  const { id, asked } = await flags()
  assert.deepEqual(asked, [false, false])
  await cli.says('edge', 'update', 'authenticator', 'cert', id, '--request-extend')
  assert.deepEqual((await flags()).asked, [true, false])
  await cli.says('edge', 'update', 'authenticator', 'cert', id, '--request-key-roll')
  assert.deepEqual((await flags()).asked, [true, true])
})

test('an invitation is worth nothing once it is withdrawn', async () => {
  await cli.says('edge', 'create', 'identity', 'withdrawn', '-o', 'withdrawn.jwt')
  await cli.says('edge', 'delete', 'identity', 'withdrawn')
  const enroll = ['edge', 'enroll', '-j', 'withdrawn.jwt', '-o', 'withdrawn.json', '-a', 'EC']
  assert.match(await cli.refuses(...enroll), /INVALID_ENROLLMENT_TOKEN/)
})

function fingerprintOf({ fingerprint }: X509Certificate): string {
  return fingerprint.replaceAll(':', '').toLowerCase()
}
