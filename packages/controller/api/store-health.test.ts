import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { systemClock } from '../clock.ts'
import { put, transaction } from '../store/sample-history.ts'
import { SqliteStore } from '../store/sqlite/sqlite-store.ts'
import { durationText, StoreHealth, storeHealth } from './store-health.ts'

describe('the health of the store', () => {
  test('is good before the first check and after one', async () => {
    await using place = await openStore()
    const health = new StoreHealth({ store: place.store, clock: systemClock })
    assert.deepEqual(Object.keys(health.checks()[0]!), [
      'id',
      'healthy',
      'lastCheckDuration',
      'lastCheckTime',
      'details',
    ])
    await place.store.append([transaction(1, put('t', 'x', '{}'))])
    await health.check()
    const [check] = health.checks()
    assert.equal(check!.id, 'bolt.read')
    assert.equal(check!.healthy, true)
    assert.match(check!.lastCheckDuration, /^[\d.]+(µs|ms|s)$/)
    assert.match(check!.lastCheckTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  })

  test('is bad while the store cannot be read, and says since when', async () => {
    await using place = await openStore()
    let now = Date.UTC(2026, 0, 1)
    const clock = { now: () => now, monotonic: () => performance.now() }
    const health = new StoreHealth({ store: place.store, clock })
    await place.store[Symbol.asyncDispose]()
    await health.check()
    now += 60_000
    await health.check()
    const [check] = health.checks()
    assert.equal(check!.healthy, false)
    assert.equal(check!.err, 'the store is closed')
    assert.equal(check!.consecutiveFailures, 2)
    assert.equal(check!.failingSince, '2026-01-01T00:00:00Z')
    assert.equal(check!.lastCheckTime, '2026-01-01T00:01:00Z')
  })

  test('is bad when the disk does not answer in time', async () => {
    const stuck = {
      head: { timeline: '', index: 7, prunedUpTo: 0, schemaVersion: 1 },
      journal: () => new Promise<never>(() => {}),
    }
    const health = new StoreHealth({ store: stuck, clock: systemClock }, { interval: 1_000, patience: 20 })
    await health.check()
    assert.equal(health.checks()[0]!.err, 'the store did not answer within 20 ms')
  })

  test('is looked after until it is disposed of', async () => {
    await using place = await openStore()
    await place.store.append([transaction(1, put('t', 'x', '{}'))])
    let reads = 0
    const store = {
      head: place.store.head,
      journal: (range: Parameters<SqliteStore['journal']>[0]) => {
        reads++
        return place.store.journal(range)
      },
    }
    {
      using _health = storeHealth({ store, clock: systemClock }, { interval: 5, patience: 1_000 })
      while (reads < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const before = reads
    await new Promise((resolve) => setTimeout(resolve, 40))
    assert.equal(reads, before)
  })
})

test('durations are written as the peers write them', () => {
  const cases: [number, string][] = [
    [0, '0µs'],
    [0.01427, '14.27µs'],
    [1.2, '1.2ms'],
    [999, '999ms'],
    [2_500, '2.5s'],
  ]
  for (const [milliseconds, text] of cases) assert.equal(durationText(milliseconds), text)
})

async function openStore() {
  const folder = await mkdtemp(join(tmpdir(), 'weft-health-'))
  const store = await SqliteStore.open({ file: join(folder, 'store.db'), clock: systemClock })
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
