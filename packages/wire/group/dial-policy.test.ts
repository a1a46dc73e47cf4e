import assert from 'node:assert/strict'
import { test } from 'node:test'
import { controlDialPolicy, DialPolicy, linkDialPolicy } from './dial-policy.ts'

test('the wait doubles with every failure up to its bound', () => {
  const policy = new DialPolicy({ ...linkDialPolicy, jitter: 0 })
  assert.equal(policy.delay(0), 0)
  const waits = Array.from({ length: 8 }, (_, index) => {
    policy.failed(index * 100_000)
    return policy.delay(index * 100_000)
  })
  assert.deepEqual(waits, [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
})

test('chance only shortens the wait', () => {
  const policy = new DialPolicy({ ...linkDialPolicy, jitter: 0.5 }, () => 0.999)
  policy.failed(0)
  assert.ok(policy.delay(0) > 1_000 && policy.delay(0) < 1_002)
})

test('a connection that lived too short is a failure, one that lasted makes good', () => {
  const policy = new DialPolicy({ ...linkDialPolicy, jitter: 0 })
  policy.dialing(0)
  policy.succeeded(0)
  policy.lost(29_999, 29_999)
  assert.equal(policy.failures, 1)
  assert.equal(policy.delay(30_000), 1_999)
  policy.dialing(32_000)
  policy.succeeded(32_000)
  policy.lost(30_000, 62_000)
  assert.equal(policy.failures, 0)
  assert.equal(policy.delay(62_000), 0)
})

test('a success that has lasted makes good what came before it', () => {
  const policy = new DialPolicy({ ...linkDialPolicy, jitter: 0 })
  policy.failed(0)
  policy.failed(10)
  policy.succeeded(5_000)
  policy.delay(34_999)
  assert.equal(policy.failures, 2)
  policy.delay(35_000)
  assert.equal(policy.failures, 0)
})

test('control channels dial once a second at most, and do not mind short lives', () => {
  const policy = new DialPolicy({ ...controlDialPolicy, jitter: 0 })
  policy.dialing(0)
  policy.succeeded(1)
  policy.lost(10, 11)
  assert.equal(policy.failures, 0)
  assert.equal(policy.delay(100), 900)
})
