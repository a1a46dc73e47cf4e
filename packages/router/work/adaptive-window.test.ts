import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AdaptiveWindow, type AdaptiveWindowOptions } from './adaptive-window.ts'

const usual: AdaptiveWindowOptions = {
  enabled: true,
  minSize: 2,
  maxSize: 20,
  timeout: 1_000,
  successThreshold: 0.9,
  increaseFactor: 1.02,
  decreaseFactor: 0.5,
  increaseCheckInterval: 10,
  decreaseCheckInterval: 10,
}

function setUp(changes: Partial<AdaptiveWindowOptions> = {}) {
  const time = { now: 0 }
  const window = new AdaptiveWindow({ ...usual, ...changes }, () => time.now)
  const times = (count: number, outcome: 'succeed' | 'backOff' | 'fail') => {
    for (let at = 0; at < count; at++) window.take()![outcome]()
  }
  return { time, window, times }
}

test('a full window refuses, and a place given back twice counts once', () => {
  const { window } = setUp({ maxSize: 2 })
  const place = window.take()!
  window.take()
  assert.equal(window.take(), undefined)
  place.succeed()
  place.succeed()
  assert.equal(window.underWay, 1)
  assert.ok(window.take())
})

test('shrinks with failures down to its least, grows with successes up to its most', () => {
  const { window, times } = setUp()
  times(10, 'backOff')
  assert.equal(window.size, 10)
  times(10, 'backOff')
  assert.equal(window.size, 5)
  times(100, 'backOff')
  assert.equal(window.size, 2)
  times(10, 'succeed')
  assert.equal(window.size, 2, 'most of late were failures')
  times(2_000, 'succeed')
  assert.equal(window.size, 20)
  times(1_000, 'fail')
  assert.equal(window.size, 20, 'other failures say nothing')
})

test('what is never answered counts as a failure', () => {
  const { window, time } = setUp()
  for (let at = 0; at < 10; at++) window.take()
  time.now = 500
  const late = window.take()!
  time.now = 1_200
  window.expire()
  assert.deepEqual([window.underWay, window.size], [1, 10])
  late.succeed()
})

test('a window that is not enabled has room for all', () => {
  const { window } = setUp({ enabled: false, maxSize: 1 })
  window.take()
  assert.ok(window.take())
})
