import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { IdentityTracing } from './identity-tracing.ts'

const minute = 60_000
const request = { duration: minute, traceId: '', channels: [] }

function tracing() {
  const clock = { now: () => clock.time, monotonic: () => 0, time: Date.parse('2026-05-01T12:00:00.000Z') }
  return { clock, tracing: new IdentityTracing(clock) }
}

describe('tracing of identities', () => {
  test('runs until its time has passed', () => {
    const { clock, tracing: traces } = tracing()
    assert.equal(traces.start('a', request).until, '2026-05-01T12:01:00.000Z')
    clock.time += minute - 1
    assert.notEqual(traces.traceOf('a'), undefined)
    clock.time += 1
    assert.equal(traces.traceOf('a'), undefined)
  })

  test('ends when it is told to', () => {
    const { tracing: traces } = tracing()
    traces.start('a', request)
    traces.stop('a')
    assert.equal(traces.traceOf('a'), undefined)
  })

  const cases: readonly [asked: readonly string[], traced: readonly string[]][] = [
    [[], ['selectPath', 'establishPath']],
    [
      ['all', 'nonsense'],
      ['selectPath', 'establishPath'],
    ],
    [['establishPath', 'nonsense'], ['establishPath']],
    [['nonsense'], []],
  ]
  for (const [channels, traced] of cases) {
    test(`of [${channels.join(' ')}] covers [${traced.join(' ')}]`, () => {
      const { tracing: traces } = tracing()
      assert.deepEqual([...traces.start('a', { ...request, channels }).channels], traced)
    })
  }

  test('forgets the oldest of too many', () => {
    const { tracing: traces } = tracing()
    for (let at = 0; at < 1_000; at++) traces.start(`identity ${at}`, request)
    traces.start('identity 0', request)
    traces.start('one more', request)
    assert.notEqual(traces.traceOf('identity 0'), undefined)
    assert.equal(traces.traceOf('identity 1'), undefined)
    assert.notEqual(traces.traceOf('identity 2'), undefined)
  })
})
