import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { RequestMetrics, routeLabel } from './request-metrics.ts'

test('parameters become :id and :subid', () => {
  const cases = [
    ['/identities', '/identities'],
    ['/identities/{id}', '/identities/:id'],
    ['/identities/{identityId}/policy-advice/{serviceId}', '/identities/:id/policy-advice/:subid'],
  ] as const
  for (const [path, label] of cases) assert.equal(routeLabel(path), label)
})

test('counts answers by operation and class of status, and measures their time', async () => {
  const registry = new Registry()
  const metrics = new RequestMetrics(registry)
  const recorder = metrics.forRoute({ api: 'management', method: 'GET', path: '/identities/{id}' })
  recorder.record(200, 0.002)
  recorder.record(204, 0.002)
  recorder.record(404, 3)
  metrics.unmatched.record(404, 0.001)
  const text = await registry.metrics()
  const labels = 'api="management",method="GET",route="/identities/:id"'
  const lines = text.split('\n')
  for (const line of [
    `weft_http_requests_total{${labels},status="2xx"} 2`,
    `weft_http_requests_total{${labels},status="4xx"} 1`,
    `weft_http_request_duration_seconds_bucket{le="0.0025",${labels}} 2`,
    `weft_http_request_duration_seconds_count{${labels}} 3`,
    'weft_http_requests_total{api="none",method="any",route="unmatched",status="4xx"} 1',
  ]) {
    assert.ok(lines.includes(line), line)
  }
})

test('an absurd status is counted in the nearest class', async () => {
  const registry = new Registry()
  const recorder = new RequestMetrics(registry).forRoute({ api: 'a', method: 'GET', path: '/' })
  for (const status of [0, 99, 600, 999]) recorder.record(status, 0)
  const text = await registry.metrics()
  assert.match(text, /status="1xx"\} 2\n/)
  assert.match(text, /status="5xx"\} 2\n/)
})

test('the number of series has a bound', () => {
  const metrics = new RequestMetrics(new Registry())
  assert.throws(() => {
    for (let i = 0; i < 3_000; i++) metrics.forRoute({ api: 'a', method: 'GET', path: `/${i}` })
  }, /route patterns/)
})
