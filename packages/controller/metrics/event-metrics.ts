/** What the event handlers wrote, failed to write, dropped, and still hold. */
import { Counter, type Registry } from 'prom-client'
import type { EventDispatcher } from '../events/dispatcher.ts'
import type { QueueMetrics } from './queue-metrics.ts'

/** Declares the metrics of event handlers; their queues appear among the queues, under `events`. */
export function watchEvents(
  registry: Registry,
  queues: QueueMetrics,
  dispatcher: Pick<EventDispatcher, 'stats'>,
): void {
  const registers = [registry]
  new Counter({
    name: 'weft_events_written_total',
    help: 'Events a handler has written.',
    labelNames: ['handler'],
    registers,
    collect() {
      this.reset()
      for (const { name, written } of dispatcher.stats) this.inc({ handler: name }, written)
    },
  })
  new Counter({
    name: 'weft_events_write_errors_total',
    help: 'Writes of a handler that failed and were tried again.',
    labelNames: ['handler'],
    registers,
    collect() {
      this.reset()
      for (const { name, writeErrors } of dispatcher.stats) this.inc({ handler: name }, writeErrors)
    },
  })
  new Counter({
    name: 'weft_events_dropped_total',
    help: 'Events that were not written, by handler and namespace.',
    labelNames: ['handler', 'namespace'],
    registers,
    collect() {
      this.reset()
      for (const { name, dropped } of dispatcher.stats) {
        for (const [namespace, count] of dropped) this.inc({ handler: name, namespace }, count)
      }
    },
  })
  queues.watch('events', () =>
    dispatcher.stats.map(({ queuedLines, queuedBytes }) => ({ length: queuedLines, bytes: queuedBytes })),
  )
}
