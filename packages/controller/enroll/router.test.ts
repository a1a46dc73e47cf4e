import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { encodePrivateKey, parseCertificates, parseLeafCertificate } from '@weft/pki'
import { enrolled, newCsr, newKey } from '../testing/enrolling.ts'
import { idOf } from '../testing/password-user.ts'
import { type ClientCertificate, TestController } from '../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

const { view } = controller.core.kit

async function invitedRouter(collection: 'edge-routers' | 'transit-routers', name: string) {
  const id = idOf(await controller.askAdmin('POST', `/${collection}`, { name }))
  const { enrollmentToken: token } = (await controller.askAdmin('GET', `/${collection}/${id}`)).json.data
  return { id, token }
}

function enroll(method: string, token: string, body: object) {
  return controller.askClient({ method: 'POST', path: `/enroll?method=${method}&token=${token}`, body })
}

function extend(body: object, certificate?: ClientCertificate) {
  return controller.askClient({ method: 'POST', path: '/enroll/extend/router', body }, certificate)
}

for (const [method, collection] of [
  ['erott', 'edge-routers'],
  ['trott', 'transit-routers'],
] as const) {
  test(`a router of ${collection} gets both certificates and the authorities`, async () => {
    const { id, token } = await invitedRouter(collection, method)
    const requests = { certCsr: newCsr(id), serverCertCsr: newCsr(id) }
    const { status, json, text } = await enroll(method, token, requests)
    assert.equal(status, 200, text)
    assert.deepEqual(Object.keys(json.data).sort(), ['ca', 'cert', 'serverCert'])
    assert.equal(parseCertificates(json.data.cert).length, 2)
    assert.equal(parseCertificates(json.data.ca).length, 2)
    const leaf = parseLeafCertificate(json.data.cert)
    assert.deepEqual(leaf.names.uri, [`spiffe://weft/router/${id}`])
    assert.partialDeepStrictEqual(view.get('routers', id), { isVerified: true, fingerprint: leaf.fingerprint })
    assert.equal((await enroll(method, token, requests)).json.error.code, 'INVALID_ENROLLMENT_TOKEN')
  })
}

test('a router enrolls at the path of its method too, with the token in the body', async () => {
  const { id, token } = await invitedRouter('edge-routers', 'by its own path')
  const ask = (body: object) => controller.askClient({ method: 'POST', path: '/enroll/erott', body })
  const half = await ask({ token, clientCsr: newCsr(id) })
  assert.deepEqual([half.status, half.json.error.code], [400, 'MISSING_OR_INVALID_CSR'])
  const { status, json, text } = await ask({ token, clientCsr: newCsr(id), serverCsr: newCsr(id) })
  assert.equal(status, 200, text)
  assert.deepEqual(parseLeafCertificate(json.data.cert).names.uri, [`spiffe://weft/router/${id}`])
  assert.equal(parseCertificates(json.data.serverCert).length, 2)
  assert.equal(view.get('routers', id)!.isVerified, true)
})

test('a router that asks for another name, or for half of it, gets nothing and may try again', async () => {
  const { id, token } = await invitedRouter('edge-routers', 'careless')
  for (const [body, code] of [
    [{ serverCertCsr: newCsr(id) }, 'MISSING_OR_INVALID_CSR'],
    [{ certCsr: newCsr(id) }, 'MISSING_OR_INVALID_CSR'],
    [{ certCsr: newCsr('another'), serverCertCsr: newCsr(id) }, 'COULD_NOT_PROCESS_CSR'],
    [{ certCsr: newCsr(id), serverCertCsr: 'junk' }, 'COULD_NOT_PROCESS_CSR'],
  ] as const) {
    const { status, json } = await enroll('erott', token, body)
    assert.deepEqual([status, json.error.code], [400, code])
  }
  assert.equal(view.get('routers', id)!.isVerified, false)
  assert.equal((await enroll('erott', token, { certCsr: newCsr(id), serverCertCsr: newCsr(id) })).status, 200)
})

test('a router extends by the certificate it has, which ends with that', async () => {
  const { id, token } = await invitedRouter('edge-routers', 'extending')
  const key = newKey()
  const requests = { certCsr: newCsr(id, key), serverCertCsr: newCsr(id, key) }
  const first = await enroll('erott', token, requests)
  const own = { cert: first.json.data.cert, key: encodePrivateKey(key) }
  const { cert, key: otherKey } = await enrolled(controller)
  const refused: [object, ClientCertificate | undefined, number, string][] = [
    [requests, undefined, 401, 'UNAUTHORIZED'],
    [requests, { cert, key: otherKey }, 401, 'UNAUTHORIZED'],
    // Somebody else's leaf with the router's certificate behind it.
    [requests, { cert: cert + own.cert, key: otherKey }, 401, 'UNAUTHORIZED'],
    [{ certCsr: requests.certCsr }, own, 400, 'COULD_NOT_VALIDATE'],
    [{ ...requests, certCsr: '' }, own, 400, 'COULD_NOT_PROCESS_CSR'],
    [{ ...requests, certCsr: newCsr('another', key) }, own, 400, 'COULD_NOT_PROCESS_CSR'],
  ]
  for (const [body, certificate, wanted, code] of refused) {
    const { status, json } = await extend(body, certificate)
    assert.deepEqual([status, json.error.code], [wanted, code])
  }
  const { status, json } = await extend(requests, own)
  assert.equal(status, 200)
  assert.equal(view.get('routers', id)!.fingerprint, parseLeafCertificate(json.data.cert).fingerprint)
  assert.equal((await extend(requests, own)).status, 401)
  assert.equal((await extend(requests, { cert: json.data.cert, key: own.key })).status, 200)
})
