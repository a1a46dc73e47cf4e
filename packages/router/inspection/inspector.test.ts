import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MetricsRegistry } from '../metrics/registry.ts'
import { durationText } from './duration-text.ts'
import { Inspector } from './inspector.ts'
import { inspectMetrics } from './metrics-inspection.ts'

const inspector = new Inspector({
  byName: new Map<string, (name: string) => unknown>([
    ['links', () => ({ links: new Map([['l1', 2n]]), errors: null })],
    ['stackdump', () => 'as it is'],
    [
      'broken',
      () => {
        throw new Error('out of order')
      },
    ],
  ]),
  byPrefix: new Map([['metrics', (name: string) => ({ name })]]),
})

test('values as text or JSON, under the names that were asked for; unknown names give nothing', () => {
  assert.deepEqual(inspector.inspect(['Links', 'stackdump', 'metrics:json', 'nothing']), {
    success: true,
    errors: [],
    values: [
      { name: 'Links', value: '{"links":{"l1":2},"errors":null}' },
      { name: 'stackdump', value: 'as it is' },
      { name: 'metrics:json', value: '{"name":"metrics:json"}' },
    ],
  })
})

test('what is asked for many times is answered once', () => {
  const { values } = inspector.inspect(Array.from({ length: 500 }, (_, at) => (at % 2 ? 'links' : 'LINKS')))
  assert.deepEqual(
    values.map(({ name }) => name),
    ['LINKS'],
  )
})

test('what fails is told and costs the others nothing', () => {
  const { success, errors, values } = inspector.inspect(['broken', 'stackdump'])
  assert.deepEqual([success, errors, values.length], [false, ['broken: out of order'], 1])
})

test('durations as the peers write them', () => {
  for (const [milliseconds, text] of [
    [0, '0s'],
    [12.3456, '12.346ms'],
    [5_000, '5s'],
    [61_500, '1m1.5s'],
    [3_600_000, '1h0m0s'],
  ] as const) {
    assert.equal(durationText(milliseconds), text)
  }
})

test('metrics read as the message that reports them', () => {
  const metrics = new MetricsRegistry({ monotonic: () => 0, random: () => 0.5 })
  metrics.gauge('edge.connections', () => 3)
  metrics.timer('blocked').update(7)
  const measured = new Inspector({
    byName: new Map(),
    byPrefix: new Map([['metrics', () => inspectMetrics({ routerId: 'r1', metrics, clock: { now: () => 1_500 } })]]),
  })
  const { sourceId, timestamp, intValues, timers } = JSON.parse(measured.inspect(['metrics']).values[0]!.value)
  assert.deepEqual([sourceId, timestamp], ['r1', { seconds: 1, nanos: 500_000_000 }])
  assert.deepEqual([intValues['edge.connections'], timers.blocked.count, timers.blocked.max], [3, 1, 7])
})
