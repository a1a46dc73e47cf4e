import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metricsFromJson } from './metrics-json.ts'

test('what a router writes is read; what it leaves out is zero', () => {
  const message = metricsFromJson({
    eventId: 'e1',
    sourceId: 'r1',
    timestamp: { seconds: 2, nanos: 5 },
    intValues: { a: 3 },
    floatValues: { b: 0.5 },
    meters: { c: { count: 4, m1Rate: 1.5 } },
    histograms: { d: { count: 1, max: 9, p999: 8 } },
    timers: { e: { count: 1, meanRate: 2 } },
  })
  assert.deepEqual([message.eventId, message.timestamp], ['e1', 2_000_000_005n])
  assert.deepEqual([message.intValues.get('a'), message.floatValues.get('b')], [3n, 0.5])
  assert.deepEqual(message.meters.get('c'), { count: 4n, m1Rate: 1.5, m5Rate: 0, m15Rate: 0, meanRate: 0 })
  const { count, max, min, p50, p999 } = message.histograms.get('d')!
  assert.deepEqual([count, max, min, p50, p999], [1n, 9n, 0n, 0, 8])
  assert.equal(message.timers.get('e')?.meanRate, 2)
})

test('whatever else a router writes is nothing', () => {
  for (const json of [
    null,
    'text',
    7,
    [],
    { intValues: 'x', meters: [1], timestamp: 'now', histograms: { d: null } },
  ]) {
    const message = metricsFromJson(json)
    assert.deepEqual([message.intValues.size, message.sourceId], [0, ''])
  }
  const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`m${at}`, 1]))
  assert.equal(metricsFromJson({ intValues: many }).intValues.size, 10_000)
})
