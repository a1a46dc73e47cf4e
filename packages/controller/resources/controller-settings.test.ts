import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { TestController } from '../testing/test-controller.ts'
import { effectiveOidcSettings } from './controller-settings.ts'
import { describeController } from './controllers.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

const SETTINGS = '/controller-settings'
const [self] = [...controller.core.kit.view.rows('controllers')]
const own = self?.id ?? 'controller'
const general = { redirectUris: ['https://a.example/cb'], postLogoutUris: ['https://a.example/bye'] }

function effective(id: string) {
  return controller.askAdmin('GET', `${SETTINGS}/${id}/effective`)
}

describe('settings', () => {
  test('for all hold for a controller that has none of its own', async () => {
    assert.equal((await controller.askAdmin('GET', `${SETTINGS}/default`)).status, 404)
    const made = await controller.askAdmin('POST', SETTINGS, { controllerId: 'default', oidc: general })
    assert.equal(made.json.data.id, 'default')
    const { data } = (await effective(own)).json
    assert.deepEqual([data.instance, data.effective], [{}, { oidc: general }])
    assert.deepEqual(effectiveOidcSettings(controller.core.kit.view, own), general)
  })

  test('of a controller replace those for all leaf by leaf', async () => {
    const oidc = { redirectUris: [] }
    await controller.askAdmin('POST', SETTINGS, { controllerId: own, oidc })
    const { data } = (await effective(own)).json
    assert.deepEqual(data.instance, { oidc })
    assert.deepEqual(data.effective, { oidc: { redirectUris: [], postLogoutUris: general.postLogoutUris } })
    const detail = (await controller.askAdmin('GET', `${SETTINGS}/${own}`)).json.data
    assert.deepEqual(detail.oidc, oidc)
  })

  test('are patched leaf by leaf and replaced whole by PUT', async () => {
    const path = `${SETTINGS}/${own}/effective`
    const postLogoutUris = ['https://b.example/bye']
    assert.equal((await controller.askAdmin('PATCH', path, { oidc: { postLogoutUris } })).status, 200)
    assert.deepEqual((await effective(own)).json.data.instance, { oidc: { redirectUris: [], postLogoutUris } })
    assert.equal((await controller.askAdmin('PUT', path, { oidc: { postLogoutUris } })).status, 200)
    assert.deepEqual((await effective(own)).json.data.effective, {
      oidc: { redirectUris: general.redirectUris, postLogoutUris },
    })
  })

  test('for all are found under both their names', async () => {
    assert.equal((await controller.askAdmin('GET', `${SETTINGS}/global`)).json.data.id, 'default')
    assert.deepEqual((await effective('global')).json.data.effective, { oidc: general })
  })

  test('exist once, and only for controllers that exist', async () => {
    assert.equal((await controller.askAdmin('POST', SETTINGS, { controllerId: 'global' })).status, 400)
    assert.equal((await controller.askAdmin('POST', SETTINGS, { controllerId: 'nobody' })).status, 404)
    for (const [method, path] of [
      ['GET', `${SETTINGS}/nobody`],
      ['GET', `${SETTINGS}/nobody/effective`],
      ['DELETE', `${SETTINGS}/nobody/effective`],
    ] as const) {
      assert.equal((await controller.askAdmin(method, path)).status, 404)
    }
  })

  for (const uri of ['javascript://x/%0aalert(1)', 'data://x', 'relative/path', 'https://a.example/#fragment', '']) {
    test(`do not lead to ${JSON.stringify(uri)}`, async () => {
      const { status, json } = await controller.askAdmin('PATCH', `${SETTINGS}/default/effective`, {
        oidc: { redirectUris: [uri] },
      })
      assert.deepEqual([status, json.error.cause.field], [400, 'oidc.redirectUris'])
    })
  }

  test('may leave the port of a local application open', async () => {
    const oidc = { redirectUris: ['http://localhost:*/auth/callback', 'openziti://auth/callback'] }
    assert.equal((await controller.askAdmin('PATCH', `${SETTINGS}/default/effective`, { oidc })).status, 200)
  })

  test('are listed, and gone when they are deleted', async () => {
    const { json } = await controller.askAdmin('GET', `${SETTINGS}?sort=id`)
    assert.deepEqual(
      json.data.map(({ id }: { id: string }) => id),
      [own, 'default'].sort(),
    )
    assert.equal((await controller.askAdmin('DELETE', `${SETTINGS}/${own}/effective`)).status, 200)
    assert.deepEqual((await effective(own)).json.data.instance, {})
  })
})

test('a controller lists itself, under its new name alone after a renaming', async () => {
  const describe = (id: string) =>
    controller.write((change) =>
      describeController(change, {
        id,
        name: id,
        ctrlAddress: 'tls:127.0.0.1:6262',
        certPem: 'pem',
        fingerprint: 'print',
        apiAddresses: { 'edge-management': [{ url: 'https://127.0.0.1:1280/edge/management/v1', version: 'v1' }] },
      }),
    )
  await describe('first')
  await describe('second')
  await describe('second')
  const { json } = await controller.askAdmin('GET', '/controllers')
  assert.deepEqual(
    json.data.map(({ id, name, isOnline }: Record<string, unknown>) => [id, name, isOnline]),
    [['second', 'second', true]],
  )
})
