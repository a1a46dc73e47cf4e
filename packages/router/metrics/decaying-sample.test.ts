import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecayingSample } from './decaying-sample.ts'

/** A generator with a seed: what comes of it is always the same. */
function seeded(seed = 7): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function sampleAt(start = 0) {
  const time = { now: start }
  const sample = new DecayingSample({ monotonic: () => time.now, random: seeded() })
  return { time, sample }
}

test('keeps everything until it is full, and then 128', () => {
  const { sample } = sampleAt()
  for (let value = 128; value > 0; value--) sample.add(value)
  assert.deepEqual(
    [...sample.sorted()],
    Array.from({ length: 128 }, (_, at) => at + 1),
  )
  for (let value = 0; value < 10_000; value++) sample.add(5)
  assert.equal(sample.length, 128)
})

test('forgets what is long ago', () => {
  const { sample, time } = sampleAt()
  for (let count = 0; count < 1_000; count++) sample.add(1)
  time.now += 20 * 60_000
  for (let count = 0; count < 128; count++) sample.add(2)
  assert.deepEqual(new Set(sample.sorted()), new Set([2]), 'e^18 times as likely')
})

test('outlives any number of hours', () => {
  const { sample, time } = sampleAt()
  for (let hour = 0; hour < 500; hour++) {
    time.now += 2 * 3_600_000
    for (let count = 0; count < 128; count++) sample.add(hour)
  }
  assert.deepEqual(new Set(sample.sorted()), new Set([499]))
})

test('can be emptied', () => {
  const { sample } = sampleAt()
  sample.add(1)
  sample.clear()
  assert.deepEqual([...sample.sorted()], [])
  sample.add(2)
  assert.deepEqual([...sample.sorted()], [2])
})
