import assert from 'node:assert/strict'
import { test } from 'node:test'
import { controllerBackoff, DialBackoff } from './dial-backoff.ts'

test('waits grow, chance changes them by half at most, and none is longer than a network may take to heal', () => {
  const middle = new DialBackoff(controllerBackoff, () => 0.5)
  assert.deepEqual([middle.next(), middle.next(), middle.next()], [50, 75, 112.5])
  middle.reset()
  assert.equal(middle.next(), 50)
  const longest = new DialBackoff(controllerBackoff, () => 0.999_999)
  const waits = Array.from({ length: 40 }, () => longest.next())
  assert.ok(Math.max(...waits) < 7_500)
})
