import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TokenTimes } from './token-times.ts'

const MINUTE = 60
const clock = { time: 1_000_000, now: () => clock.time * 1_000 }

function started(minutes: number) {
  return new TokenTimes(clock, { access: minutes * MINUTE * 1_000 })
}

/** A token that is issued now. */
function token(minutes: number) {
  return { id: 'token', issuedAt: clock.time, endsAt: clock.time + minutes * MINUTE }
}

test('a token is over with its time, unless another was issued for its session since', () => {
  const times = started(1)
  const [shown, exp] = [token(1), clock.time + MINUTE]
  for (const z_asid of ['renewed', 'not renewed']) times.issued({ z_asid, exp })
  clock.time += MINUTE - 1
  assert.equal(times.isOver('not renewed', shown), false)
  times.issued({ z_asid: 'renewed', exp: clock.time + MINUTE })
  clock.time += 1
  assert.equal(times.isOver('not renewed', shown), true)
  assert.equal(times.isOver('renewed', shown), false)
  clock.time += MINUTE
  assert.equal(times.isOver('renewed', shown), true)
})

test('what an earlier process has issued is over a life after this one began, the usual life at least', () => {
  for (const [minutes, longest] of [
    [1, 30],
    [90, 90],
  ] as const) {
    const shown = token(1)
    clock.time += 10 * MINUTE
    const times = started(minutes)
    clock.time += longest * MINUTE - 1
    assert.equal(times.isOver('session', shown), false)
    clock.time += 1
    assert.equal(times.isOver('session', shown), true)
    // Its own time counts in any case.
    assert.equal(times.isOver('session', token(200)), false)
  }
})

test('sessions whose tokens are over are forgotten, and stay over', () => {
  const times = started(1)
  const shown = token(1)
  for (let count = 0; count < 1_000; count++) {
    times.issued({ z_asid: `session ${count}`, exp: clock.time + MINUTE })
    clock.time += 10
  }
  assert.ok(times.size < 20, `${times.size} are remembered`)
  assert.equal(times.isOver('session 0', shown), true)
})
