import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseCertificates } from '@weft/pki'
import { enrolled, registerCa } from '../../testing/enrolling.ts'
import { idOf } from '../../testing/password-user.ts'
import { type ClientCertificate, TestController } from '../../testing/test-controller.ts'
import { TokenIssuer } from '../../testing/token-issuer.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

function login(certificate?: ClientCertificate) {
  return controller.askClient({ method: 'POST', path: '/authenticate?method=cert' }, certificate)
}

test('whoever has enrolled logs in with the certificate of the connection', async () => {
  const device = await enrolled(controller)
  const { status, json } = await login(device)
  assert.equal(status, 200)
  assert.partialDeepStrictEqual(json.data, { identityId: device.identityId, isCertExtendable: true, authQueries: [] })
  assert.equal(json.data.improperClientCertChain, undefined)
  const own = await controller.askClient({ path: '/current-identity', token: json.data.token })
  assert.equal(own.json.data.id, device.identityId)
})

test('a leaf without its intermediates is accepted, and told so', async () => {
  const { cert, key } = await enrolled(controller)
  const { json } = await login({ cert: parseCertificates(cert)[0]!.pem, key })
  assert.equal(json.data.improperClientCertChain, true)
})

test('a certificate that is sent along does not log anybody in', async () => {
  const victim = await enrolled(controller)
  const stranger = (await registerCa(controller)).certify('stranger')
  for (const certificate of [undefined, stranger, { ...stranger, cert: stranger.cert + victim.cert }]) {
    const { status, json } = await login(certificate)
    assert.deepEqual([status, json.error.code], [401, 'INVALID_AUTH'])
  }
})

test('a login is told in events with how it was made', async () => {
  const own = await TestController.start()
  await using _stopped = own
  const idp = TokenIssuer.rsa()
  const { cert, key } = await enrolled(own)
  await own.askClient(
    { method: 'POST', path: '/authenticate?method=cert' },
    { cert: parseCertificates(cert)[0]!.pem, key },
  )
  const signer = idOf(
    await own.askAdmin('POST', '/external-jwt-signers', {
      name: 'idp',
      issuer: 'https://idp.example',
      audience: 'weft',
      enabled: true,
      jwksEndpoint: 'http://127.0.0.1:1/keys',
    }),
  )
  const token = idp.token({ iss: 'https://idp.example', aud: 'weft', exp: Date.now() })
  const headers = { authorization: `Bearer ${token}` }
  const refused = await own.askClient({ method: 'POST', path: '/authenticate?method=ext-jwt', headers })
  assert.equal(refused.status, 401)
  const text = await own.stop()
  assert.ok(!text.includes(token))
  const events = text.split('\n').filter((line) => line.includes('"namespace":"authentication"'))
  const [byCertificate, byToken] = events.map((line) => JSON.parse(line))
  assert.partialDeepStrictEqual(byCertificate, { success: true, type: 'cert', improper_client_cert_chain: true })
  assert.partialDeepStrictEqual(byToken, {
    success: false,
    type: 'ext-jwt',
    external_jwt_signer_id: signer,
    authenticator_id: `extJwtId:${signer}`,
    reason: 'the signer has no such key',
  })
})
