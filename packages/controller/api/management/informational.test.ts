import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { encodeCaBundle } from '@weft/pki'
import type { Answer } from '../../operation/operation.ts'
import { TestController } from '../../testing/test-controller.ts'
import { trustOperations } from '../informational/trust.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

describe('the management API tells anyone', () => {
  test('which version it speaks and what is served where, at two paths', async () => {
    const { json } = await controller.ask({ path: '/version' })
    assert.deepEqual((await controller.ask({ path: '/' })).json, json)
    const { version, capabilities, apiVersions, runtimeVersion } = json.data
    assert.deepEqual([version, json.meta], ['v2.1.0', {}])
    assert.deepEqual(capabilities, ['OIDC_AUTH', 'OIDC_AUTH_WITH_CSR', 'HA_CONTROLLER'])
    assert.equal(runtimeVersion, `node${process.versions.node}`)
    const at = (path: string) => ({ v1: { path, apiBaseUrls: [`https://127.0.0.1:1280${path}`] } })
    assert.deepEqual(apiVersions['edge-management'], at('/edge/management/v1'))
    assert.deepEqual([apiVersions.edge, apiVersions['edge-client']], Array(2).fill(at('/edge/client/v1')))
    assert.deepEqual(apiVersions['edge-oidc'], at('/oidc'))
    assert.equal('metrics' in apiVersions, false)
  })

  test('the capabilities that have a name', async () => {
    const { json } = await controller.ask({ path: '/enumerated-capabilities' })
    assert.deepEqual(json, { data: ['OIDC_AUTH', 'HA_CONTROLLER', 'OIDC_AUTH_WITH_CSR'], meta: {} })
    assert.equal((await controller.ask({ path: '/enumerated-router-capabilities' })).status, 401)
    const routers = await controller.askAdmin('GET', '/enumerated-router-capabilities')
    assert.equal(routers.json.data.length, 5)
  })

  test('which authorities to trust', async () => {
    const { status, text } = await controller.ask({ path: '/.well-known/est/cacerts' })
    assert.equal(status, 200)
    assert.ok(text.split('\n').every((line) => line.length <= 64))
    assert.ok(Buffer.from(text, 'base64').includes(controller.pki.root.der))
  })

  test('how that is encoded', () => {
    const [bundle] = trustOperations({ caBundle: () => [], networkToken: () => '' })
    const { headers, body, contentType } = bundle!.handle(undefined as never) as Answer
    assert.deepEqual(headers, { 'content-transfer-encoding': 'base64' })
    assert.equal(contentType, 'application/pkcs7-mime')
    assert.deepEqual(Buffer.from(body as string, 'base64'), encodeCaBundle([]))
  })

  test('where the network is, signed', async () => {
    const { json } = await controller.ask({ path: '/network-jwts' })
    assert.equal(json.data[0].name, 'default')
    const claims = JSON.parse(Buffer.from(json.data[0].token.split('.')[1], 'base64url').toString())
    assert.deepEqual([claims.em, claims.iss, claims.ctrls], ['network', 'https://127.0.0.1:1280/', null])
  })

  test('which specifications there are', async () => {
    const { json } = await controller.ask({ path: '/specs/edge-management' })
    const { id, name, _links } = json.data
    assert.deepEqual([id, name], ['edge-management', 'edge-management'])
    assert.equal(_links.spec.href, './specs/edge-management/spec')
    const { json: list } = await controller.ask({ path: '/specs' })
    assert.deepEqual(
      list.data.map((spec: { id: string }) => spec.id),
      ['edge-client'],
    )
    for (const path of ['/specs/nosuch', '/specs/nosuch/spec']) {
      const missing = await controller.ask({ path })
      assert.equal(missing.status, 404)
      assert.equal(missing.json.error.cause, undefined)
    }
  })
})

test('administrators learn how many entities there are', async () => {
  const before = await controller.askAdmin('GET', '/summary')
  assert.equal(before.json.meta, null)
  await controller.askAdmin('POST', '/edge-routers', { name: 'east' })
  await controller.askAdmin('POST', '/transit-routers', { name: 'west' })
  const { data } = (await controller.askAdmin('GET', '/summary')).json
  assert.equal(data.routers, before.json.data.routers + 2)
  assert.equal(data['routers.edge'], before.json.data['routers.edge'] + 1)
  assert.equal(Object.keys(data).length, 25)
  assert.equal(
    (await controller.ask({ path: '/summary', token: await controller.login(['admin_readonly']) })).status,
    401,
  )
})
