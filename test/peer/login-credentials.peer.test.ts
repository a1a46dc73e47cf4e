/**
 * The stock CLI logs in by certificate, by identity file and by a token of an external provider.
 *
 * A session that a certificate opened is bound to that certificate. `edge` commands carry the session alone, so what such a
 * login is worth is judged by `ops export`, which logs in and works in one process.
 */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { IdentityProvider } from '../kit/identity-provider.ts'
import type { Json } from './peer-cli.ts'
import { PeerNetwork } from './peer-network.ts'

const provider = await IdentityProvider.create('https://idp.example')
const network = await PeerNetwork.start(build)
after(() => network[Symbol.asyncDispose]())
const { cli, caFile } = network
const { url } = network.controller

const byCertificate = ['-c', 'chief.cert', '-k', 'chief.key']
const byFile = ['-f', 'chief.json']
const byToken = ['-e', 'chief.jwt']

for (const [credential, flags] of [
  ['a certificate', byCertificate],
  ['an identity file', byFile],
] as const) {
  test(`logs in by ${credential}; without the certificate, the session opens nothing`, async () => {
    const said = await cli.says('edge', 'login', url, ...flags, '--ca', caFile, '-i', 'certified')
    assert.match(said, /^Saving identity 'certified' to /m)
    assert.match(await cli.refuses('edge', 'list', 'identities', '-i', 'certified'), /401 Unauthorized/)
  })
}

for (const [credential, flags] of [
  ['a certificate', byCertificate],
  ['an identity file', byFile],
  ['a token', byToken],
  ['a password', network.credentials],
] as const) {
  test(`logs in by ${credential} and works in the same process`, async () => {
    assert.deepEqual(await exportedNames(flags), ['admin', 'chief', 'clerk'])
  })
}

test('finds the controller by the identity file alone', async () => {
  await cli.says('edge', 'login', ...byFile, '--ca', caFile, '-i', 'found')
  const said = await cli.says('edge', 'login', ...byFile, '-y', '-i', 'found')
  assert.match(said, /^Saving identity 'found' to /m)
})

test('logs in by a token, reads and writes', async () => {
  await cli.says('edge', 'login', url, ...byToken, '--ca', caFile, '-i', 'token')
  assert.match(await cli.says('edge', 'list', 'identities', '-i', 'token'), /results: 1-3 of 3/)
  await cli.says('edge', 'create', 'service', 'by-token', '-i', 'token')
  assert.equal((await cli.list('services', 'name = "by-token"')).length, 1)
})

test('gets by a token no more than the identity may', async () => {
  await network.write('clerk.jwt', provider.token('clerk-1'))
  await cli.says('edge', 'login', url, '-e', 'clerk.jwt', '--ca', caFile, '-i', 'clerk')
  assert.match(await cli.refuses('edge', 'list', 'identities', '-i', 'clerk'), /not authorized/)
})

const now = Math.floor(Date.now() / 1_000)
for (const [reason, subject, claims] of [
  ['has expired', 'chief-1', { exp: now - 60 }],
  ['is meant for others', 'chief-1', { aud: 'elsewhere' }],
  ['is of somebody whom nobody knows', 'stranger', {}],
  ['names another issuer', 'chief-1', { iss: 'https://other.example' }],
] as const) {
  test(`is refused with a token that ${reason}`, async () => {
    await network.write('refused.jwt', provider.token(subject, claims))
    await assertRefused('-e', 'refused.jwt')
  })
}

test('is refused with the token of a provider that only pretends', async () => {
  const pretender = await IdentityProvider.create(provider.issuer)
  await network.write('forged.jwt', pretender.token('chief-1'))
  await assertRefused('-e', 'forged.jwt')
})

test('is refused with a certificate of an authority that nobody has proven', async () => {
  await network.makeCa('stranger', '--curve', 'P256')
  const whose = ['--ca-name', 'stranger', '--client-file', 'strange', '--client-name', 'chief', '--curve', 'P256']
  await cli.says('pki', 'create', 'client', '--pki-root', network.path('pki'), ...whose)
  const [cert, key] = ['certs/strange.cert', 'keys/strange.key'].map((file) => network.path(`pki/stranger/${file}`))
  const id = { cert: `file://${cert}`, key: `file://${key}`, ca: `file://${caFile}` }
  await network.write('stranger.json', { ztAPI: `${url}/edge/client/v1`, id })
  await assertRefused('-f', 'stranger.json')
})

test('loses the ways that are taken from it', async () => {
  await cli.says('edge', 'update', 'ext-jwt-signer', 'provider', '--enabled=false')
  await assertRefused(...byToken)
  const [authenticator] = await cli.list('authenticators', 'method = "cert"')
  await cli.says('edge', 'delete', 'authenticator', String(authenticator!['id']))
  await assertRefused(...byCertificate)
  await assertRefused(...byFile)
})

async function assertRefused(...flags: readonly string[]): Promise<void> {
  const said = await cli.refuses('edge', 'login', url, ...flags, '--ca', caFile, '-i', 'refused')
  assert.match(said, /401|INVALID_AUTH|UNAUTHORIZED/)
}

/** The names of all identities, taken out by somebody who logs in for it. */
async function exportedNames(flags: readonly string[]): Promise<unknown[]> {
  const said = await cli.says(
    ...['ops', 'export', 'identity', '--controller-url', url, ...flags, '--ca', caFile, '--ignore-config'],
  )
  const { identities } = JSON.parse(/^\{$.*?^\}$/ms.exec(said)![0]) as { identities: Json[] }
  return identities.map(({ name }) => name).sort()
}

/** A chief who may log in by a certificate and by a token, and a clerk without rights who has a token too. */
async function build(started: PeerNetwork): Promise<void> {
  const { cli } = started
  await cli.says('edge', 'create', 'identity', 'chief', '-A', '--external-id', 'chief-1', '-o', 'invitation.jwt')
  // The flag for a key takes RSA.
  await cli.says('edge', 'enroll', '-j', 'invitation.jwt', '-o', 'chief.json', '-a', 'RSA')
  await cli.says('ops', 'unwrap', 'chief.json')
  await cli.says('edge', 'create', 'identity', 'clerk', '--external-id', 'clerk-1')
  const { issuer, audience, keyId } = provider
  const certificate = await started.write('provider.cert', provider.certificate)
  const trusted = ['--audience', audience, '--cert-file', certificate, '--kid', keyId, '--external-id']
  await cli.says('edge', 'create', 'ext-jwt-signer', 'provider', issuer, ...trusted)
  await started.write('chief.jwt', provider.token('chief-1'))
}
