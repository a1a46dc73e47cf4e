/** A program on the public Go SDK renews its certificate, and gets in by a token of a provider alone. */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { IdentityProvider } from '../kit/identity-provider.ts'
import { InteropNetwork, sessionKinds } from './interop-network.ts'
import { assertKeptOut } from './kept-out.ts'
import { buildSample, visitSample } from './sample-visit.ts'

const network = await InteropNetwork.start(buildSample)
after(() => network[Symbol.asyncDispose]())
const { admin, client } = network

for (const kind of sessionKinds) {
  test(`a new certificate counts once it is shown to have arrived, and the old one until then (${kind})`, async () => {
    const { id, flags } = await network.certifiedUser(`extending-${kind}`)
    const [authenticator] = await admin.list('/authenticators', `identity = "${id}"`)
    const asked = await admin.post(`/authenticators/${authenticator!['id']}/request-extend`, { rollKeys: true })
    assert.equal(asked.status, 200, asked.text)

    const file = await network.write(`extended-${kind}.json`, '')
    const extend = ['extend', ...flags, '--session', kind, '--out', file]
    const lost = await client.tells([...extend, '--verify=false'])
    assert.partialDeepStrictEqual(lost.one('found'), { isExtendRequested: true, isKeyRollRequested: true })
    await visitSample(network, kind, { id, flags })

    await client.tells(extend)
    await visitSample(network, kind, { id, flags: ['--identity', file] })
    await assertKeptOut(network, kind, flags, 'INVALID_AUTH')
    const again = await client.tells(['extend', '--identity', file, '--session', kind, '--out', file])
    assert.partialDeepStrictEqual(again.one('found'), { isExtendRequested: false, isKeyRollRequested: false })
  })
}

test('somebody whom a provider vouches for enrolls, for a certificate and for tokens', async () => {
  const provider = await IdentityProvider.create('https://idp.example')
  const enrolling = {
    ...{ enrollToCertEnabled: true, enrollToTokenEnabled: true, enrollAuthPolicyId: 'default' },
    ...{ enrollNameClaimsSelector: '/name', enrollAttributeClaimsSelector: '/groups' },
  }
  await admin.create('external-jwt-signers', provider.signer('provider', enrolling))
  const tokenOf = (name: string) =>
    network.write(`${name}.jwt`, provider.token(`${name}-id`, { name, groups: ['users'] }))
  const idOf = async (name: string) => String((await admin.list('/identities', `name = "${name}"`))[0]!['id'])

  const anna = network.without('--token', await tokenOf('anna'))
  const file = await network.write('anna.json', '')
  const certified = await client.tells(['enroll-by-token', ...anna, '--out', file])
  assert.equal(certified.one('enrolled')['hasCertificate'], true)
  for (const kind of sessionKinds)
    await visitSample(network, kind, { id: await idOf('anna'), flags: ['--identity', file] })

  const bert = network.without('--token', await tokenOf('bert'))
  const trusted = await client.tells(['enroll-by-token', ...bert])
  assert.equal(trusted.one('enrolled')['hasCertificate'], false)
  for (const kind of sessionKinds) await visitSample(network, kind, { id: await idOf('bert'), flags: bert })
  const { code } = await client.fails(['enroll-by-token', ...bert])
  assert.equal(code, 'ENROLLMENT_IDENTITY_ALREADY_ENROLLED')
})
