import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MetricsMessage, metricsMessage } from '@weft/wire/messages'
import { LinkMetrics } from './link-metrics.ts'
import { type MetricsReceiver, MetricsReporter } from './metrics-reporter.ts'
import { MetricsRegistry } from './registry.ts'
import { UsageMeter } from './usage.ts'

function setUp() {
  const time = { now: 1_000 }
  const registry = new MetricsRegistry({ monotonic: () => time.now, random: () => 0.5 })
  const usage = new UsageMeter({ now: () => time.now, length: 60_000 })
  const receivers: MetricsReceiver[] = []
  const warnings: string[] = []
  const log = { warn: (message: string) => void warnings.push(message) }
  const reporter = new MetricsReporter(
    { registry, usage, receivers: () => receivers, now: () => time.now, log },
    { routerId: 'r1', reportInterval: 60_000, messageQueueSize: 3 },
  )
  const receiver = (takes = true) => {
    const got: MetricsMessage[] = []
    receivers.push({ send: async (message) => takes && got.push(message) > 0 })
    return got
  }
  return { time, registry, usage, receivers, receiver, warnings, reporter }
}

test('what is sent reads on the wire as it was measured', async () => {
  const { registry, usage, time, receiver, reporter } = setUp()
  const got = receiver()
  new LinkMetrics(registry, 'L1').latency.update(1_500.5)
  registry.gauge('edge.connections', () => 3)
  registry.gauge('ratio', () => 0.25)
  registry.gauge('never', () => Number.NaN)
  registry.timer('xgress.blocked_time').update(Number.POSITIVE_INFINITY)
  usage.circuit('c1', new Map([['clientId', 'i1']])).ingressRx += 2 ** 40
  time.now = 61_000
  await reporter.report()
  const read = metricsMessage.decode(metricsMessage.encode(got[0]!))
  assert.deepEqual([read.sourceId, read.timestamp], ['r1', 61_000_000_000n])
  assert.match(read.eventId, /^[0-9a-f-]{36}$/)
  assert.equal(read.histograms.get('link.L1.latency')?.mean, 1_500.5)
  assert.equal(read.histograms.get('link.L1.latency')?.max, 1_501n)
  assert.deepEqual([read.intValues.get('edge.connections'), read.floatValues.get('ratio')], [3n, 0.25])
  assert.deepEqual([read.floatValues.get('never'), read.timers.get('xgress.blocked_time')?.p50], [0, 0])
  const [counter] = read.usageCounters
  assert.deepEqual([counter!.intervalStartUTC, counter!.intervalLength], [0, 60])
  assert.equal(counter!.buckets.get('c1')?.values.get('ingress.rx'), 2n ** 40n)
  assert.equal(counter!.buckets.get('c1')?.tags.get('clientId'), 'i1')
})

test('only the first controller that takes it tells the others', async () => {
  const { receiver, reporter } = setUp()
  receiver(false)
  const [second, third] = [receiver(), receiver()]
  await reporter.report()
  assert.deepEqual([second[0]!.doNotPropagate, third[0]!.doNotPropagate], [false, true])
})

test('reports wait for a controller, but not without bound', async () => {
  const { receiver, receivers, reporter, warnings } = setUp()
  receivers.push({
    send: async () => {
      throw new Error('gone')
    },
  })
  for (let count = 0; count < 5; count++) await reporter.report()
  assert.equal(reporter.dropped, 2)
  assert.equal(warnings.length, 5)
  receivers.pop()
  const got = receiver()
  await reporter.report()
  assert.equal(got.length, 3)
  assert.equal(reporter.dropped, 3, 'the new one takes the place of the oldest')
})
