import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LinkMetrics } from './link-metrics.ts'
import { prometheusText } from './prometheus.ts'
import { MetricsRegistry } from './registry.ts'

const deps = { monotonic: () => 0, random: () => 0.5 }

test('names, labels and types', () => {
  const registry = new MetricsRegistry(deps)
  for (const id of ['L1', 'L2']) {
    const link = new LinkMetrics(registry, id)
    link.latency.update(5)
    link.dropped.mark(50)
  }
  registry.tick()
  registry.gauge('pool.link.dialer.worker_count', () => 4)
  const text = prometheusText(registry.snapshot(), {
    ...{ sourceId: 'r"1', time: 99 },
    linkTarget: (id) => (id === 'L2' ? 'r2' : undefined),
  })
  assert.match(
    text,
    /^ziti_link_latency_bucket\{sourceRouterId="r\\"1",targetRouterId="r2",source_id="r\\"1",source_entity_id="L2",le="0\.50"\} 5 99$/m,
  )
  assert.match(text, /^ziti_link_latency_count\{source_id="r\\"1",source_entity_id="L1"\} 1 99$/m)
  assert.match(text, /^ziti_link_dropped_msgs\{source_id="r\\"1",source_entity_id="L1"\} 10 99$/m)
  assert.match(text, /^ziti_pool_link_dialer_worker_c\{source_id="r\\"1"\} 4 99$/m)
  const types = text.match(/^# TYPE \S+/gm)!
  assert.equal(new Set(types).size, types.length, 'each declared once')
  const families = text.split('# TYPE ').slice(1)
  for (const family of families) {
    const [name = ''] = family.split(' ')
    for (const line of family.split('\n').slice(1, -1)) assert.ok(line.startsWith(name), line)
  }
})

test('without times', () => {
  const registry = new MetricsRegistry(deps)
  registry.gauge('a', () => Number.POSITIVE_INFINITY)
  assert.equal(
    prometheusText(registry.snapshot(), { sourceId: 'r', time: undefined }),
    '# TYPE ziti_a gauge\nziti_a{source_id="r"} +Inf\n',
  )
})
