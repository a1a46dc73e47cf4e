import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HashingBusyError, PasswordHasher } from './password-hash.ts'

test('a password verifies against its own hash and no other', async () => {
  const hasher = new PasswordHasher()
  const stored = await hasher.hash('correct horse')
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.deepEqual(await hasher.verify('correct horse', stored), { isRight: true, isOutdated: false })
  assert.deepEqual(await hasher.verify('correct horsf', stored), { isRight: false, isOutdated: false })
})

test('a hash made with weaker parameters verifies and is reported as outdated', async () => {
  // argon2id, 3072 KiB, one pass, four lanes, ten bytes of salt: what imported databases hold.
  const stored = '$argon2id$v=19$m=3072,t=1,p=4$AAECAwQFBgcICQ$J7gb/7xaRC921MSqfOpDvVNgjsHUvTNYzECsZno4ZSs'
  const hasher = new PasswordHasher()
  assert.deepEqual(await hasher.verify('weft', stored), { isRight: true, isOutdated: true })
})

for (const stored of [
  '',
  'nonsense',
  '$argon2id$v=19$m=999999999,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA',
  '$argon2i$v=19$m=8,t=1,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA',
]) {
  test(`a stored value that is no affordable argon2id hash matches nothing: ${stored.slice(0, 30)}`, async () => {
    assert.equal((await new PasswordHasher().verify('x', stored)).isRight, false)
  })
}

test('more waiting passwords than the bound are refused, the others are served', async () => {
  const hasher = new PasswordHasher({ concurrency: 1, maxWaiting: 2 })
  const attempts = await Promise.allSettled(Array.from({ length: 6 }, () => hasher.verifyNothing('x')))
  assert.equal(attempts.filter((attempt) => attempt.status === 'fulfilled').length, 3)
  for (const attempt of attempts)
    if (attempt.status === 'rejected') assert.ok(attempt.reason instanceof HashingBusyError)
})

test('one that has waited too long is refused, whether or not others are done, and the next is served', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const hasher = new PasswordHasher({ concurrency: 1, maxWaiting: 10, longestWait: 1_000 })
  const first = hasher.verifyNothing('x')
  const late = hasher.verifyNothing('x')
  t.mock.timers.tick(800)
  const intime = hasher.verifyNothing('x')
  t.mock.timers.tick(200)
  await assert.rejects(late, HashingBusyError)
  await first
  await intime
  await hasher.verifyNothing('x')
})
