import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Meter } from './meter.ts'

test('a steady rate is every rate', () => {
  const time = { now: 1_000 }
  const meter = new Meter(() => time.now)
  for (let tick = 0; tick < 200; tick++) {
    meter.mark(50)
    time.now += 5_000
    meter.tick()
  }
  const { count, meanRate, m1Rate, m5Rate, m15Rate } = meter.rates()
  assert.equal(count, 10_000)
  for (const rate of [meanRate, m1Rate, m5Rate, m15Rate]) assert.ok(Math.abs(rate - 10) < 1e-9, String(rate))
})

test('after silence the short rate falls first', () => {
  const meter = new Meter(() => 0)
  meter.mark(600)
  meter.tick()
  for (let tick = 0; tick < 12; tick++) meter.tick()
  const { m1Rate, m5Rate, m15Rate, meanRate } = meter.rates()
  assert.ok(Math.abs(m1Rate - 120 * Math.exp(-1)) < 1e-9, 'a minute is one time constant')
  assert.ok(m1Rate < m5Rate && m5Rate < m15Rate && m15Rate < 120)
  assert.equal(meanRate, 0, 'no time has passed')
})
