/**
 * A metrics event in the text that Prometheus reads, with the names that the peers give it: `ziti_`, then the metric with
 * its separators as underscores. What names one entity among many of a source is a label, or its samples would collide.
 */
import type { MetricsEvent } from './fabric-events.ts'

const quantiles = { p50: '0.50', p75: '0.75', p95: '0.95', p99: '0.99', p999: '0.999', p9999: '0.9999' } as const

/** What of each type is shown as a gauge; distributions have a sample for each of theirs. */
const gaugeOf = { intValue: 'value', floatValue: 'value', meter: 'm1_rate' } as const

export function formatPrometheus(event: MetricsEvent): string {
  const { metric_type, metric, metrics } = event
  const name = nameOf(metric)
  const time = Date.parse(event.timestamp)
  const head = (type: string) => `# HELP ${name} ${name}\n# TYPE ${name} ${type}\n`
  if (metric_type !== 'histogram' && metric_type !== 'timer') {
    return `${head('gauge')}${name}${labels(event)} ${metrics[gaugeOf[metric_type]] ?? 0} ${time}\n`
  }
  const buckets = Object.entries(quantiles)
    .filter(([key]) => metrics[key] !== undefined)
    .map(([key, le]) => `${name}_bucket${labels(event, { le })} ${metrics[key]} ${time}\n`)
  return `${head('histogram')}${name}_count${labels(event)} ${metrics['count'] ?? 0} ${time}\n${buckets.join('')}`
}

/** `_count` at the end belongs to histograms. */
function nameOf(metric: string): string {
  const name = metric.replaceAll(/[ .\-=/]/g, '_').replaceAll(/[^\w]/g, '')
  return `ziti_${name.replace(/_count$/, '_c')}`
}

function labels({ tags, source_id, source_entity_id }: MetricsEvent, more: Readonly<Record<string, string>> = {}) {
  const all = { ...tags, source_id, ...(source_entity_id && { source_entity_id }), ...more }
  const written = Object.entries(all).map(([name, value]) => `${name.replaceAll(/\W/g, '_')}="${escaped(value)}"`)
  return `{${written.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
