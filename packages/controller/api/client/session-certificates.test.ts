import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { generatePrivateKey, parseCertificates, signCertificateRequest } from '@weft/pki'
import { createSmallNetwork } from '../../testing/small-network.ts'
import { TestController } from '../../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const { identityId, token } = await createSmallNetwork(controller)
const PATH = '/current-api-session/certificates'

const key = await generatePrivateKey('P-256')
const csr = signCertificateRequest({
  subject: { commonName: 'somebody else' },
  key,
  names: { uri: ['spiffe://weft/identity/somebody-else'] },
})

const create = (by = token) => controller.askClient({ method: 'POST', path: PATH, body: { csr }, token: by })
const get = (path: string, by = token) => controller.askClient({ path, token: by })

describe('the certificate of a session', () => {
  test('takes nothing but the key from its request', async () => {
    const { status, json } = await create()
    assert.equal(status, 201)
    const [leaf] = parseCertificates(json.data.certificate)
    assert.equal(leaf!.commonName, identityId)
    const [uri, ...others] = leaf!.names.uri
    assert.match(uri!, new RegExp(`/identity/${identityId}/apiSession/[^/]+/apiSessionCertificate/${json.data.id}$`))
    assert.deepEqual(others, [])
    assert.ok(parseCertificates(json.data.cas).length > 0)
  })

  test('is shown to its own session alone, filtered or by id', async () => {
    const { json } = await create()
    const path = `${PATH}/${json.data.id}`
    const other = await controller.loginAs(identityId)
    assert.equal((await get(path)).status, 200)
    assert.equal((await get(path, other)).status, 404)
    assert.equal((await controller.askClient({ method: 'DELETE', path, token: other })).status, 404)
    for (const query of ['', '?filter=true', '?limit=-1']) {
      assert.deepEqual((await get(PATH + query, other)).json.data, [], query)
    }
    assert.equal((await controller.askClient({ method: 'DELETE', path, token })).status, 200)
    assert.equal((await get(path)).status, 404)
  })

  test('is refused for a request that is none', async () => {
    const { status, json } = await controller.askClient({ method: 'POST', path: PATH, body: { csr: 'junk' }, token })
    assert.deepEqual([status, json.error.code], [400, 'COULD_NOT_PROCESS_CSR'])
  })

  test('makes room for a newer one', async () => {
    const by = await controller.loginAs(identityId)
    const first = await create(by)
    for (let number = 0; number < 32; number++) await create(by)
    const { json } = await get(`${PATH}?limit=-1`, by)
    assert.equal(json.data.length, 32)
    assert.equal((await get(`${PATH}/${first.json.data.id}`, by)).status, 404)
  })
})
