import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { generatePrivateKey, publicKeyOf } from '@weft/pki'
import { openSession } from '../../auth/open-session.ts'
import { OidcClient } from '../../testing/oidc-client.ts'
import { createAuthPolicy, createPasswordUser, idOf, login, openSessionOf } from '../../testing/password-user.ts'
import { TestController } from '../../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

const OWN = '/current-identity/authenticators'

describe('the authenticators of the caller', () => {
  test('are all that is listed, whatever the filter says', async () => {
    const user = await createPasswordUser(controller)
    await createPasswordUser(controller)
    for (const filter of ['', 'true', 'true or method = "updb"', 'method = "updb" limit none', 'id != ""']) {
      const { json } = await controller.ask({ path: `${OWN}?filter=${encodeURIComponent(filter)}`, token: user.token })
      assert.deepEqual(
        json.data.map((row: { id: string }) => row.id),
        [user.authenticatorId],
        filter,
      )
      assert.deepEqual(json.data[0]._links, { self: { href: `.${OWN}/${user.authenticatorId}` } })
    }
  })

  test('never show a hash, and cannot be filtered or sorted by one', async () => {
    const user = await createPasswordUser(controller)
    const shown = [
      await controller.ask({ path: OWN, token: user.token }),
      await controller.ask({ path: `${OWN}/${user.authenticatorId}`, token: user.token }),
      await controller.askAdmin('GET', '/authenticators?limit=500'),
      await controller.askAdmin('GET', `/identities/${user.identityId}/authenticators`),
    ]
    for (const { text } of shown) assert.doesNotMatch(text, /argon2|passwordHash/)
    for (const name of ['updbPassword', 'updbSalt', 'passwordHash']) {
      for (const query of [`filter=${name}%20!=%20null`, `sort=${name}`]) {
        assert.equal((await controller.askAdmin('GET', `/authenticators?${query}`)).status, 400)
      }
    }
  })

  test('of somebody else are not found, by any verb', async () => {
    const [user, other] = [await createPasswordUser(controller), await createPasswordUser(controller)]
    const path = `${OWN}/${other.authenticatorId}`
    const body = { username: 'somebody', password: 'correct horse', currentPassword: other.password }
    const answers = [
      await controller.ask({ path, token: user.token }),
      await controller.ask({ method: 'PUT', path, token: user.token, body }),
      await controller.ask({ method: 'PATCH', path, token: user.token, body }),
      await controller.ask({ method: 'POST', path: `${path}/extend`, token: user.token, body: { clientCertCsr: 'x' } }),
      await controller.ask({
        method: 'POST',
        path: `${path}/extend-verify`,
        token: user.token,
        body: { clientCert: 'x' },
      }),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [404, 404, 404, 404, 404],
    )
    assert.equal((await login(controller, other.username, other.password)).status, 200)
  })
})

