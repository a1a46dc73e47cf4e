import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { encodePrivateKey, parseCertificates, parseLeafCertificate } from '@weft/pki'
import { findOne } from '../../state/view.ts'
import { enrolled, invite, newCsr, newKey, registerCa } from '../../testing/enrolling.ts'
import { type ClientCertificate, TestController } from '../../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

const { view } = controller.core.kit

async function holder() {
  const { identityId, ...certificate } = await enrolled(controller)
  const token = await controller.loginAs(identityId)
  const { id } = findOne(view, 'authenticators', 'identityId', identityId)!
  const ask = (step: 'extend' | 'extend-verify', body: object, shown: ClientCertificate | undefined = certificate) =>
    controller.askClient({ method: 'POST', path: `/current-identity/authenticators/${id}/${step}`, body, token }, shown)
  return { identityId, certificate, id, token, ask }
}

test('the new certificate counts once it was shown, and the old one until then', async () => {
  const { identityId, certificate, id, ask } = await holder()
  const key = newKey()
  const nothing = await ask('extend-verify', { clientCert: certificate.cert })
  assert.deepEqual([nothing.status, nothing.json.error.code], [409, 'CAN_NOT_UPDATE_AUTHENTICATOR'])

  const csr = newCsr('new name', key, ['spiffe://weft/identity/another'])
  const { status, json } = await ask('extend', { clientCertCsr: csr })
  assert.equal(status, 200)
  const [leaf, ...above] = parseCertificates(json.data.clientCert)
  assert.equal(above.length, 1)
  assert.equal(parseCertificates(json.data.ca).length, 2)
  assert.equal(leaf!.commonName, 'new name')
  assert.deepEqual(leaf!.names.uri, [`spiffe://weft/identity/${identityId}`], 'all else stays as it was')
  const old = parseLeafCertificate(certificate.cert).fingerprint
  assert.equal(view.get('authenticators', id)!.certFingerprint, old)

  for (const clientCert of ['junk', certificate.cert]) {
    const wrong = await ask('extend-verify', { clientCert })
    assert.deepEqual([wrong.status, wrong.json.error.code], [400, 'INVALID_CLIENT_CERT'])
  }
  await controller.askAdmin('POST', `/authenticators/${id}/request-extend`, { rollKeys: true })
  assert.equal((await ask('extend-verify', { clientCert: json.data.clientCert })).status, 200)
  assert.partialDeepStrictEqual(view.get('authenticators', id), {
    certFingerprint: leaf!.fingerprint,
    isExtendRequested: false,
    isKeyRollRequested: false,
    lastExtendRolledKeys: true,
  })
  assert.equal((await ask('extend', { clientCertCsr: csr })).status, 401, 'the old one has ended')
  const renewed = { cert: json.data.clientCert, key: encodePrivateKey(key) }
  assert.equal((await ask('extend', { clientCertCsr: csr }, renewed)).status, 200)
})

test('a session alone extends nothing, nor does a certificate of somebody else', async () => {
  const [mine, theirs] = [await holder(), await holder()]
  const body = { clientCertCsr: newCsr('x') }
  const path = (id: string) => `/current-identity/authenticators/${id}/extend`
  const bare = { method: 'POST', path: path(mine.id), body, token: mine.token } as const
  assert.equal((await controller.askClient(bare)).status, 401)
  assert.equal((await controller.askClient(bare, theirs.certificate)).status, 401)
  const appended = { cert: theirs.certificate.cert + mine.certificate.cert, key: theirs.certificate.key }
  assert.equal((await controller.askClient(bare, appended)).status, 401, 'only the leaf is proven')
  const foreign = { ...bare, path: path(theirs.id) }
  assert.equal((await controller.askClient(foreign, theirs.certificate)).status, 404)
  const bad = await mine.ask('extend', { clientCertCsr: 'junk' })
  assert.deepEqual([bad.status, bad.json.error.code], [400, 'COULD_NOT_PROCESS_CSR'])
})

test('a certificate of a third party is not ours to extend', async () => {
  const party = await registerCa(controller)
  const { identityId, token: invitation } = await invite(controller, { ottca: party.caId })
  const certificate = party.certify('device')
  const path = `/enroll?method=ottca&token=${invitation}`
  assert.equal((await controller.askClient({ method: 'POST', path }, certificate)).status, 200)
  const { id } = findOne(view, 'authenticators', 'identityId', identityId)!
  const token = await controller.loginAs(identityId)
  const asked = {
    method: 'POST',
    path: `/current-identity/authenticators/${id}/extend`,
    body: { clientCertCsr: newCsr('x') },
    token,
  } as const
  const { status, json } = await controller.askClient(asked, certificate)
  assert.deepEqual([status, json.error.code], [409, 'CAN_NOT_UPDATE_AUTHENTICATOR'])
})
