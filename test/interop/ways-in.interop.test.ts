/** A program on the public Go SDK enrolls, logs in by every credential, sees what it may reach and opens sessions. */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { systemClock } from '@weft/controller'
import { CertificateAuthority, encodePrivateKey, generatePrivateKey, publicKeyOf } from '@weft/pki'
import { IdentityProvider } from '../kit/identity-provider.ts'
import { primaryFactors } from '../kit/specimens.ts'
import { InteropNetwork, sessionKinds } from './interop-network.ts'
import { assertKeptOut } from './kept-out.ts'
import { buildSample, visitSample } from './sample-visit.ts'

const network = await InteropNetwork.start(buildSample)
after(() => network[Symbol.asyncDispose]())
const { admin, client, controller } = network

for (const algorithm of ['EC', 'RSA']) {
  test(`enrolls with a key of kind ${algorithm}, once, and logs in by the certificate`, async () => {
    const id = await network.createUser(`ott-${algorithm}`, { enrollment: { ott: true } })
    const invitation = await network.invitation(id)
    const identity = `${invitation}.json`
    const enroll = ['enroll', '--invitation', invitation, '--out', identity, '--key-algorithm', algorithm]
    const told = await client.tells(enroll)
    assert.partialDeepStrictEqual(told.one('invited'), { method: 'ott', subject: id, issuer: controller.url })
    assert.equal(told.one('enrolled')['api'], `${controller.url}/edge/client/v1`)
    for (const kind of sessionKinds) {
      const visited = await visitSample(network, kind, { id, flags: ['--identity', identity] })
      assert.equal(visited.one('authenticated')['hasSessionCertificate'], false)
    }
    const { message } = await client.fails(enroll)
    assert.match(String(message), /INVALID_ENROLLMENT_TOKEN/)
  })
}

test('gets a session of the kind that the controller offers', async () => {
  const { flags } = await network.certifiedUser('offered')
  const told = await client.tells(['visit', ...flags])
  assert.equal(told.one('authenticated')['kind'], 'oidc')
})

test('chooses a password by an invitation, and logs in by it', async () => {
  const id = await network.createUser('by-password', { enrollment: { updb: 'user' } })
  const credential = ['--username', 'user', '--password', 'correct horse']
  await client.tells(['enroll', '--invitation', await network.invitation(id), ...credential])
  for (const kind of sessionKinds) {
    const told = await visitSample(network, kind, { id, flags: network.without(...credential) })
    assert.equal(told.one('authenticated')['hasSessionCertificate'], true)
    await assertKeptOut(network, kind, network.without('--username', 'user', '--password', 'wrong'), 'INVALID_AUTH')
  }
})

test('logs in by a token of a provider that the network trusts', async () => {
  const provider = await IdentityProvider.create('https://idp.example')
  const signer = await admin.create('external-jwt-signers', provider.signer('provider'))
  const primary = { ...primaryFactors, extJwt: { allowed: true, allowedSigners: [signer] } }
  const authPolicyId = await network.createAuthPolicy('by-token', primary, { requireTotp: false })
  const id = await network.createUser('by-token', { externalId: 'somebody', authPolicyId })
  const token = await network.write('external.jwt', provider.token('somebody'))
  const expired = await network.write('expired.jwt', provider.token('somebody', { exp: 1 }))
  for (const kind of sessionKinds) {
    await visitSample(network, kind, { id, flags: network.without('--token', token) })
    await assertKeptOut(network, kind, network.without('--token', expired), 'UNAUTHORIZED')
  }
})

test('shows a token beside the certificate where a policy demands both', async () => {
  const provider = await IdentityProvider.create('https://second.example')
  const signer = await admin.create('external-jwt-signers', provider.signer('second'))
  const secondary = { requireTotp: false, requireExtJwtSigner: signer }
  const authPolicyId = await network.createAuthPolicy('certificate-and-token', primaryFactors, secondary)
  const { id, flags } = await network.certifiedUser('with-both', { externalId: 'with-both', authPolicyId })
  const token = await network.write('second.jwt', provider.token('with-both'))
  for (const kind of sessionKinds) {
    await visitSample(network, kind, { id, flags: [...flags, '--token', token] })
    await client.fails(['visit', ...flags, '--session', kind])
  }
})

test('enrolls by a certificate of a partner, with an invitation and without', async () => {
  const partner = await CertificateAuthority.createRoot({ subject: { commonName: 'partner' } }, { clock: systemClock })
  const certify = async (commonName: string) => {
    const key = await generatePrivateKey('P-256')
    const { certificate } = partner.issueClientCertificate({ subject: { commonName }, publicKey: publicKeyOf(key) })
    return { pem: certificate.pem, key: encodePrivateKey(key) }
  }
  const holder = async (name: string) => {
    const { pem, key } = await certify(name)
    return [
      ...['--certificate', await network.write(`${name}.cert`, pem)],
      ...['--key', await network.write(`${name}.key`, key)],
    ]
  }
  const caId = await admin.create('cas', {
    ...{ name: 'partner', certPem: partner.certificate.pem, identityRoles: ['users'] },
    ...{ isAuthEnabled: true, isAutoCaEnrollmentEnabled: true, isOttCaEnrollmentEnabled: true },
  })
  const { verificationToken } = await admin.detail(`/cas/${caId}`)
  const { pem } = await certify(String(verificationToken))
  const proof = await admin.request('POST', `/cas/${caId}/verify`, pem, { 'content-type': 'text/plain' })
  assert.equal(proof.status, 200, proof.text)

  const invited = await network.createUser('invited', { enrollment: { ottca: caId } })
  const own = await network.enroll(await network.invitation(invited), ...(await holder('invited')))
  for (const kind of sessionKinds) await visitSample(network, kind, { id: invited, flags: ['--identity', own] })

  const open = await network.write('ca.jwt', (await admin.get(`/cas/${caId}/jwt`)).text)
  const device = await network.enroll(open, ...(await holder('device')))
  const [made] = await admin.list('/identities', 'name = "partner-device"')
  const caller = { id: String(made!['id']), flags: ['--identity', device] }
  for (const kind of sessionKinds) await visitSample(network, kind, caller)
})
