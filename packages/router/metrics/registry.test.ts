import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countMessage, LinkMetrics } from './link-metrics.ts'
import { MetricsRegistry } from './registry.ts'

const deps = { monotonic: () => 0, random: () => 0.5 }

test('one instrument for a name, and only of one kind', () => {
  const registry = new MetricsRegistry(deps)
  assert.equal(registry.meter('a'), registry.meter('a'))
  assert.throws(() => registry.histogram('a'), /a is another kind/)
  assert.throws(() => registry.gauge('a', () => 1), /a is another kind/)
  registry.gauge('b', () => 1)
  registry.gauge('b', () => 2)
  assert.equal(registry.snapshot().gauges.get('b'), 2)
})

test('a snapshot has the numbers of every kind', () => {
  const registry = new MetricsRegistry(deps)
  registry.timer('t').update(500)
  registry.tick()
  const { timers } = registry.snapshot()
  assert.deepEqual([timers.get('t')?.count, timers.get('t')?.p50, timers.get('t')?.m1Rate], [1, 500, 0.2])
})

test('the metrics of a link have the names controllers look for, and go with it', () => {
  const registry = new MetricsRegistry(deps)
  {
    using link = new LinkMetrics(registry, '3kTq')
    link.latency.update(1_000)
    countMessage(link.sent, 40)
    link.dropped.mark()
    const { histograms, meters } = registry.snapshot()
    assert.deepEqual([...histograms.keys()].sort(), [
      'fabric.rx.msgsize',
      'fabric.tx.msgsize',
      'link.3kTq.latency',
      'link.3kTq.queue_time',
      'link.3kTq.rx.msgsize',
      'link.3kTq.tx.msgsize',
    ])
    assert.equal(histograms.get('link.3kTq.latency')?.mean, 1_000)
    assert.equal(meters.get('link.3kTq.tx.bytesrate')?.count, 40)
    assert.equal(meters.get('link.dropped_msgs:3kTq')?.count, 1)
  }
  assert.equal(registry.size, 6, 'those of all links stay')
})
