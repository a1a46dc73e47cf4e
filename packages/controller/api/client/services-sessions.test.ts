import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { createSmallNetwork } from '../../testing/small-network.ts'
import { TestController } from '../../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const network = await createSmallNetwork(controller)
const { token, serviceId, hiddenServiceId } = network

const get = (path: string, by = token) => controller.askClient({ path, token: by })
const post = (path: string, body: unknown, by = token) =>
  controller.askClient({ method: 'POST', path, body, token: by })

describe('services', () => {
  test('are only those that the caller may use, whatever the query says', async () => {
    const queries = ['', '?filter=true', `?filter=id%3D%22${hiddenServiceId}%22%20or%20true`, '?asIdentity=other']
    for (const query of queries) {
      const { status, json } = await get(`/services${query}`)
      assert.equal(status, 200)
      assert.deepEqual(
        json.data.map((service: { id: string }) => service.id),
        [serviceId],
        query,
      )
      assert.deepEqual(json.data[0].permissions, ['Bind', 'Dial'])
    }
  })

  test('that the caller may not use are not found, like those that do not exist', async () => {
    for (const below of ['', '/edge-routers', '/terminators']) {
      const hidden = await get(`/services/${hiddenServiceId}${below}`)
      const unknown = await get(`/services/unknown${below}`)
      assert.equal(hidden.status, 404)
      assert.equal(hidden.json.error.code, unknown.json.error.code)
    }
  })

  test('come with the configs that were asked for, and with those that replace them', async () => {
    const asked = async (query: string) => (await get(`/services${query}`)).json.data[0].config
    assert.deepEqual(await asked(''), {})
    assert.deepEqual(await asked('?configTypes='), {})
    assert.deepEqual(await asked('?configTypes=host.v1&configTypes=none'), {})
    assert.deepEqual((await asked('?configTypes=intercept.v1'))['intercept.v1'].addresses, ['web.weft'])
    const other = await createOverride()
    assert.deepEqual((await asked('?configTypes=all'))['intercept.v1'].addresses, ['own.weft'])
    const { json } = await get(`/services/${serviceId}?configTypes=all`)
    assert.deepEqual(json.data.config['intercept.v1'].addresses, ['own.weft'])
    assert.deepEqual(json.data.configs, [network.configId], other)
  })
})

describe('a session', () => {
  test('is found or made before its token is signed', async () => {
    const first = await post('/sessions', { serviceId, type: 'Dial' })
    assert.equal(first.status, 201, first.text)
    const again = await post('/sessions', { serviceId })
    const bound = await post('/sessions', { serviceId, type: 'Bind' })
    assert.equal(again.json.data.id, first.json.data.id)
    assert.notEqual(bound.json.data.id, first.json.data.id)
    const claims = JSON.parse(Buffer.from(first.json.data.token.split('.')[1], 'base64url').toString())
    assert.deepEqual([claims.jti, claims.sub, claims.z_t, claims.z_leg], [first.json.data.id, serviceId, 's', true])
    assert.equal(first.json.data.edgeRouters.length, 1)
  })

  test('is refused in the words of the peers', async () => {
    const refused = async (body: object) => {
      const { status, json } = await post('/sessions', body)
      return [status, json.error.code]
    }
    assert.deepEqual(await refused({ serviceId: hiddenServiceId }), [404, 'NOT_FOUND'])
    assert.deepEqual(await refused({}), [404, 'NOT_FOUND'])
    assert.deepEqual(await refused({ serviceId, type: 'Foo' }), [400, 'COULD_NOT_VALIDATE'])
    assert.deepEqual(await refused({ serviceId, type: 'Invalid' }), [400, 'COULD_NOT_VALIDATE'])
    const lonely = await createSmallNetwork(controller)
    await controller.write((change) => change.remove('routers', lonely.routerId))
    const { json } = await post('/sessions', { serviceId: lonely.serviceId }, lonely.token)
    assert.equal(json.error.code, 'NO_EDGE_ROUTERS_AVAILABLE')
  })

  test('is nobody else’s to see or to end', async () => {
    const { json } = await post('/sessions', { serviceId })
    const path = `/sessions/${json.data.id}`
    const stranger = await createSmallNetwork(controller)
    assert.equal((await get(path, stranger.token)).status, 404)
    const ended = await controller.askClient({ method: 'DELETE', path, token: stranger.token })
    assert.equal(ended.status, 404)
    assert.equal((await get(path)).status, 200)
  })

  test('token is good only for its own API session', async () => {
    const { json } = await post('/sessions', { serviceId })
    const path = `/services/${serviceId}/edge-routers`
    const withToken = (by: string, sessionToken: string) =>
      controller.askClient({ path, token: by, headers: { 'session-token': sessionToken } })
    assert.equal((await withToken(token, json.data.token)).status, 200)
    assert.equal((await withToken(await controller.loginAs(network.identityId), json.data.token)).status, 401)
    const forged = `${json.data.token.slice(0, -4)}AAAA`
    for (const bad of ['junk', forged]) assert.equal((await withToken(token, bad)).status, 401)
  })

  test('needs a session of its own', async () => {
    for (const path of ['/sessions', '/services', '/controllers', '/current-identity/edge-routers']) {
      assert.equal((await controller.askClient({ path })).status, 401)
    }
  })
})

async function createOverride(): Promise<string> {
  return controller.write((change) => {
    const { configTypeId } = change.get('configs', network.configId)
    const data = { protocols: ['tcp'], addresses: ['own.weft'], portRanges: [{ low: 81, high: 81 }] }
    const { id } = change.create('configs', { name: randomUUID(), configTypeId, data })
    const serviceConfigs = { [serviceId]: { [configTypeId]: id } }
    change.update('identities', network.identityId, { serviceConfigs })
    return id
  })
}
