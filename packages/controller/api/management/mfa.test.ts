import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { totpCode } from '../../auth/totp.ts'
import { createAuthPolicy, createPasswordUser, login, type PasswordUser } from '../../testing/password-user.ts'
import { type Answered, TestController } from '../../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

const MFA = '/current-identity/mfa'

/** The seed that an authenticator app would have read from the provisioning URL. */
async function seedOf(token: string): Promise<Buffer> {
  const { json } = await controller.ask({ path: MFA, token })
  return fromBase32(new URL(json.data.provisioningUrl).searchParams.get('secret')!)
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  return Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)!
      .map((byte) => Number.parseInt(byte, 2)),
  )
}

/** The code some steps from now; each step is good once, so tests that need several take neighbours. */
function codeOf(seed: Buffer, stepsFromNow = 0): string {
  return totpCode(seed, Math.floor(Date.now() / 30_000) + stepsFromNow)
}

function present(code: string, token: string, path = '/authenticate/mfa'): Promise<Answered> {
  return controller.ask({ method: 'POST', path, body: { code }, token })
}

interface Enrolled extends PasswordUser {
  readonly seed: Buffer
  readonly codes: readonly string[]
}

async function enrolledUser(values: object = {}): Promise<Enrolled> {
  const user = await createPasswordUser(controller, { ...values })
  const { status } = await controller.ask({ method: 'POST', path: MFA, token: user.token })
  assert.equal(status, 201)
  const codes: readonly string[] = (await controller.ask({ path: MFA, token: user.token })).json.data.recoveryCodes
  const seed = await seedOf(user.token)
  const verified = await present(codeOf(seed, -1), user.token, `${MFA}/verify`)
  assert.equal(verified.status, 200, verified.text)
  return { ...user, seed, codes }
}

async function partialSession({ username, password }: PasswordUser): Promise<string> {
  const { json } = await login(controller, username, password)
  assert.equal(json.data.authQueries[0].typeId, 'MFA')
  return json.data.token
}

