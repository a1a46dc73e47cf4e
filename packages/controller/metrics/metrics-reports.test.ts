import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { controllerMetrics } from './metrics-reports.ts'

test('each metric and set of labels is an event; of a distribution count and mean are told', async () => {
  const registry = new Registry()
  const registers = [registry]
  new Gauge({ name: 'level', help: 'h', registers }).set(0.5)
  const counter = new Counter({ name: 'things_total', help: 'h', labelNames: ['kind'], registers })
  counter.inc({ kind: 'a' }, 2)
  counter.inc({ kind: 'b' }, 3)
  const histogram = new Histogram({ name: 'spans', help: 'h', labelNames: ['kind'], buckets: [1, 10], registers })
  for (const value of [1, 2, 6]) histogram.observe({ kind: 'a' }, value)
  const events = await controllerMetrics(registry, 'c1', 0)
  assert.deepEqual(
    events.map(({ metric_type, metric, metrics, tags }) => [metric_type, metric, metrics, tags]),
    [
      ['floatValue', 'level', { value: 0.5 }, undefined],
      ['intValue', 'things_total', { value: 2 }, { kind: 'a' }],
      ['intValue', 'things_total', { value: 3 }, { kind: 'b' }],
      ['histogram', 'spans', { count: 3, mean: 3 }, { kind: 'a' }],
    ],
  )
  assert.ok(events.every(({ source_id, timestamp }) => source_id === 'c1' && timestamp === '1970-01-01T00:00:00.000Z'))
})
