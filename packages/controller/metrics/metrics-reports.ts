/**
 * The controller's own metrics as events, now and then, like those of routers. Of a distribution only how many there were and
 * their mean are told: its buckets are for those who scrape.
 */
import { randomUUID } from 'node:crypto'
import type { Registry } from 'prom-client'
import { type Clock, timestamp } from '../clock.ts'
import type { EventDispatcher } from '../events/dispatcher.ts'
import type { MetricsEvent } from '../events/fabric-events.ts'
import type { Logger } from '../log/logger.ts'

export interface MetricsReportsDeps {
  readonly registry: Registry
  readonly dispatcher: EventDispatcher
  readonly clock: Clock
  readonly log: Logger
}

export interface MetricsReportsOptions {
  readonly controllerId: string
  /** Milliseconds. */
  readonly metricsReportInterval: number
}

/** Oftener would measure the reports. */
const SHORTEST_INTERVAL = 1_000

type Labels = Readonly<Record<string, string | number>>

export class MetricsReports implements Disposable {
  readonly #timer: NodeJS.Timeout

  constructor(deps: MetricsReportsDeps, { controllerId, metricsReportInterval }: MetricsReportsOptions) {
    const { dispatcher, registry, log } = deps
    const report = async () => {
      if (!dispatcher.isWanted('metrics')) return
      for (const event of await controllerMetrics(registry, controllerId, deps.clock.now())) dispatcher.emit(event)
    }
    this.#timer = setInterval(
      () => void report().catch((err) => log.error('metrics are not reported', { err })),
      Math.max(SHORTEST_INTERVAL, metricsReportInterval),
    )
    this.#timer.unref()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

/** One event for each metric and set of labels. */
export async function controllerMetrics(registry: Registry, source_id: string, now: number): Promise<MetricsEvent[]> {
  const common = {
    namespace: 'metrics',
    timestamp: timestamp(now),
    source_id,
    version: 3,
    source_event_id: randomUUID(),
  } as const
  const events: MetricsEvent[] = []
  for (const { name: metric, values } of await registry.getMetricsAsJSON()) {
    const distributions = new Map<string, { sum: number; count: number; labels: Labels }>()
    for (const { value, labels, metricName } of values as readonly Sample[]) {
      const part = metricName?.slice(metric.length)
      if (part === undefined || part === '') {
        const isPartOfSummary = 'quantile' in labels
        const metric_type = Number.isInteger(value) ? 'intValue' : 'floatValue'
        if (!isPartOfSummary) events.push({ ...common, metric_type, metric, metrics: { value }, ...tagged(labels) })
      } else if (part === '_sum' || part === '_count') {
        const key = JSON.stringify(labels)
        const found = distributions.get(key) ?? { sum: 0, count: 0, labels }
        distributions.set(key, { ...found, [part.slice(1)]: value })
      }
    }
    for (const { sum, count, labels } of distributions.values()) {
      const metrics = { count, mean: count === 0 ? 0 : sum / count }
      events.push({ ...common, metric_type: 'histogram', metric, metrics, ...tagged(labels) })
    }
  }
  return events
}

interface Sample {
  readonly value: number
  readonly labels: Labels
  readonly metricName?: string
}

function tagged(labels: Labels): { readonly tags?: Readonly<Record<string, string>> } {
  const entries = Object.entries(labels).map(([name, value]) => [name, String(value)] as const)
  return entries.length === 0 ? {} : { tags: Object.fromEntries(entries) }
}
