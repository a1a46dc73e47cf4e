import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodeAttempts } from './code-attempts.ts'

function handWound() {
  let time = 0
  return { monotonic: () => time, pass: (seconds: number) => (time += seconds * 1_000) }
}

test('ten wrong codes in a row cost half a minute, the next ten twice that', () => {
  const clock = handWound()
  const attempts = new CodeAttempts(clock)
  for (let i = 0; i < 9; i++) attempts.failed('a')
  assert.equal(attempts.secondsToWait('a'), 0)
  attempts.failed('a')
  assert.equal(attempts.secondsToWait('a'), 30)
  assert.equal(attempts.secondsToWait('b'), 0)
  clock.pass(30)
  assert.equal(attempts.secondsToWait('a'), 0)
  for (let i = 0; i < 10; i++) attempts.failed('a')
  assert.equal(attempts.secondsToWait('a'), 60)
})

test('the wait never exceeds a quarter of an hour', () => {
  const attempts = new CodeAttempts(handWound())
  for (let i = 0; i < 10_000; i++) attempts.failed('a')
  assert.equal(attempts.secondsToWait('a'), 900)
})

test('a right code starts the count anew', () => {
  const attempts = new CodeAttempts(handWound())
  for (let i = 0; i < 9; i++) attempts.failed('a')
  attempts.succeeded('a')
  attempts.failed('a')
  assert.equal(attempts.secondsToWait('a'), 0)
})
