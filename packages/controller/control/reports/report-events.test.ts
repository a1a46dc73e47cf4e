import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Alert, type MetricsMessage, metricsMessage, timestampOf } from '@weft/wire/messages'
import { alertEvent } from './alert-event.ts'
import { metricsEvents } from './metrics-events.ts'
import { usageEvents } from './usage-events.ts'

const message = (init: Parameters<typeof metricsMessage.encode>[0]): MetricsMessage =>
  metricsMessage.decode(metricsMessage.encode(init))
const links = { get: (id: string) => (id === 'l.1' ? { sourceRouterId: 'a', destRouterId: 'b' } : undefined) }

test('each metric is an event, and those of links name the link', () => {
  const distribution = { count: 2n, min: 1n, max: 3n, mean: 2, stdDev: 1, variance: 1, p50: 2, p75: 3, p95: 3, p99: 3 }
  const sent = message({
    sourceId: 'a liar',
    timestamp: timestampOf(1_700_000_000_000),
    tags: new Map([['site', 'x']]),
    intValues: new Map([['goroutines', 7n]]),
    floatValues: new Map([['load', 0.5]]),
    meters: new Map([['link.l.1.tx.bytesrate', { count: 9n, m1Rate: 1, m5Rate: 2, m15Rate: 3, meanRate: 4 }]]),
    histograms: new Map([['link.l.1.latency', distribution]]),
    timers: new Map([['link.dropped_msgs:gone', { ...distribution, m1Rate: 1 }]]),
  })
  const events = [...metricsEvents('r1', sent, links, 0)]
  assert.deepEqual(
    events.map(({ metric_type, metric, source_entity_id }) => [metric_type, metric, source_entity_id]),
    [
      ['intValue', 'goroutines', undefined],
      ['floatValue', 'load', undefined],
      ['meter', 'link.tx.bytesrate', 'l.1'],
      ['histogram', 'link.latency', 'l.1'],
      ['timer', 'link.dropped_msgs', 'gone'],
    ],
  )
  const [whole, , meter, histogram, timer] = events
  assert.deepEqual(whole!.metrics, { value: 7 })
  assert.deepEqual(whole!.tags, { site: 'x' })
  assert.deepEqual(meter!.metrics, { count: 9, mean_rate: 4, m1_rate: 1, m5_rate: 2, m15_rate: 3 })
  assert.deepEqual(histogram!.tags, { site: 'x', sourceRouterId: 'a', targetRouterId: 'b' })
  assert.equal(Object.keys(histogram!.metrics).length, 12)
  assert.equal(Object.keys(timer!.metrics).length, 16)
  assert.deepEqual(new Set(events.map(({ source_id }) => source_id)), new Set(['r1']), 'the channel says who measured')
  assert.equal(new Set(events.map(({ source_event_id }) => source_event_id)).size, 1)
  assert.equal(whole!.timestamp, '2023-11-14T22:13:20.000Z')
})

test('usage is told by direction or by circuit', () => {
  const values = new Map([
    ['ingress.rx', 5n],
    ['egress.tx', 7n],
  ])
  const sent = message({
    usageCounters: [
      {
        intervalStartUTC: 120,
        intervalLength: 60,
        buckets: new Map([['c1', { values, tags: new Map([['k', 'v']]) }]]),
      },
    ],
    intervalCounters: new Map([
      ['usage.fabric.tx', { intervalLength: 60, buckets: [{ intervalStartUTC: 60, values: new Map([['c2', 3n]]) }] }],
    ]),
  })
  const common = { namespace: 'usage', source_id: 'r1' }
  assert.deepEqual(
    [...usageEvents('r1', sent, 2)].map(({ circuit_id, usage, ...rest }) => [
      circuit_id,
      'event_type' in rest && rest.event_type,
      usage,
    ]),
    [
      ['c2', 'usage.fabric.tx', 3],
      ['c1', 'usage.egress.tx', 7],
      ['c1', 'usage.ingress.rx', 5],
    ],
  )
  assert.deepEqual(
    [...usageEvents('r1', sent, 3)],
    [
      {
        ...{ ...common, version: 3, circuit_id: 'c2', usage: { 'usage.fabric.tx': 3 }, tags: null },
        ...{ interval_start_utc: 60, interval_length: 60 },
      },
      {
        ...{ ...common, version: 3, circuit_id: 'c1', usage: { 'ingress.rx': 5, 'egress.tx': 7 }, tags: { k: 'v' } },
        ...{ interval_start_utc: 120, interval_length: 60 },
      },
    ],
  )
})

test('an alert is of the router over whose channel it came, at a time that can be written', () => {
  const alert: Alert = {
    sourceType: 'controller',
    sourceId: 'c1',
    timestamp: Number.MAX_SAFE_INTEGER,
    severity: 'error',
    message: 'm',
    details: [],
    relatedEntities: new Map([
      ['self', 'router'],
      ['service', 's1'],
    ]),
  }
  const event = alertEvent('r1', alert)
  assert.deepEqual([event.alert_source_type, event.alert_source_id], ['router', 'r1'])
  assert.deepEqual(event.related_entities, { service: 's1', router: 'r1' })
  assert.equal(event.timestamp, '+275760-09-13T00:00:00.000Z')
})
