import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Counter, register } from 'prom-client'
import { createMetricsRegistry, metricsContentType, metricsText } from './registry.ts'

test('shows the process and the lag of its event loop', async () => {
  const text = await metricsText(createMetricsRegistry())
  for (const name of [
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
  ]) {
    assert.match(text, new RegExp(`^${name} [0-9.e+-]+$`, 'm'))
  }
})

test('two registries count apart, and the global one stays empty', async () => {
  const [first, second] = [createMetricsRegistry(), createMetricsRegistry()]
  const options = { name: 'x_total', help: 'x' }
  new Counter({ ...options, registers: [first] }).inc(2)
  new Counter({ ...options, registers: [second] }).inc(5)
  assert.match(await metricsText(first), /^x_total 2$/m)
  assert.match(await metricsText(second), /^x_total 5$/m)
  assert.equal(register.getMetricsAsArray().length, 0)
})

test('says its media type', () => assert.match(metricsContentType(createMetricsRegistry()), /^text\/plain; version=/))
