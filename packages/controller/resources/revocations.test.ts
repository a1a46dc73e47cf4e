import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { RevocationPurge } from '../auth/revocation-purge.ts'
import { systemClock } from '../clock.ts'
import { createPasswordUser, idOf } from '../testing/password-user.ts'
import { TestController } from '../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

const REVOCATIONS = '/revocations'
const DAY = 86_400_000

test('an id says what is revoked: a UUID, or an identity that exists', async () => {
  const user = await createPasswordUser(controller)
  for (const [type, id, status] of [
    ['JTI', randomUUID(), 201],
    ['API_SESSION', randomUUID(), 201],
    ['IDENTITY', user.identityId, 201],
    ['JTI', user.identityId, 400],
    ['API_SESSION', '', 400],
    ['IDENTITY', 'nobody', 404],
    ['OTHER', randomUUID(), 400],
  ] as const) {
    const answer = await controller.askAdmin('POST', REVOCATIONS, { id, type })
    assert.equal(answer.status, status, `${type} ${id}`)
  }
})

test('lasts as long as a token can, whatever the body says, and starts anew when it is written again', async () => {
  const id = randomUUID()
  const body = {
    id,
    type: 'JTI',
    tags: { a: 1 },
    expiresAt: '2020-01-01T00:00:00Z',
    issuedBefore: '2020-01-01T00:00:00Z',
  }
  assert.equal(idOf(await controller.askAdmin('POST', REVOCATIONS, body)), id)
  const first = (await controller.askAdmin('GET', `${REVOCATIONS}/${id}`)).json.data
  assert.ok(Math.abs(Date.parse(first.expiresAt) - Date.now() - DAY) < 60_000)
  idOf(await controller.askAdmin('POST', REVOCATIONS, { id, type: 'JTI' }))
  const second = (await controller.askAdmin('GET', `${REVOCATIONS}/${id}`)).json.data
  assert.deepEqual(second.tags, {})
  assert.ok(second.expiresAt >= first.expiresAt)
})

test('is written with the disabling and the deletion of an identity', async () => {
  const user = await createPasswordUser(controller)
  const path = `/identities/${user.identityId}`
  assert.equal((await controller.askAdmin('POST', `${path}/disable`, { durationMinutes: 0 })).status, 200)
  const disabled = controller.core.kit.view.get('revocations', user.identityId)
  assert.equal(disabled?.type, 'IDENTITY')
  assert.equal((await controller.askAdmin('DELETE', path)).status, 200)
  assert.ok(controller.core.kit.view.get('revocations', user.identityId)!.issuedBefore! > disabled!.issuedBefore!)
})

test('goes once no token it could concern is alive, and not before', async () => {
  const longestTokenLife = 2 * DAY
  const { kit } = controller.core
  const id = idOf(await controller.askAdmin('POST', REVOCATIONS, { id: randomUUID(), type: 'JTI' }))
  const purgeAt = async (milliseconds: number) => {
    const clock = { ...systemClock, now: () => milliseconds }
    await using purge = RevocationPurge.start({ kit, clock, log: undefined as never }, { longestTokenLife })
    await purge.purge()
  }
  await purgeAt(Date.now() + longestTokenLife - 60_000)
  assert.ok(kit.view.get('revocations', id))
  await purgeAt(Date.now() + longestTokenLife + 300_000)
  assert.equal(kit.view.get('revocations', id), undefined)
})
