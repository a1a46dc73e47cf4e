import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { promptGraceMilliseconds as grace, mfaStanding, withEndpointEvents } from './mfa-standing.ts'
import type { MfaDemand, MfaState } from './posture-demand.ts'

const MINUTE = 60_000
const now = 1_000 * MINUTE
const forEver: MfaDemand = { typeId: 'MFA', timeoutSeconds: -1, promptOnWake: false, promptOnUnlock: false }
const anHour: MfaDemand = { ...forEver, timeoutSeconds: 3_600 }
const prompting: MfaDemand = { ...anHour, promptOnWake: true, promptOnUnlock: true }

interface Case {
  readonly name: string
  readonly demand: MfaDemand
  readonly state: MfaState
  readonly isPassing: boolean
  readonly dueAt: number | undefined
}

const cases: readonly Case[] = [
  { name: 'no code yet', demand: forEver, state: {}, isPassing: false, dueAt: now },
  { name: 'no code yet, but woken', demand: prompting, state: { wokenAt: now }, isPassing: false, dueAt: now },
  { name: 'a code for ever', demand: forEver, state: { passedAt: 1 }, isPassing: true, dueAt: undefined },
  {
    name: 'a code in its time',
    demand: anHour,
    state: { passedAt: now - 59 * MINUTE },
    isPassing: true,
    dueAt: now + MINUTE,
  },
  {
    name: 'a code whose time is over',
    demand: anHour,
    state: { passedAt: now - 60 * MINUTE },
    isPassing: false,
    dueAt: now,
  },
  {
    name: 'woken before the code',
    demand: prompting,
    state: { passedAt: now, wokenAt: now - 1 },
    isPassing: true,
    dueAt: now + 60 * MINUTE,
  },
  {
    name: 'woken just now',
    demand: prompting,
    state: { passedAt: now - 1, wokenAt: now },
    isPassing: true,
    dueAt: now + grace,
  },
  {
    name: 'woken too long ago',
    demand: prompting,
    state: { passedAt: now - grace - 1, wokenAt: now - grace },
    isPassing: false,
    dueAt: now,
  },
  {
    name: 'unlocked too long ago',
    demand: { ...forEver, promptOnUnlock: true },
    state: { passedAt: now - 2 * grace, unlockedAt: now - grace },
    isPassing: false,
    dueAt: now,
  },
  {
    name: 'woken, but nobody asks',
    demand: { ...forEver, promptOnUnlock: true },
    state: { passedAt: now - 2 * grace, wokenAt: now - grace },
    isPassing: true,
    dueAt: undefined,
  },
  {
    name: 'a time that ends before the grace',
    demand: prompting,
    state: { passedAt: now - 59 * MINUTE, wokenAt: now },
    isPassing: true,
    dueAt: now + MINUTE,
  },
]

describe('a second factor', () => {
  for (const { name, demand, state, isPassing, dueAt } of cases) {
    test(`${name} ${isPassing ? 'passes' : 'does not pass'}`, () => {
      assert.deepEqual(mfaStanding(demand, state, now), { isPassing, dueAt })
    })
  }

  test('is due five minutes after the first event, whatever follows', () => {
    const passed: MfaState = { passedAt: now }
    const woken = withEndpointEvents(passed, { woken: true }, now + MINUTE)
    const again = withEndpointEvents(woken, { woken: true, unlocked: true }, now + 4 * MINUTE)
    assert.equal(mfaStanding(prompting, again, now + 4 * MINUTE).dueAt, now + MINUTE + grace)
    assert.equal(
      mfaStanding(prompting, withEndpointEvents(again, { woken: true }, now + 7 * MINUTE), now + 7 * MINUTE).isPassing,
      false,
    )
  })

  test('counts anew after a code', () => {
    const woken = withEndpointEvents({ passedAt: now }, { woken: true }, now + MINUTE)
    const passedAgain = { ...woken, passedAt: now + 2 * MINUTE }
    assert.equal(mfaStanding(prompting, passedAgain, now + 8 * MINUTE).isPassing, true)
    const wokenAgain = withEndpointEvents(passedAgain, { woken: true }, now + 9 * MINUTE)
    assert.equal(wokenAgain.wokenAt, now + 9 * MINUTE)
  })

  test('is untouched by a report without events', () => {
    const state = { passedAt: now, wokenAt: now + 1, unlockedAt: undefined }
    assert.deepEqual(withEndpointEvents(state, {}, now + MINUTE), state)
    assert.deepEqual(withEndpointEvents(state, { woken: false, unlocked: false }, now + MINUTE), state)
  })
})
