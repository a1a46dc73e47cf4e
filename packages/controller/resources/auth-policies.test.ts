import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createAuthPolicy, createPasswordUser } from '../testing/password-user.ts'
import { TestController } from '../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

async function updbOf(id: string) {
  return (await controller.askAdmin('GET', `/auth-policies/${id}`)).json.data.primary.updb
}

test('a PATCH sets the member it names and leaves the others', async () => {
  const id = await createAuthPolicy(controller, { updb: { minPasswordLength: 8, requireMixedCase: true } })
  const before = await updbOf(id)
  for (const part of [{ requireNumberChar: true }, { minPasswordLength: 20 }, { requireSpecialChar: true }]) {
    const patch = { primary: { updb: part } }
    assert.equal((await controller.askAdmin('PATCH', `/auth-policies/${id}`, patch)).status, 200)
    Object.assign(before, part)
    assert.deepEqual(await updbOf(id), before)
  }
})

test('numbers stay within what passwords and lockouts can be', async () => {
  const id = await createAuthPolicy(controller, {
    updb: { minPasswordLength: 1_000, maxAttempts: -1, lockoutDurationMinutes: -1 },
  })
  const { minPasswordLength, maxAttempts, lockoutDurationMinutes } = await updbOf(id)
  assert.deepEqual([minPasswordLength, maxAttempts, lockoutDurationMinutes], [100, 0, 0])
})

test('signers that do not exist are refused on every verb', async () => {
  const id = await createAuthPolicy(controller, {})
  for (const body of [
    { primary: { extJwt: { allowedSigners: ['nobody'] } } },
    { secondary: { requireExtJwtSigner: 'nobody' } },
  ]) {
    assert.equal((await controller.askAdmin('PATCH', `/auth-policies/${id}`, body)).status, 404)
  }
})

test('whoever is no administrator cannot weaken the policy of one', async () => {
  const token = await controller.login(['auth-policy'])
  const id = await createAuthPolicy(controller, { secondary: { requireTotp: true } })
  const path = `/auth-policies/${id}`
  const body = { secondary: { requireTotp: false } }
  const weaken = () => controller.ask({ method: 'PATCH', path, token, body })
  assert.equal((await weaken()).status, 200)
  await createPasswordUser(controller, { isAdmin: true, authPolicyId: id })
  assert.equal((await weaken()).status, 401)
  assert.equal((await controller.ask({ method: 'DELETE', path, token })).status, 401)
  assert.equal((await controller.ask({ path, token })).status, 200)
  assert.equal((await controller.askAdmin('PATCH', path, body)).status, 200)
})
