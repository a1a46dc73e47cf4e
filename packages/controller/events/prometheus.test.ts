import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MetricsEvent } from './fabric-events.ts'
import { formatPrometheus } from './prometheus.ts'

const common = {
  namespace: 'metrics',
  timestamp: '1970-01-01T00:00:01.000Z',
  source_id: 'r1',
  version: 3,
  source_event_id: 'e1',
} as const

const head = (name: string, type: string) => `# HELP ${name} ${name}\n# TYPE ${name} ${type}\n`

const cases: Readonly<Record<string, readonly [Omit<MetricsEvent, keyof typeof common>, string]>> = {
  'a value is a gauge': [
    { metric_type: 'intValue', metric: 'pool.link-dialer/busy workers', metrics: { value: 3 } },
    `${head('ziti_pool_link_dialer_busy_workers', 'gauge')}ziti_pool_link_dialer_busy_workers{source_id="r1"} 3 1000\n`,
  ],
  'a count at the end of a name would be taken for a histogram': [
    { metric_type: 'floatValue', metric: 'gc.worker_count', metrics: { value: 0.5 } },
    `${head('ziti_gc_worker_c', 'gauge')}ziti_gc_worker_c{source_id="r1"} 0.5 1000\n`,
  ],
  'a meter shows its last minute, with what it belongs to': [
    {
      metric_type: 'meter',
      metric: 'link.tx.bytesrate',
      source_entity_id: 'l1',
      metrics: { count: 9, m1_rate: 2 },
      tags: { 'source-router': 'a "b" \\' },
    },
    `${head('ziti_link_tx_bytesrate', 'gauge')}ziti_link_tx_bytesrate` +
      '{source_router="a \\"b\\" \\\\",source_id="r1",source_entity_id="l1"} 2 1000\n',
  ],
  'a distribution shows how many there were, and the quantiles it has': [
    { metric_type: 'timer', metric: 'x', metrics: { count: 2, p50: 1, p9999: 7 } },
    `${head('ziti_x', 'histogram')}ziti_x_count{source_id="r1"} 2 1000\n` +
      'ziti_x_bucket{source_id="r1",le="0.50"} 1 1000\nziti_x_bucket{source_id="r1",le="0.9999"} 7 1000\n',
  ],
}

for (const [title, [event, text]] of Object.entries(cases)) {
  test(title, () => assert.equal(formatPrometheus({ ...common, ...event }), text))
}
