import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Answer } from '../operation/operation.ts'
import { LoginWindow } from './login-window.ts'

const clock = { time: 0, monotonic: () => clock.time }
const somebody = { isAdmin: false }
const admin = { isAdmin: true }
const full = { code: 'SERVER_TOO_MANY_REQUESTS', status: 429, headers: { 'retry-after': '1' } }

function windowOf(minSize: number, maxSize: number, enabled = true): LoginWindow {
  return new LoginWindow({ enabled, minSize, maxSize }, clock)
}

/** Logins one after the other, whose answers are taken or not. */
function pass(window: LoginWindow, times: number, isTaken: boolean): void {
  for (let at = 0; at < times; at++) window.enter(somebody).leave(isTaken)
}

describe('the window of logins', () => {
  test('lets in as many as it is large, and the next one when somebody has left', () => {
    const window = windowOf(5, 6)
    const places = Array.from({ length: 6 }, () => window.enter(somebody))
    assert.throws(() => window.enter(somebody), full)
    places[0]!.leave(true)
    window.enter(somebody)
    places[0]!.leave(true)
    assert.throws(() => window.enter(somebody), full, 'leaving twice is leaving once')
  })

  test('shrinks to its smallest size when answers are not taken, and grows again when they are', () => {
    const window = windowOf(5, 250)
    pass(window, 10, false)
    assert.equal(window.size, 225)
    pass(window, 1_000, false)
    assert.equal(window.size, 5)
    pass(window, 10, true)
    assert.equal(window.size, 6)
    pass(window, 5_000, true)
    assert.equal(window.size, 250)
  })

  test('stays large when one of ten gives up', () => {
    const window = windowOf(5, 250)
    for (let at = 0; at < 50; at++) {
      pass(window, 9, true)
      pass(window, 1, false)
    }
    assert.equal(window.size, 250)
  })

  test('always has a place for an administrator, now and then', () => {
    const window = windowOf(5, 5)
    for (let at = 0; at < 5; at++) window.enter(somebody)
    window.enter(admin)
    assert.throws(() => window.enter(admin), full)
    clock.time += 10_000
    window.enter(admin)
  })

  test('is held from before an answer is made until it is taken, or until there is none', async () => {
    const window = windowOf(5, 5)
    for (let at = 0; at < 4; at++) window.enter(somebody)
    const making = Promise.withResolvers<Answer>()
    const held = window.hold(somebody, () => making.promise)
    await assert.rejects(
      window.hold(somebody, async () => assert.fail('no place, no work')),
      full,
    )
    making.resolve({ status: 200, body: {} })
    const { onEnd } = await held
    assert.throws(() => window.enter(somebody), full)
    onEnd!(true)
    const refusal = new Error('refused')
    await assert.rejects(
      window.hold(somebody, () => Promise.reject(refusal)),
      refusal,
    )
    window.enter(somebody)
  })

  test('has no end when it is not wanted', () => {
    const window = windowOf(5, 5, false)
    for (let at = 0; at < 100; at++) window.enter(somebody)
  })
})
