/**
 * What is measured now, in the JSON of the message that reports it: controllers read both alike. Usage is left out, because
 * it is charged by reports alone.
 */
import { metricsMessageOf } from '../metrics/metrics-message.ts'
import type { MetricsRegistry } from '../metrics/registry.ts'

export interface MetricsInspectionDeps {
  readonly routerId: string
  readonly metrics: MetricsRegistry
  readonly clock: { now(): number }
}

export function inspectMetrics({ routerId, metrics, clock }: MetricsInspectionDeps) {
  const time = clock.now()
  const message = metricsMessageOf({ sourceId: routerId, time, snapshot: metrics.snapshot(), usage: [] })
  return { ...message, timestamp: { seconds: Math.floor(time / 1_000), nanos: (time % 1_000) * 1_000_000 } }
}
