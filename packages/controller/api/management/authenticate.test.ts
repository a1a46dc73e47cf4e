import assert from 'node:assert/strict'
import { argon2Sync } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { openSession } from '../../auth/open-session.ts'
import { createAuthPolicy, createPasswordUser, idOf, login } from '../../testing/password-user.ts'
import { TestController } from '../../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

const nothingSaid = { configTypes: [], sdkInfo: undefined, envInfo: undefined }

async function isDisabled(identityId: string): Promise<boolean> {
  return (await controller.askAdmin('GET', `/identities/${identityId}`)).json.data.disabled
}

describe('a login by password', () => {
  test('tells nothing about why it is refused', async () => {
    const [known, disabled] = [await createPasswordUser(controller), await createPasswordUser(controller)]
    await controller.askAdmin('POST', `/identities/${disabled.identityId}/disable`, { durationMinutes: 0 })
    const answers = [
      await login(controller, 'nobody at all', 'correct horse'),
      await login(controller, known.username, 'wrong horse'),
      await login(controller, disabled.username, disabled.password),
    ]
    for (const { status, json } of answers) {
      assert.deepEqual([status, json.error.code, json.error.cause], [401, 'INVALID_AUTH', undefined])
    }
  })

  test('never repeats a password that it refuses for its length', async () => {
    for (const password of ['abcd', 'z'.repeat(101)]) {
      const { status, text } = await login(controller, 'somebody', password)
      assert.equal(status, 400)
      assert.ok(!text.includes(password))
    }
  })

  test('locks the identity after too many wrong ones, ends its sessions, and forgets after a right one', async () => {
    const authPolicyId = await createAuthPolicy(controller, { updb: { maxAttempts: 2, lockoutDurationMinutes: 5 } })
    const user = await createPasswordUser(controller, { authPolicyId })
    await login(controller, user.username, 'wrong horse')
    assert.equal((await login(controller, user.username, user.password)).status, 200)
    await login(controller, user.username, 'wrong horse')
    assert.equal(await isDisabled(user.identityId), false)
    await login(controller, user.username, 'wrong horse')
    assert.equal(await isDisabled(user.identityId), true)
    assert.equal((await login(controller, user.username, user.password)).status, 401)
    assert.equal((await controller.ask({ path: '/current-identity', token: user.token })).status, 401)
  })

  test('that fails again and again does not shorten what an administrator has disabled', async () => {
    const authPolicyId = await createAuthPolicy(controller, { updb: { maxAttempts: 1, lockoutDurationMinutes: 1 } })
    const user = await createPasswordUser(controller, { authPolicyId })
    await controller.askAdmin('POST', `/identities/${user.identityId}/disable`, { durationMinutes: 0 })
    for (let i = 0; i < 3; i++) await login(controller, user.username, 'wrong horse')
    const { disabled, disabledUntil } = (await controller.askAdmin('GET', `/identities/${user.identityId}`)).json.data
    assert.deepEqual([disabled, disabledUntil], [true, undefined])
  })

  test('locks for as long as can be written down when the policy says longer', async () => {
    const lockoutDurationMinutes = Number.MAX_SAFE_INTEGER
    const authPolicyId = await createAuthPolicy(controller, { updb: { maxAttempts: 1, lockoutDurationMinutes } })
    const user = await createPasswordUser(controller, { authPolicyId })
    assert.equal((await login(controller, user.username, 'wrong horse')).status, 401)
    assert.equal(await isDisabled(user.identityId), true)
  })

  test('opens no session for what was disabled or removed while the password was checked', async () => {
    const [one, two] = [await createPasswordUser(controller), await createPasswordUser(controller)]
    await controller.askAdmin('POST', `/identities/${one.identityId}/disable`, { durationMinutes: 0 })
    await controller.askAdmin('DELETE', `/authenticators/${two.authenticatorId}`)
    for (const user of [one, two]) {
      const open = controller.write((change) => openSession(change, user, nothingSaid, '127.0.0.1'))
      await assert.rejects(open, { code: 'INVALID_AUTH' })
    }
  })
})

test('a password that was hashed with less is hashed anew when it is used', async () => {
  const user = await createPasswordUser(controller)
  const parameters = { memory: 3_072, passes: 1, parallelism: 4 }
  const salt = Buffer.alloc(10, 1)
  const message = Buffer.from(user.password)
  const tag = argon2Sync('argon2id', { message, nonce: salt, tagLength: 32, ...parameters })
  const unpadded = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  const weak = `$argon2id$v=19$m=3072,t=1,p=4$${unpadded(salt)}$${unpadded(tag)}`
  await controller.write((change) => change.update('authenticators', user.authenticatorId, { passwordHash: weak }))
  const both = [login(controller, user.username, user.password), login(controller, user.username, user.password)]
  for (const { status } of await Promise.all(both)) assert.equal(status, 200)
  assert.equal(
    (await controller.ask({ path: '/current-identity', token: user.token })).status,
    200,
    'nobody is put out',
  )
  const stored = controller.core.kit.view.get('authenticators', user.authenticatorId)?.passwordHash
  assert.match(stored!, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})

test('a session is shown to others without its token', async () => {
  const user = await createPasswordUser(controller)
  const [session] = [...controller.core.kit.view.find('apiSessions', 'identityId', user.identityId)]
  for (const path of ['/api-sessions?limit=500', `/api-sessions/${session!.id}`]) {
    assert.ok(!(await controller.askAdmin('GET', path)).text.includes(user.token))
  }
  const filter = encodeURIComponent(`token = "${user.token}"`)
  assert.equal((await controller.askAdmin('GET', `/api-sessions?filter=${filter}`)).status, 400)
})

test('a factor that is asked for is outstanding even when what it refers to is gone', async () => {
  const signer = {
    name: 'idp',
    issuer: 'https://idp.example',
    audience: 'a',
    enabled: true,
    jwksEndpoint: 'https://idp.example',
  }
  const id = idOf(await controller.askAdmin('POST', '/external-jwt-signers', signer))
  const authPolicyId = await createAuthPolicy(controller, { secondary: { requireExtJwtSigner: id } })
  const user = await createPasswordUser(controller, { authPolicyId })
  assert.equal((await controller.ask({ path: '/current-identity', token: user.token })).status, 401)
  const { json } = await controller.ask({ path: '/current-api-session', token: user.token })
  assert.deepEqual(json.data.authQueries, [{ typeId: 'EXT-JWT', provider: 'url', id, scopes: null }])
})
