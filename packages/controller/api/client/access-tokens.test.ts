import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { generatePrivateKey, signCertificateRequest } from '@weft/pki'
import { claimsOf, OidcClient } from '../../testing/oidc-client.ts'
import { createPasswordUser } from '../../testing/password-user.ts'
import { createSmallNetwork } from '../../testing/small-network.ts'
import { TestController } from '../../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const { serviceId, identityId: owner } = await createSmallNetwork(controller)
const { roleAttributes } = controller.core.kit.view.get('identities', owner)!
const user = await createPasswordUser(controller, { roleAttributes })
const { access_token } = await new OidcClient(controller).tokens(user)
const headers = { authorization: `Bearer ${access_token}` }

const get = (path: string) => controller.askClient({ path, headers })
const post = (path: string, body: unknown) => controller.askClient({ method: 'POST', path, body, headers })

describe('whoever comes with an access token', () => {
  test('sees what its identity may use', async () => {
    const { json } = await get('/services')
    assert.deepEqual(
      json.data.map(({ id }: { readonly id: string }) => id),
      [serviceId],
    )
  })

  test('gets sessions that are nothing but tokens', async () => {
    const [first, second] = [await post('/sessions', { serviceId }), await post('/sessions', { serviceId })]
    assert.deepEqual([first.status, second.status], [201, 201])
    assert.notEqual(first.json.data.id, second.json.data.id)
    const claims = claimsOf(first.json.data.token)
    const { z_asid } = claimsOf(access_token)
    assert.deepEqual([claims.jti, claims.z_asid, claims.z_leg], [first.json.data.id, z_asid, false])
    assert.equal((await get(`/sessions/${first.json.data.id}`)).status, 404)
    assert.deepEqual((await get('/sessions')).json.data, [])
    const refreshed = { ...headers, 'session-token': first.json.data.token }
    const answer = await controller.askClient({ path: `/services/${serviceId}/edge-routers`, headers: refreshed })
    assert.equal(answer.status, 200)
  })

  test('is told of changes since the token was issued', async () => {
    const { json } = await get('/current-api-session/service-updates')
    assert.equal((await get('/current-api-session/service-updates')).json.data.lastChangeAt, json.data.lastChangeAt)
    await controller.write((change) => change.update('services', serviceId, { tags: { a: 'b' } }))
    const { json: moved } = await get('/current-api-session/service-updates')
    assert.ok(moved.data.lastChangeAt > json.data.lastChangeAt)
  })

  test('gets certificates that are not stored', async () => {
    const key = await generatePrivateKey('P-256')
    const csr = signCertificateRequest({ subject: { commonName: 'any' }, key })
    assert.equal((await post('/current-api-session/certificates', { csr })).status, 201)
    assert.deepEqual((await get('/current-api-session/certificates')).json.data, [])
  })
})
