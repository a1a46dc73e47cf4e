import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { claimsOf, OidcClient, REDIRECT_URI } from '../../testing/oidc-client.ts'
import { createAuthPolicy, createPasswordUser } from '../../testing/password-user.ts'
import { TestController } from '../../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const client = new OidcClient(controller)
const user = await createPasswordUser(controller)

async function settle(redirectUris: readonly string[]) {
  await controller.askAdmin('POST', '/controller-settings', { controllerId: 'default', oidc: { redirectUris } })
}

describe('an authorization request', () => {
  for (const [what, changes, error] of [
    ['of an unknown client', { client_id: 'somebody' }, 'invalid_client'],
    ['without a challenge', { code_challenge: '' }, 'invalid_request'],
    ['with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for another response type', { response_type: 'token' }, 'unauthorized_client'],
    ['to an unregistered place', { redirect_uri: 'https://evil.example/auth/callback' }, 'invalid_request'],
    ['to a place that only begins like a registered one', { redirect_uri: `${REDIRECT_URI}/more` }, 'invalid_request'],
    ['to localhost without a port', { redirect_uri: 'http://localhost/auth/callback' }, 'invalid_request'],
  ] as const) {
    test(`${what} is refused`, async () => {
      const { status, json, headers } = await client.authorize(changes)
      assert.deepEqual([status, json.error, headers.location], [400, error, undefined])
    })
  }

  test('may return to where the settings say, from the moment they do', async () => {
    const redirect_uri = 'https://app.example/signed-in'
    assert.equal((await client.authorize({ redirect_uri })).status, 400)
    await settle([redirect_uri])
    assert.equal((await client.authorize({ redirect_uri })).status, 302)
  })

  test('is answered for hosts of the controller alone', async () => {
    for (const host of ['evil.example:1280', '127.0.0.1', '127.0.0.1:1281']) {
      assert.equal((await client.ask('/.well-known/openid-configuration', { host })).status, 404)
    }
    const { json } = await client.ask('/.well-known/openid-configuration')
    assert.equal(json.issuer, 'https://127.0.0.1:1280/oidc')
  })
})

test('whoever says nothing of itself in a form is told so in its tokens, and in JSON nothing is told', async () => {
  const { access_token } = await client.tokens(user)
  assert.deepEqual([claimsOf(access_token).z_sdk, claimsOf(access_token).z_env], [{}, {}])
  const begun = await client.begin()
  const body = { id: begun.requestId, username: user.username, password: user.password }
  await controller.askOidc({ method: 'POST', path: '/login/password', body })
  const { json } = await client.redeem(await client.finish(begun))
  assert.deepEqual([claimsOf(json.access_token).z_sdk, claimsOf(json.access_token).z_env], [null, null])
})

