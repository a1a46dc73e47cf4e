import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Headers } from '../frame/headers.ts'
import { findHeader } from '../frame/layout.ts'
import { decodeFrame, encodeFrame } from '../frame/message.ts'
import { HandClock } from '../testing/hand-clock.ts'
import { Heart } from './heartbeat.ts'

const options = { sendInterval: 10_000, checkInterval: 1_000, closeAfter: 30_000, grace: 60_000 }
const frame = encodeFrame(1100, new Headers().set(2256, 'circuit'), Buffer.from('body'), 7)

function loaded(heart: Heart, clock: HandClock) {
  return heart.hasLoad(clock.monotonic()) ? heart.load(frame, 0, frame.length) : frame
}

test('the first frame carries a heartbeat, and then one in every interval', () => {
  const clock = new HandClock()
  const heart = new Heart(options, clock)
  const carrying = Array.from({ length: 25 }, () => {
    const message = decodeFrame(loaded(heart, clock))
    clock.pass(1_000)
    assert.equal(message.headers.text(2256), 'circuit')
    assert.equal(message.body.toString(), 'body')
    assert.equal(message.sequence, 7)
    return message.headers.has(5)
  })
  assert.deepEqual(
    carrying.flatMap((isCarrying, second) => (isCarrying ? [second] : [])),
    [0, 11, 22],
  )
})

test('without traffic a frame of its own is asked for, once', () => {
  const clock = new HandClock()
  const heart = new Heart(options, clock)
  assert.equal(heart.check(), 'send')
  clock.pass(1_000)
  assert.equal(heart.check(), 'nothing')
  loaded(heart, clock)
  clock.pass(10_001)
  assert.equal(heart.check(), 'send')
})

test('the value goes back unchanged with the next frame, the newest only, and zero never', () => {
  const clock = new HandClock()
  const heart = new Heart(options, clock)
  loaded(heart, clock)
  const values = [Buffer.from('0102030405060708', 'hex'), Buffer.from('a1a2a3a4a5a6a7a8', 'hex')]
  for (const value of values) heart.receivedBeat(value, 0)
  assert.equal(heart.isOwing, true)
  const answer = decodeFrame(loaded(heart, clock))
  assert.deepEqual(answer.headers.get(6), values[1])
  assert.equal(answer.headers.has(5), false)
  assert.equal(heart.isOwing, false)
  heart.receivedBeat(Buffer.alloc(8), 0)
  assert.equal(heart.isOwing, false)
})

test('both headers can ride on one frame', () => {
  const clock = new HandClock()
  const heart = new Heart(options, clock)
  heart.receivedBeat(Buffer.alloc(8, 3), 0)
  const message = decodeFrame(loaded(heart, clock))
  assert.equal(message.headers.get(5)?.length, 8)
  assert.deepEqual(message.headers.get(6), Buffer.alloc(8, 3))
})

test('an answer gives the round trip and keeps the channel alive', () => {
  const clock = new HandClock()
  const heart = new Heart(options, clock)
  const sent = loaded(heart, clock)
  clock.pass(12)
  assert.equal(heart.waiting, 12)
  assert.equal(heart.receivedAnswer(sent, findHeader(sent, 0, 5)), 12)
  assert.equal(heart.roundTrip, 12)
  assert.equal(heart.waiting, 0)
})

test('an answer to what was never sent counts for nothing', () => {
  const clock = new HandClock()
  const heart = new Heart({ ...options, grace: 0 }, clock)
  loaded(heart, clock)
  clock.pass(29_000)
  assert.equal(heart.receivedAnswer(Buffer.alloc(8, 1), 0), undefined)
  clock.pass(1_001)
  assert.equal(heart.check(), 'dead')
})

test('a silent peer is dead after the time and, at the start, the grace', () => {
  const clock = new HandClock()
  const heart = new Heart(options, clock)
  clock.pass(90_000)
  assert.notEqual(heart.check(), 'dead')
  clock.pass(1)
  assert.equal(heart.check(), 'dead')
})
