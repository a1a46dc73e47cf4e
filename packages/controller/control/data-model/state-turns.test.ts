import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { StateTurns } from './state-turns.ts'

test('few are at work at one time, all get their turn in order, and a failure gives it back', async () => {
  const turns = new StateTurns()
  const begun: number[] = []
  let atWork = 0
  let most = 0
  const works = Array.from({ length: 40 }, (_, nth) =>
    turns.run(async () => {
      begun.push(nth)
      most = Math.max(most, ++atWork)
      await setImmediate()
      atWork--
      if (nth % 3 === 0) throw new Error('lost')
    }),
  )
  const outcomes = await Promise.allSettled(works)
  assert.equal(most, 8)
  assert.deepEqual(begun, [...outcomes.keys()])
  assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 14)
  assert.equal(await turns.run(async () => 'free'), 'free')
})
