import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CaArrivals, caArrivalLimits } from './ca-arrivals.ts'

const { atOnce, perSecond } = caArrivalLimits

test('enrollment by a CA alone is limited: a crowd at once, then so many a second, for each CA', () => {
  let now = 0
  const arrivals = new CaArrivals({ monotonic: () => now })
  for (let count = 0; count < atOnce; count++) arrivals.admit('one')
  const refusal = { code: 'SERVER_TOO_MANY_REQUESTS' }
  assert.throws(() => arrivals.admit('one'), refusal)
  arrivals.admit('another')
  now += 1_000
  for (let count = 0; count < perSecond; count++) arrivals.admit('one')
  assert.throws(() => arrivals.admit('one'), refusal)
  now += 3_600_000
  for (let count = 0; count < atOnce; count++) arrivals.admit('one')
  assert.throws(() => arrivals.admit('one'), refusal)
})
