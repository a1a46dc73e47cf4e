import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { QueueMetrics } from './queue-metrics.ts'

test('reads queues when looked at, sums those of one name, and forgets what is no longer watched', async () => {
  const registry = new Registry()
  const queues = new QueueMetrics(registry)
  const waiting = { length: 3 }
  queues.watch('writer', () => [waiting])
  const stop = queues.watch('sinks', () => [
    { length: 1, bytes: 10, dropped: new Map([['session', 2]]) },
    { length: 2, bytes: 20, dropped: new Map([['session', 3]]) },
  ])
  const first = await registry.metrics()
  assert.match(first, /^weft_queue_length\{queue="writer"\} 3$/m)
  assert.match(first, /^weft_queue_length\{queue="sinks"\} 3$/m)
  assert.match(first, /^weft_queue_bytes\{queue="sinks"\} 30$/m)
  assert.doesNotMatch(first, /weft_queue_bytes\{queue="writer"\}/)
  assert.match(first, /^weft_queue_dropped_total\{queue="sinks",kind="session"\} 5$/m)
  waiting.length = 4
  stop()
  const second = await registry.metrics()
  assert.match(second, /^weft_queue_length\{queue="writer"\} 4$/m)
  assert.doesNotMatch(second, /sinks/)
})

test('refuses a second queue of one name', () => {
  const queues = new QueueMetrics(new Registry())
  queues.watch('writer', () => [])
  assert.throws(() => queues.watch('writer', () => []), /writer/)
})