describe('changing the own password', () => {
  test('takes the present one, and then the new one is needed', async () => {
    const user = await createPasswordUser(controller)
    const path = `${OWN}/${user.authenticatorId}`
    const body = { password: 'battery staple', currentPassword: user.password }
    assert.equal((await controller.ask({ method: 'PATCH', path, token: user.token, body })).status, 200)
    assert.equal((await login(controller, user.username, user.password)).status, 401)
    assert.equal((await login(controller, user.username, 'battery staple')).status, 200)
  })

  test('ends what was opened by the old one, except the session that changes it', async () => {
    const user = await createPasswordUser(controller)
    const oidc = new OidcClient(controller)
    const { access_token, refresh_token } = await oidc.tokens(user)
    const other = (await login(controller, user.username, user.password)).json.data.token
    const begun = await oidc.completed(user)
    const path = `${OWN}/${user.authenticatorId}`
    const body = { password: 'battery staple', currentPassword: user.password }
    assert.equal((await controller.ask({ method: 'PATCH', path, token: user.token, body })).status, 200)
    assert.equal((await controller.ask({ path: '/current-identity', token: other })).status, 401)
    assert.equal((await oidc.asBearer(access_token)).status, 401)
    assert.equal((await oidc.refresh(refresh_token)).json.error, 'invalid_grant')
    assert.equal((await oidc.redeem(begun)).status, 400, 'a code that was not redeemed yet')
    assert.equal((await controller.ask({ path: '/current-identity', token: user.token })).status, 200)
    const again = await oidc.tokens({ ...user, password: 'battery staple' })
    assert.equal((await oidc.asBearer(again.access_token)).status, 200, 'a new login is good at once')
  })

  test('to another user name alone ends nothing', async () => {
    const user = await createPasswordUser(controller)
    const other = (await login(controller, user.username, user.password)).json.data.token
    const body = { username: `${user.username}-2`, currentPassword: user.password }
    const path = `${OWN}/${user.authenticatorId}`
    assert.equal((await controller.ask({ method: 'PATCH', path, token: user.token, body })).status, 200)
    assert.equal((await controller.ask({ path: '/current-identity', token: other })).status, 200)
  })

  test('by an administrator ends all sessions of it', async () => {
    const user = await createPasswordUser(controller)
    const { access_token } = await new OidcClient(controller).tokens(user)
    const body = { password: 'battery staple' }
    assert.equal((await controller.askAdmin('PATCH', `/authenticators/${user.authenticatorId}`, body)).status, 200)
    assert.equal((await controller.ask({ path: '/current-identity', token: user.token })).status, 401)
    assert.equal((await new OidcClient(controller).asBearer(access_token)).status, 401)
  })

  test('while the old one is being checked leaves that login outside', async () => {
    const user = await createPasswordUser(controller)
    const { core } = controller
    const { passwordHash } = core.kit.view.get('authenticators', user.authenticatorId)!
    const proven = { identityId: user.identityId, authenticatorId: user.authenticatorId, passwordHash: passwordHash! }
    await controller.askAdmin('PATCH', `/authenticators/${user.authenticatorId}`, { password: 'battery staple' })
    const info = { configTypes: [], sdkInfo: undefined, envInfo: undefined }
    await assert.rejects(
      controller.write((change) => openSession(change, proven, info, '')),
      { code: 'INVALID_AUTH' },
    )
  })

  test('with a wrong present one is refused without repeating it', async () => {
    const user = await createPasswordUser(controller)
    const path = `${OWN}/${user.authenticatorId}`
    for (const method of ['PUT', 'PATCH'] as const) {
      const body = { username: user.username, password: 'new-password', currentPassword: 'wrong-guess' }
      const { status, text, json } = await controller.ask({ method, path, token: user.token, body })
      assert.equal(status, 401)
      assert.equal(json.error.cause.field, 'currentPassword')
      assert.doesNotMatch(text, /wrong-guess|new-password/)
    }
    assert.ok(!controller.logged.some((line) => /wrong-guess|new-password/.test(line)))
  })

  test('wrong guesses lock the identity like wrong logins do', async () => {
    const authPolicyId = await createAuthPolicy(controller, { updb: { maxAttempts: 3, lockoutDurationMinutes: 1 } })
    const user = await createPasswordUser(controller, { authPolicyId })
    const path = `${OWN}/${user.authenticatorId}`
    const body = { password: 'new-password', currentPassword: 'wrong-guess' }
    for (let i = 0; i < 3; i++) await controller.ask({ method: 'PATCH', path, token: user.token, body })
    assert.equal((await controller.ask({ path: '/current-identity', token: user.token })).status, 401)
    assert.equal((await login(controller, user.username, user.password)).status, 401)
  })

  test('obeys the rules of the auth policy', async () => {
    const authPolicyId = await createAuthPolicy(controller, {
      updb: { minPasswordLength: 12, requireNumberChar: true },
    })
    const user = await createPasswordUser(controller, { authPolicyId }, 'correct horse 1')
    const path = `${OWN}/${user.authenticatorId}`
    const body = { password: 'no digits in here', currentPassword: user.password }
    const { status, json } = await controller.ask({ method: 'PATCH', path, token: user.token, body })
    assert.equal(status, 400)
    assert.deepEqual(json.error.cause, { field: 'password', reason: 'password must contain a digit', value: '' })
  })
})

test('a certificate is changed neither by telling a password nor without its key', async () => {
  const identity = { name: 'has a certificate', type: 'Default', isAdmin: false }
  const identityId = idOf(await controller.askAdmin('POST', '/identities', identity))
  const publicKey = publicKeyOf(await generatePrivateKey('P-256'))
  const { certificate } = controller.pki.signer.issueClientCertificate({ subject: { commonName: 'x' }, publicKey })
  const created = { identityId, method: 'cert', certPem: certificate.pem }
  const id = idOf(await controller.askAdmin('POST', '/authenticators', created))
  const token = await openSessionOf(controller, identityId)
  const path = `${OWN}/${id}`
  const body = { username: 'somebody', password: 'correct horse', currentPassword: 'correct horse' }
  const put = await controller.ask({ method: 'PUT', path, token, body })
  assert.equal(put.json.error.code, 'CAN_NOT_UPDATE_AUTHENTICATOR')
  const extend = { method: 'POST', path: `${path}/extend`, token, body: { clientCertCsr: 'x' } } as const
  assert.equal((await controller.ask(extend)).json.error.code, 'CAN_NOT_UPDATE_AUTHENTICATOR')
  await controller.write((change) => change.update('authenticators', id, { isIssuedByNetwork: true }))
  assert.equal((await controller.ask(extend)).json.error.code, 'UNAUTHORIZED')
})

test('the own session ends when it is deleted', async () => {
  const { token } = await createPasswordUser(controller)
  assert.equal((await controller.ask({ method: 'DELETE', path: '/current-api-session', token })).status, 200)
  assert.equal((await controller.ask({ path: '/current-api-session', token })).status, 401)
})
