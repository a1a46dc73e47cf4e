import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

const { ABANDONED_AFTER, holdingLock } = createRequire(import.meta.url)('./install-lock.cjs') as {
  ABANDONED_AFTER: number
  holdingLock<T>(lock: string, say: (text: string) => void, work: (wasAbandoned: boolean) => Promise<T>): Promise<T>
}

const folder = mkdtempSync(join(tmpdir(), 'weft-lock-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const lock = join(folder, 'cache', 'install.lock')

/** Works under the lock `count` times at once; reports how many worked at the same time, and what each was told. */
async function compete(count: number) {
  let working = 0
  let most = 0
  const told = await Promise.all(
    Array.from({ length: count }, () =>
      holdingLock(lock, silent, async (wasAbandoned) => {
        most = Math.max(most, ++working)
        await sleep(20)
        working--
        return wasAbandoned
      }),
    ),
  )
  return { most, told }
}

test('one works at a time', async () => {
  assert.deepEqual(await compete(4), { most: 1, told: [false, false, false, false] })
  assert.equal(existsSync(lock), false)
})

test('one of those who wait takes over a lock whose holder died', async () => {
  mkdirSync(lock)
  const longAgo = new Date(Date.now() - ABANDONED_AFTER - 1_000)
  utimesSync(lock, longAgo, longAgo)
  const { most, told } = await compete(4)
  assert.equal(most, 1)
  assert.equal(told.filter((wasAbandoned) => wasAbandoned).length, 1)
})

test('a lock that is held is waited for, and that is said once', async () => {
  const said: string[] = []
  mkdirSync(lock)
  const waiting = holdingLock(
    lock,
    (text) => said.push(text),
    async () => existsSync(lock),
  )
  await sleep(500)
  assert.deepEqual(said, ['another process is installing, waiting for it'])
  rmSync(lock, { recursive: true })
  assert.equal(await waiting, true)
})

test('the lock is given back when the work fails', async () => {
  await assert.rejects(
    holdingLock(lock, silent, async () => {
      throw new Error('no network')
    }),
    /no network/,
  )
  assert.equal(existsSync(lock), false)
})

function silent(): void {}