describe('a code', () => {
  test('leads to tokens that say who logged in and how', async () => {
    const { access_token, refresh_token, id_token } = await client.tokens(user, {
      configTypes: 'all',
      sdkAppID: 'demo',
    })
    const access = claimsOf(access_token)
    assert.deepEqual([access.sub, access.aud, access.amr], [user.identityId, ['openziti'], ['password']])
    assert.deepEqual([access.z_t, access.z_cfs, access.z_ct, access.z_sdk], ['a', null, ['all'], { appId: 'demo' }])
    const refresh = claimsOf(refresh_token)
    assert.deepEqual([refresh.z_t, refresh.z_asid], ['r', access.z_asid])
    assert.notEqual(refresh.jti, access.jti)
    assert.equal(claimsOf(id_token).z_asid, access.z_asid)
    assert.equal((await client.asBearer(access_token)).json.data.id, user.identityId)
  })

  test('works once, and a second use ends what came of the first', async () => {
    const completed = await client.completed(user)
    const { json: tokens } = await client.redeem(completed)
    assert.equal((await client.asBearer(tokens.access_token)).status, 200)
    assert.equal((await client.redeem(completed)).json.error, 'invalid_grant')
    assert.equal((await client.asBearer(tokens.access_token)).status, 401)
    assert.equal((await client.refresh(tokens.refresh_token)).status, 400)
  })

  test('is of use only to the client, the redirect URI and the verifier it was made for', async () => {
    const completed = await client.completed(user)
    for (const [changes, error] of [
      [{ client_id: 'native' }, 'invalid_grant'],
      [{ client_id: 'somebody' }, 'invalid_client'],
      [{ redirect_uri: 'http://localhost:20315/auth/callback' }, 'invalid_grant'],
      [{ code_verifier: 'a'.repeat(43) }, 'invalid_grant'],
      [{ code_verifier: '' }, 'invalid_request'],
      [{ code: `${completed.code}x` }, 'invalid_grant'],
    ] as const) {
      const { status, json } = await client.redeem(completed, changes)
      assert.deepEqual([status, json.error], [400, error])
    }
    assert.equal((await client.redeem(completed)).status, 200, 'failed attempts do not use it up')
  })

  test('is not given before all factors were shown', async () => {
    const begun = await client.begin()
    const { headers } = await client.ask(`/authorize/callback?id=${begun.requestId}`)
    assert.match(headers.location ?? '', /error=interaction_required/)
    const authPolicyId = await createAuthPolicy(controller, { secondary: { requireTotp: true } })
    const strict = await createPasswordUser(controller, { authPolicyId })
    const answer = await client.password(begun, strict)
    assert.deepEqual([answer.status, answer.headers['totp-required']], [200, 'true'])
    assert.equal(answer.json.authQueries[0].typeId, 'TOTP')
    assert.equal((await client.finish(begun)).code, '')
  })

  test('of somebody who was disabled meanwhile leads nowhere', async () => {
    const other = await createPasswordUser(controller)
    const completed = await client.completed(other)
    await controller.askAdmin('POST', `/identities/${other.identityId}/disable`, { durationMinutes: 1 })
    await controller.askAdmin('POST', `/identities/${other.identityId}/enable`)
    assert.equal((await client.redeem(completed)).json.error, 'invalid_grant')
  })

  test('is found behind a state that the client repeats', async () => {
    const { code, verifier } = await client.completed(user)
    const body = `state=a&code=${code}&state=a&grant_type=authorization_code&client_id=openziti&code_verifier=${verifier}`
    const { status } = await controller.askOidc({
      method: 'POST',
      path: '/oauth/token',
      body: `${body}&redirect_uri=${encodeURIComponent(REDIRECT_URI)}`,
      contentType: 'application/x-www-form-urlencoded',
    })
    assert.equal(status, 200)
  })
})

describe('a login', () => {
  test('with a wrong password is refused without an envelope, and to a person on the page', async () => {
    const begun = await client.begin()
    const wrong = { ...user, password: 'something else' }
    const { status, json } = await client.password(begun, wrong)
    assert.deepEqual([status, json.code], [401, 'INVALID_AUTH'])
    const form = { id: begun.requestId, username: user.username, password: 'something else' }
    const page = await client.post(`/login/username?authRequestID=${begun.requestId}`, form, { accept: 'text/html' })
    assert.deepEqual([page.status, page.contentType], [401, 'text/html; charset=utf-8'])
    assert.match(page.text, /role="alert"/)
  })

  test('of an unknown request is refused', async () => {
    const { status, json } = await client.password({ requestId: 'nope', verifier: '' }, user)
    assert.deepEqual([status, json.code], [401, 'UNAUTHORIZED'])
  })

  test('page works without scripts and lets nothing else in', async () => {
    const { requestId } = await client.begin()
    const { text, headers } = await client.ask(`/login/username?authRequestID=${requestId}`)
    assert.equal(headers['auth-request-id'], requestId)
    assert.doesNotMatch(text, /<script|https?:\/\//)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /form-action 'self' http:\/\/localhost:20314/)
    assert.match(policy, /frame-ancestors 'none'/)
  })

  test('page shows nothing of what a request brings along', async () => {
    const { text } = await client.ask(`/login/username?authRequestID=${encodeURIComponent('"><b>x</b>')}`)
    assert.doesNotMatch(text, /<b>x/)
  })

  test('needs a form or JSON, an acceptable answer, and a bounded body', async () => {
    const post = (contentType: string, body: string, headers = {}) =>
      controller.askOidc({ method: 'POST', path: '/login/password', body, contentType, headers })
    assert.equal((await post('text/xml', '<a/>')).status, 415)
    assert.equal((await post('application/json', '{bad')).status, 400)
    assert.equal((await post('application/json', '{}', { accept: 'image/png' })).status, 406)
    assert.equal((await post('application/json', `"${'a'.repeat(1_100_000)}"`)).status, 413)
  })
})
