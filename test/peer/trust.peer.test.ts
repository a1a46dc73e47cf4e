/** The stock CLI shows to hold a CA's key, and changes what a certificate of it means. */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { PeerNetwork } from './peer-network.ts'

const network = await PeerNetwork.start()
after(() => network[Symbol.asyncDispose]())
const { cli } = network

for (const { kind, flags } of [
  { kind: 'elliptic', flags: ['--curve', 'P384'] },
  { kind: 'RSA', flags: ['--private-key-size', '2048'] },
]) {
  test(`proves an ${kind} CA`, async () => {
    const name = `proven-${kind}`
    const { cert, key } = await network.makeCa(name, ...flags)
    await cli.says('edge', 'create', 'ca', name, cert, '-e')
    await cli.says('edge', 'verify', 'ca', name, '--cacert', cert, '--cakey', key)
    assert.partialDeepStrictEqual(await cli.named('cas', name), { isVerified: true })
    assert.match(await cli.says('edge', 'list', 'cas', `name = "${name}"`), /\[VE\]/)
    assert.match(
      await cli.refuses('edge', 'verify', 'ca', name, '--cacert', cert, '--cakey', key),
      /CA_ALREADY_VERIFIED/,
    )
  })
}

test('does not prove a CA with the certificate of another', async () => {
  const { cert } = await network.makeCa('unproven', '--curve', 'P256')
  const other = await network.makeCa('stranger', '--curve', 'P256')
  await cli.says('edge', 'create', 'ca', 'unproven', cert)
  assert.match(await cli.refuses('edge', 'verify', 'ca', 'unproven', '--cert', other.cert), /INVALID_COMMON_NAME/)
  assert.match(
    await cli.refuses('edge', 'update', 'ca', 'unproven', '--verify', '--cert', other.cert),
    /INVALID_COMMON_NAME/,
  )
  const forged = ['--cacert', other.cert, '--cakey', other.key]
  assert.match(await cli.refuses('edge', 'verify', 'ca', 'unproven', ...forged), /CERTIFICATE_FAILED_VALIDATION/)
  assert.partialDeepStrictEqual(await cli.named('cas', 'unproven'), { isVerified: false })
})

test('gives a CA a claim, changes part of it, leaves it and takes it away', async () => {
  const { cert } = await network.makeCa('claiming', '--curve', 'P256')
  await cli.says('edge', 'create', 'ca', 'claiming', cert, '-a', 'one')
  const update = (...flags: string[]) => cli.says('edge', 'update', 'ca', 'claiming', ...flags)
  const claim = async () => (await cli.named('cas', 'claiming'))['externalIdClaim']
  const none = { matcherCriteria: '', parserCriteria: '', index: 0 }

  await update('-l', 'COMMON_NAME', '-m', 'ALL', '-p', 'NONE')
  assert.deepEqual(await claim(), { location: 'COMMON_NAME', matcher: 'ALL', parser: 'NONE', ...none })
  await update('-m', 'PREFIX', '-x', 'user-')
  assert.partialDeepStrictEqual(await claim(), { location: 'COMMON_NAME', matcher: 'PREFIX', matcherCriteria: 'user-' })
  await update('-a', 'two')
  assert.partialDeepStrictEqual(await claim(), { matcher: 'PREFIX' })
  assert.match(await cli.refuses('edge', 'update', 'ca', 'claiming', '-m', 'SCHEME'), /unsupported matcher/)
  await update('--clear-external-id-claim')
  assert.equal(await claim(), undefined)
  assert.partialDeepStrictEqual(await cli.named('cas', 'claiming'), { identityRoles: ['two'] })
  assert.match(await cli.refuses('edge', 'update', 'ca', 'claiming', '-d', '2'), /unsupported location/)
})

test('does not take a CA twice, nor a certificate that is none', async () => {
  const { cert } = await network.makeCa('twice', '--curve', 'P256')
  await cli.says('edge', 'create', 'ca', 'twice', cert)
  assert.match(await cli.refuses('edge', 'create', 'ca', 'thrice', cert), /certificate already used as CA/)
  assert.match(await cli.refuses('edge', 'create', 'ca', 'none', await network.write('none.pem', 'none')), /certPem/)
})

test('lets several signers have no key id, and refuses the issuer of another', async () => {
  const signer = (name: string, issuer: string) =>
    ['edge', 'create', 'ext-jwt-signer', name, issuer, '-u', `${issuer}/jwks`, '-a', 'audience'] as const
  await cli.says(...signer('signer-1', 'https://one.example'))
  await cli.says(...signer('signer-2', 'https://two.example'))
  assert.match(await cli.refuses(...signer('signer-3', 'https://one.example')), /issuer/)
  assert.match(await cli.says('edge', 'list', 'ext-jwt-signers'), /^results: 1-2 of 2$/m)
})
