/**
 * Metrics in an inspection: asked for as `metrics`, `metrics:json` or `metrics:prometheus`, they are shown as the events
 * that tell of them, or as texts that Prometheus reads.
 */
import { type MeasuredLinks, metricsEvents } from '../../control/reports/metrics-events.ts'
import { metricsFromJson } from '../../control/reports/metrics-json.ts'
import type { MetricsEvent } from '../../events/fabric-events.ts'
import { formatPrometheus } from '../../events/prometheus.ts'

const METRICS = 'metrics'
const DEFAULT_FORMAT = 'json'

export interface InspectedMetricsDeps {
  readonly links: MeasuredLinks
  readonly clock: { now(): number }
}

/** What is shown of a value, whose JSON is given; undefined where it is none of metrics, or in no format that is known. */
export function inspectedMetrics(
  { links, clock }: InspectedMetricsDeps,
  controllerId: string,
  { appId, name, json }: { readonly appId: string; readonly name: string; readonly json: unknown },
): readonly unknown[] | undefined {
  const [what = '', format = DEFAULT_FORMAT] = name.split(':')
  if (!what.startsWith(METRICS)) return undefined
  // The controller tells its own as events already.
  const events = Array.isArray(json)
    ? (json as readonly MetricsEvent[])
    : [...metricsEvents(appId, metricsFromJson(json), links, clock.now())]
  if (format === 'json')
    return events.map(({ namespace, ...event }) => ({ namespace, event_src_id: controllerId, ...event }))
  return format === 'prometheus' ? events.map(formatPrometheus) : undefined
}
