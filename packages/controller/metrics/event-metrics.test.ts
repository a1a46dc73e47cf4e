import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { systemClock } from '../clock.ts'
import { EventDispatcher } from '../events/dispatcher.ts'
import { formatJson } from '../events/json.ts'
import type { EventSink } from '../events/sink.ts'
import { isProblem, readSubscription } from '../events/subscription.ts'
import { silentLogger } from '../log/logger.ts'
import { watchEvents } from './event-metrics.ts'
import { QueueMetrics } from './queue-metrics.ts'

test('shows what a handler wrote, holds and dropped', { timeout: 10_000 }, async () => {
  const registry = new Registry()
  const events = new EventDispatcher(
    { clock: systemClock, log: silentLogger },
    { controllerId: 'c', flushMilliseconds: 10 },
  )
  watchEvents(registry, new QueueMetrics(registry), events)
  let isStuck = false
  const sink: EventSink = {
    write: async (lines) => (isStuck ? new Promise(() => {}) : { written: lines.length }),
    [Symbol.asyncDispose]: async () => {},
  }
  const subscription = readSubscription({ type: 'cluster' })
  assert.ok(!isProblem(subscription))
  events.attach({ name: 'mine', subscriptions: [subscription], format: formatJson, sink, limits: { maxLines: 2 } })
  events.emit({ namespace: 'cluster' })
  while (events.stats[0]!.written === 0) await sleep(1)
  isStuck = true
  for (let i = 0; i < 5; i++) events.emit({ namespace: 'cluster' })
  const text = await registry.metrics()
  assert.match(text, /^weft_events_written_total\{handler="mine"\} 1$/m)
  assert.match(text, /^weft_events_dropped_total\{handler="mine",namespace="cluster"\} 3$/m)
  assert.match(text, /^weft_queue_length\{queue="events"\} 2$/m)
  await events[Symbol.asyncDispose]()
})
