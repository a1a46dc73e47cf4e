import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { totpCode } from '../../auth/totp.ts'
import { claimsOf, OidcClient } from '../../testing/oidc-client.ts'
import { createAuthPolicy, createPasswordUser } from '../../testing/password-user.ts'
import { TestController } from '../../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const client = new OidcClient(controller)
const authPolicyId = await createAuthPolicy(controller, { secondary: { requireTotp: true } })
const HTML = { accept: 'text/html,*/*;q=0.8' }

function decode32(text: string): Buffer {
  const bits = [...text]
    .map((sign) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(sign).toString(2).padStart(5, '0'))
    .join('')
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
}

const stepNow = () => Math.floor(Date.now() / 30_000)

test('a second factor is enrolled in the middle of a login, and asked for at the next', async () => {
  const user = await createPasswordUser(controller, { authPolicyId })
  const begun = await client.begin()
  assert.equal(
    (await client.post('/login/totp/enroll', { id: begun.requestId })).status,
    401,
    'not before the password',
  )
  const owed = await client.password(begun, user)
  assert.deepEqual([owed.status, owed.json.authQueries[0].isTotpEnrolled], [200, undefined])
  const early = await client.post('/login/totp', { id: begun.requestId, code: '123456' })
  assert.deepEqual([early.status, early.json.code], [400, 'INVALID TOTP CODE'])
  const made = await client.post('/login/totp/enroll', { id: begun.requestId })
  assert.deepEqual([made.status, made.json.isVerified, made.json.recoveryCodes.length], [201, false, 20])
  assert.equal((await client.post('/login/totp/enroll', { id: begun.requestId })).json.code, 'MFA_EXISTS')
  const seed = decode32(new URL(made.json.provisioningUrl).searchParams.get('secret')!)
  const verify = (code: string) => client.post('/login/totp/enroll/verify', { id: begun.requestId, code })
  assert.equal((await verify(made.json.recoveryCodes[0])).status, 400, 'a recovery code proves no app')
  assert.equal((await verify(totpCode(seed, stepNow()))).status, 302)
  const { json } = await client.redeem(await client.finish(begun))
  assert.deepEqual(claimsOf(json.access_token).amr, ['password', 'totp'])
  assert.equal((await client.asBearer(json.access_token)).status, 200)
  const { json: exchanged } = await client.exchange(json.refresh_token, 'refresh_token', 'access_token')
  assert.equal((await client.asBearer(exchanged.access_token)).status, 200, 'an exchange keeps the second factor')

  const next = await client.begin()
  assert.equal((await client.password(next, user)).json.authQueries[0].isTotpEnrolled, true)
  const show = (code: string) => client.post('/login/totp', { id: next.requestId, code })
  assert.equal((await show(totpCode(seed, stepNow()))).status, 400, 'a code counts once')
  assert.equal((await show(made.json.recoveryCodes[1])).status, 302)
})

test('a person is led through it by pages', async () => {
  const user = await createPasswordUser(controller, { authPolicyId })
  const { requestId } = await client.begin()
  const post = (path: string, form: Readonly<Record<string, string>>) =>
    client.post(`${path}?authRequestID=${requestId}`, { id: requestId, ...form }, HTML)
  const { username, password } = user
  assert.match((await post('/login/username', { username, password })).text, /action="\/oidc\/login\/totp\/enroll\?/)
  const page = await post('/login/totp/enroll', {})
  assert.match(page.text, /<img [^>]*src="data:image\/png;base64,/)
  const seed = decode32(/<code id="seed">(\w+)</.exec(page.text)![1]!)
  const wrong = await post('/login/totp/enroll/verify', { code: '000000' })
  assert.deepEqual([wrong.status, /role="alert"/.test(wrong.text)], [400, true])
  const done = await post('/login/totp/enroll/verify', { code: totpCode(seed, stepNow()) })
  assert.equal(done.status, 302)
  assert.match(done.headers.location ?? '', /\/oidc\/authorize\/callback\?id=/)
})
