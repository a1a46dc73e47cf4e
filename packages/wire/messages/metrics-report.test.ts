import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metricsMessage } from './metrics.ts'
import { MetricsReport } from './metrics-report.ts'

const distribution = { count: 2n, min: 1n, max: -1n, stdDev: 4, p50: 3, p9999: 9 }

function report(init: Parameters<typeof metricsMessage.encode>[0]): MetricsReport {
  return new MetricsReport(metricsMessage.encode(init))
}

test('the latency of a link is its mean and that of the wait, whatever stands first', () => {
  const histograms = new Map([
    ['link.a.latency', { ...distribution, mean: 10 }],
    ['link.a.queue_time', { ...distribution, mean: 5 }],
    ['link.dots.in.it.latency', { ...distribution, mean: 7 }],
    ['link.dots.in.it.queue_time', { ...distribution, mean: 0 }],
    ['link.z\u00e9.queue_time', { ...distribution, mean: 3 }],
    ['link.z\u00e9.latency', { ...distribution, mean: 2 }],
    ['link.only-waited.queue_time', { ...distribution, mean: 3 }],
    ['link.a.latency.more', { ...distribution, mean: 1 }],
    ['route.latency', { ...distribution, mean: 1 }],
  ])
  assert.deepEqual(
    report({ sourceId: 'r', histograms }).linkLatencies(),
    new Map([
      ['a', 15],
      ['dots.in.it', 7],
      ['z\u00e9', 5],
    ]),
  )
  const idle = report({ histograms: new Map([['link.a.latency', {}]]) })
  assert.deepEqual(idle.linkLatencies(), new Map([['a', 0]]), 'a mean of nothing is not written')
  assert.deepEqual(report({}).linkLatencies(), new Map())
})

test('what a router measured of itself comes without its links, and the whole with them', () => {
  const sent = report({
    sourceId: 'r',
    intValues: new Map([
      ['goroutines', 7n],
      ['link.dropped:a', 1n],
      ['lin', 2n],
    ]),
    floatValues: new Map([['link.load', 0.5]]),
    meters: new Map([['link.a.tx.bytesrate', { count: 1n }]]),
    histograms: new Map([
      ['link.a.latency', distribution],
      ['route', distribution],
    ]),
    timers: new Map([['dial', { ...distribution, m1Rate: 1 }]]),
  })
  const own = sent.ofRouter()
  assert.deepEqual([...own.intValues.keys()], ['goroutines', 'lin'])
  assert.deepEqual([...own.floatValues.keys(), ...own.meters.keys()], [])
  assert.deepEqual([...own.histograms.keys()], ['route'])
  const whole = sent.whole()
  assert.deepEqual(own.histograms.get('route'), whole.histograms.get('route'))
  assert.deepEqual(own.timers, whole.timers)
  assert.deepEqual([...whole.intValues.keys()], ['goroutines', 'lin', 'link.dropped:a'])
})

test('says whether another controller passes it on', () => {
  assert.equal(report({ sourceId: 'r' }).isForAnother, false)
  assert.equal(report({ sourceId: 'r', doNotPropagate: true }).isForAnother, true)
})

test('bytes that end too early are refused in every part', () => {
  const bytes = metricsMessage.encode({ histograms: new Map([['link.a.latency', { ...distribution, mean: 10 }]]) })
  for (let length = 1; length < bytes.length; length++) {
    const cut = new MetricsReport(bytes.subarray(0, length))
    for (const read of [() => cut.linkLatencies(), () => cut.ofRouter(), () => cut.whole()]) {
      assert.throws(read, { name: 'ProtobufError', code: 'TRUNCATED' })
    }
  }
})