describe('a second factor', () => {
  test('is asked for at the next login once it is verified', async () => {
    const user = await enrolledUser()
    const token = await partialSession(user)
    assert.equal((await controller.ask({ path: '/current-identity', token })).status, 401)
    assert.equal((await present(codeOf(user.seed), token)).status, 200)
    assert.equal((await controller.ask({ path: '/current-identity', token })).status, 200)
  })

  test('that was never verified is none', async () => {
    const user = await createPasswordUser(controller)
    await controller.ask({ method: 'POST', path: MFA, token: user.token })
    const answer = await present(codeOf(await seedOf(user.token)), user.token)
    assert.equal(answer.json.error.code, 'MFA_NOT_ENROLLED')
    assert.deepEqual((await login(controller, user.username, user.password)).json.data.authQueries, [])
  })

  test('takes each code once, also when two requests race with it', async () => {
    const user = await enrolledUser()
    const [one, two] = [await partialSession(user), await partialSession(user)]
    const code = codeOf(user.seed)
    const statuses = (await Promise.all([present(code, one), present(code, two)])).map(({ status }) => status)
    assert.deepEqual(statuses.sort(), [200, 400])
    const again = await present(code, two)
    assert.equal(again.json.error.code, 'MFA_INVALID_TOKEN')
  })

  test('takes each recovery code once, and shows those that are left for a code only', async () => {
    const user = await enrolledUser()
    const token = await partialSession(user)
    assert.equal((await present(user.codes[3]!, token)).status, 200)
    assert.equal((await present(user.codes[3]!, token)).status, 400)
    assert.equal((await present(user.codes[4]!.toLowerCase(), token)).status, 400)
    const path = `${MFA}/recovery-codes`
    assert.equal((await controller.ask({ path, token })).status, 400)
    assert.equal(
      (await controller.ask({ path, token, headers: { 'mfa-validation-code': user.codes[5]! } })).status,
      400,
    )
    const shown = await controller.ask({ path, token, headers: { 'mfa-validation-code': codeOf(user.seed) } })
    assert.deepEqual(
      shown.json.data.recoveryCodes,
      user.codes.filter((code) => code !== user.codes[3]),
    )
  })

  test('cannot be guessed: after ten wrong codes even the right one has to wait', async () => {
    const user = await enrolledUser()
    const token = await partialSession(user)
    const wrong = ['999990', '999991'].find((code) => code !== codeOf(user.seed))!
    const guesses = await Promise.all(Array.from({ length: 30 }, () => present(wrong, token)))
    assert.equal(guesses.filter(({ status }) => status === 400).length, 10)
    assert.equal(guesses.filter(({ status }) => status === 429).length, 20)
    assert.equal((await present(codeOf(user.seed), token)).json.error.code, 'RATE_LIMITED')
  })

  test('goes with a code, and needs none while it is not verified', async () => {
    const user = await enrolledUser()
    const remove = (headers: Record<string, string> = {}) =>
      controller.ask({ method: 'DELETE', path: MFA, token: user.token, headers })
    assert.equal((await remove()).json.error.code, 'MFA_INVALID_TOKEN')
    assert.equal((await remove({ 'mfa-validation-code': '000000' })).status, 400)
    assert.equal((await remove({ 'mfa-validation-code': codeOf(user.seed) })).status, 200)
    assert.equal((await remove()).status, 404)
    await controller.ask({ method: 'POST', path: MFA, token: user.token })
    assert.equal((await remove()).status, 200)
  })

  test('leaves no seed and no code where it is stored', async () => {
    const user = await enrolledUser()
    const [row] = [...controller.core.kit.view.find('mfas', 'identityId', user.identityId)]
    const stored = JSON.stringify(row)
    for (const secret of [user.seed.toString('base64'), user.seed.toString('hex'), ...user.codes]) {
      assert.ok(!stored.includes(secret))
    }
    assert.equal((await controller.ask({ path: MFA, token: user.token })).json.data.recoveryCodes, null)
  })

  test('comes as a picture while it is not verified', async () => {
    const { token } = await createPasswordUser(controller)
    assert.equal((await controller.ask({ path: `${MFA}/qr-code`, token })).status, 404)
    await controller.ask({ method: 'POST', path: MFA, token })
    const { status, text } = await controller.ask({ path: `${MFA}/qr-code`, token })
    assert.equal(status, 200)
    assert.match(text, /^.PNG/)
  })
})

describe('while a second factor is outstanding', () => {
  test('stored grants and the admin flag count for nothing', async () => {
    const authPolicyId = await createAuthPolicy(controller, { secondary: { requireTotp: true } })
    for (const values of [{ isAdmin: true }, { permissions: ['identity.read', 'admin_readonly'] }]) {
      const { token } = await createPasswordUser(controller, { ...values, authPolicyId })
      assert.equal((await controller.ask({ path: '/identities', token })).status, 401)
      assert.equal((await controller.ask({ path: '/current-api-session', token })).status, 200)
    }
  })

  test('it can be enrolled, and completes the session', async () => {
    const authPolicyId = await createAuthPolicy(controller, { secondary: { requireTotp: true } })
    const { token } = await enrolledUser({ authPolicyId })
    assert.equal((await controller.ask({ path: '/current-identity', token })).status, 200)
  })

  test('an enrolled one can be neither removed nor read', async () => {
    const user = await enrolledUser()
    const token = await partialSession(user)
    const headers = { 'mfa-validation-code': codeOf(user.seed) }
    assert.equal((await controller.ask({ method: 'DELETE', path: MFA, token, headers })).status, 401)
    assert.equal((await controller.ask({ path: `${MFA}/recovery-codes`, token, headers })).status, 401)
    assert.equal((await controller.ask({ path: MFA, token })).json.data.provisioningUrl, undefined)
  })
})

test('a stored session is no ground for a TOTP token', async () => {
  const answer = await present('123456', controller.admin, '/current-api-session/totp-token')
  assert.equal(answer.json.error.code, 'INVALID_BACKING_TOKEN_TYPE')
})
