import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TerminatorCosts } from './terminator-costs.ts'
import { handClock } from './test-fabric.ts'

const MINUTE = 60_000

describe('terminator costs', () => {
  test('every circuit costs two, every failed dial twenty, and a success forgives two', () => {
    const costs = new TerminatorCosts({ clock: handClock() })
    assert.equal(costs.dynamicCost('t'), 0)
    costs.dialFailed('t')
    costs.circuitCreated('t')
    costs.circuitCreated('t')
    assert.equal(costs.dynamicCost('t'), 2 * 2 + 20 - 2 * 2)
    costs.circuitRemoved('t')
    assert.equal(costs.dynamicCost('t'), 2 + 16)
    assert.deepEqual([...costs.details()], [{ terminatorId: 't', circuitCount: 1, failureCost: 16, currentCost: 18 }])
  })

  test('failures are forgiven with time, the faster the longer ago they are', () => {
    const clock = handClock()
    const costs = new TerminatorCosts({ clock })
    for (let at = 0; at < 20; at++) costs.dialFailed('t')
    clock.time += MINUTE
    costs.creditFailures()
    assert.equal(costs.dynamicCost('t'), 390)
    clock.time += 29 * MINUTE
    costs.creditFailures()
    assert.equal(costs.dynamicCost('t'), 390 - 2 ** 6)
    clock.time += 60 * MINUTE
    costs.creditFailures()
    assert.equal(costs.dynamicCost('t'), 0)
  })

  test('what is shown ends at what a cost can be', () => {
    const costs = new TerminatorCosts({ clock: handClock() })
    for (let at = 0; at < 40_000; at++) costs.circuitCreated('t')
    assert.equal(costs.dynamicCost('t'), 65_535)
  })

  test('nothing is kept of a terminator that is gone or costs nothing', () => {
    const costs = new TerminatorCosts({ clock: handClock() })
    costs.circuitCreated('gone')
    costs.forget('gone')
    costs.circuitRemoved('gone')
    costs.circuitCreated('idle')
    costs.circuitRemoved('idle')
    assert.deepEqual([...costs.details()], [])
  })
})
