import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { WriterMetrics } from './writer-metrics.ts'

test('shows batch size and times', async () => {
  const registry = new Registry()
  const metrics = new WriterMetrics(registry)
  metrics.batchSize.observe(7)
  metrics.commit.observe(0.004)
  const text = await registry.metrics()
  assert.match(text, /^weft_writer_batch_size_bucket\{le="8"\} 1$/m)
  assert.match(text, /^weft_writer_commit_duration_seconds_bucket\{le="0.005"\} 1$/m)
})
