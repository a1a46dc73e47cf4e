import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createPasswordUser, idOf } from '../testing/password-user.ts'
import { TestController } from '../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

const ENROLLMENTS = '/enrollments'

function expiring(milliseconds: number) {
  return { expiresAt: new Date(Date.now() + milliseconds).toISOString() }
}

const tomorrow = expiring(86_400_000)

test('an invitation of an administrator is out of reach of whoever is none', async () => {
  const admin = await createPasswordUser(controller, { isAdmin: true })
  const invitation = { identityId: admin.identityId, method: 'ott', ...tomorrow }
  const id = idOf(await controller.askAdmin('POST', ENROLLMENTS, invitation))
  const { token: secret, jwt } = (await controller.askAdmin('GET', `${ENROLLMENTS}/${id}`)).json.data
  const token = await controller.login(['enrollment', 'identity'])
  const second = { identityId: admin.identityId, method: 'updb', username: 'usurper', ...tomorrow }
  const refused = [
    await controller.ask({ method: 'POST', path: ENROLLMENTS, token, body: second }),
    await controller.ask({ path: `${ENROLLMENTS}/${id}`, token }),
    await controller.ask({ method: 'POST', path: `${ENROLLMENTS}/${id}/refresh`, token, body: tomorrow }),
    await controller.ask({ method: 'DELETE', path: `${ENROLLMENTS}/${id}`, token }),
  ]
  for (const { status, json } of refused) {
    assert.deepEqual(
      [status, json.error.cause?.message],
      [401, 'non-admins may not manage enrollments for admin identities'],
    )
  }
  const listed = [
    await controller.ask({ path: `${ENROLLMENTS}?limit=500`, token }),
    await controller.ask({ path: `/identities/${admin.identityId}/enrollments`, token }),
    await controller.ask({ path: `/identities/${admin.identityId}`, token }),
    await controller.ask({ path: '/identities?limit=500', token }),
  ]
  for (const { status, text } of listed) {
    assert.equal(status, 200)
    assert.ok(!text.includes(secret) && !text.includes(jwt))
  }
  assert.equal((await controller.askAdmin('GET', `${ENROLLMENTS}/${id}`)).status, 200)
})

test('a token is neither filtered nor sorted by', async () => {
  for (const query of ['filter=token%20!=%20null', 'sort=token', 'filter=jwt%20!=%20null']) {
    assert.equal((await controller.askAdmin('GET', `${ENROLLMENTS}?${query}`)).status, 400)
  }
})

test('refreshing gives a new token, and is only for invitations of identities', async () => {
  const user = await createPasswordUser(controller)
  const id = idOf(
    await controller.askAdmin('POST', ENROLLMENTS, { identityId: user.identityId, method: 'ott', ...tomorrow }),
  )
  const tokenOf = async () => (await controller.askAdmin('GET', `${ENROLLMENTS}/${id}`)).json.data.token
  const before = await tokenOf()
  const refresh = (of: string, body: object) => controller.askAdmin('POST', `${ENROLLMENTS}/${of}/refresh`, body)
  assert.equal((await refresh(id, expiring(-1_000))).status, 400)
  assert.equal(await tokenOf(), before)
  assert.equal((await refresh(id, tomorrow)).status, 200)
  assert.notEqual(await tokenOf(), before)
  const routerId = idOf(await controller.askAdmin('POST', '/edge-routers', { name: 'router' }))
  const [ofRouter] = [...controller.core.kit.view.find('enrollments', 'edgeRouterId', routerId)]
  assert.equal((await refresh(ofRouter!.id, tomorrow)).status, 400)
})

for (const [what, values] of [
  ['through a CA that is not named', { method: 'ottca' }],
  ['through a CA that does not exist', { method: 'ottca', caId: 'nothing' }],
  ['by password without a user name', { method: 'updb' }],
  ['in the past', { method: 'ott', ...expiring(-1_000) }],
  ['of nobody', { method: 'ott', identityId: 'nobody' }],
] as const) {
  test(`an invitation ${what} is refused`, async () => {
    const { identityId } = await createPasswordUser(controller)
    const { status, json } = await controller.askAdmin('POST', ENROLLMENTS, { identityId, ...tomorrow, ...values })
    assert.deepEqual([status, json.error.code], [400, 'INVALID_FIELD'])
  })
}
