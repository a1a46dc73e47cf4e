import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SyncIds, syncState } from './sync-state.ts'

test('ids of synchronisations ascend as text, in one moment, over time, and when a clock goes back', () => {
  let now = Date.UTC(2026, 0, 1)
  const ids = new SyncIds({ now: () => now })
  const made: string[] = []
  for (let round = 0; round < 200; round++) {
    made.push(ids.next())
    if (round % 50 === 0) now += 1
    if (round === 120) now -= 60_000
  }
  assert.deepEqual(made, made.toSorted())
  assert.equal(new Set(made).size, made.length)
  // A controller that starts later begins later.
  assert.ok(new SyncIds({ now: () => now + 3_600_000 }).next() > made.at(-1)!)
})

test('the state names the synchronisation and the part of it', () => {
  assert.equal(syncState({ id: 'c1', sequence: 2, isLast: true }), '{"id":"c1","isLast":true,"sequence":2}')
})
