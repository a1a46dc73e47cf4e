import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChannelObserver } from '@weft/wire'
import { LinkMetrics } from '../metrics/link-metrics.ts'
import { MetricsRegistry } from '../metrics/registry.ts'
import type { Link } from './link.ts'
import { LinkGauge, unusableLatency } from './link-gauge.ts'

/** A link of which the test says how long it has been silent. */
function setUp() {
  const registry = new MetricsRegistry({ monotonic: () => 0, random: () => 0.5 })
  const metrics = new LinkMetrics(registry, 'l1')
  const observers = new Set<ChannelObserver>()
  const queue: ((milliseconds: number | undefined) => void)[] = []
  const channel = {
    silence: 0,
    observe(observer: ChannelObserver) {
      observers.add(observer)
      return { [Symbol.dispose]: () => void observers.delete(observer) }
    },
    measureQueueTime: () => new Promise<number | undefined>((resolve) => queue.push(resolve)),
  }
  const link = { payloadChannel: channel, ackChannel: channel, metrics } as unknown as Link
  return { channel, link, metrics, observers, queue }
}

test('what is answered is measured; a link that falls silent gets a latency that no path takes', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { channel, link, metrics, observers } = setUp()
  using _gauge = new LinkGauge(link)
  for (const observer of observers) observer.answered?.(2)
  assert.equal(metrics.latency.distribution().mean, 2_000_000)
  channel.silence = 30_000
  t.mock.timers.tick(1_000)
  assert.equal(metrics.latency.distribution().mean, 2_000_000, 'it may still answer')
  channel.silence = 30_001
  t.mock.timers.tick(1_000)
  assert.deepEqual([metrics.latency.count, metrics.latency.distribution().mean], [1, unusableLatency])
})

test('the time in the queue is measured each second, at most twice at once, until the end', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { link, metrics, observers, queue } = setUp()
  {
    using _gauge = new LinkGauge(link)
    t.mock.timers.tick(5_000)
    assert.equal(queue.length, 2)
    queue[0]!(3)
    queue[1]!(undefined)
    await Promise.resolve()
    await Promise.resolve()
    assert.deepEqual([metrics.queueTime.count, metrics.queueTime.distribution().mean], [1, 3_000_000])
    t.mock.timers.tick(1_000)
    assert.equal(queue.length, 3)
  }
  t.mock.timers.tick(5_000)
  assert.deepEqual([queue.length, observers.size], [3, 0])
})
