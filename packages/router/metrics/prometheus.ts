/**
 * A snapshot in Prometheus' text format, under the names that the peers' controllers give the same numbers: dashboards
 * made for them work. Metrics of one link have its id as a label, and each name is declared once.
 */
import type { MetricsSnapshot } from './registry.ts'

export const prometheusContentType = 'text/plain; version=0.0.4; charset=utf-8'

export interface PrometheusOptions {
  /** The router, in the label `source_id`. */
  readonly sourceId: string
  /** When it was measured, in milliseconds since 1970; added to each value unless undefined. */
  readonly time: number | undefined
  /** The router at the other end of a link, for two more labels; undefined for a link that is gone. */
  readonly linkTarget?: (linkId: string) => string | undefined
}

interface Family {
  readonly type: 'gauge' | 'histogram'
  readonly lines: string[]
}

const quantiles = [
  ['0.50', 'p50'],
  ['0.75', 'p75'],
  ['0.95', 'p95'],
  ['0.99', 'p99'],
  ['0.999', 'p999'],
  ['0.9999', 'p9999'],
] as const

export function prometheusText(snapshot: MetricsSnapshot, options: PrometheusOptions): string {
  const { time } = options
  const families = new Map<string, Family>()
  const stamp = time === undefined ? '' : ` ${time}`
  const add = (name: string, type: Family['type'], lines: (family: string, labels: string) => string[]) => {
    const { metric, entity } = splitName(name)
    const family = familyName(metric)
    const labels = labelsOf(entity, options)
    const found = families.get(family) ?? { type, lines: [] }
    families.set(family, found)
    found.lines.push(...lines(family, labels))
  }
  const value = (name: string, number: number) =>
    add(name, 'gauge', (family, labels) => [`${family}{${labels}} ${spelt(number)}${stamp}`])

  for (const [name, number] of snapshot.gauges) value(name, number)
  for (const [name, { m1Rate }] of snapshot.meters) value(name, m1Rate)
  for (const [name, numbers] of [...snapshot.histograms, ...snapshot.timers]) {
    add(name, 'histogram', (family, labels) => [
      ...quantiles.map(([le, key]) => `${family}_bucket{${labels},le="${le}"} ${spelt(numbers[key])}${stamp}`),
      `${family}_count{${labels}} ${numbers.count}${stamp}`,
    ])
  }
  return [...families].map(([family, { type, lines }]) => `# TYPE ${family} ${type}\n${lines.join('\n')}\n`).join('')
}

/** Those of a link are the ones that controllers give to the metrics of links. */
function labelsOf(linkId: string | undefined, { sourceId, linkTarget }: PrometheusOptions): string {
  const source = `source_id="${escaped(sourceId)}"`
  if (linkId === undefined) return source
  const own = `${source},source_entity_id="${escaped(linkId)}"`
  const target = linkTarget?.(linkId)
  if (target === undefined) return own
  return `sourceRouterId="${escaped(sourceId)}",targetRouterId="${escaped(target)}",${own}`
}

/** `link.<id>.latency` and `link.dropped_msgs:<id>` are metrics of a link. */
function splitName(name: string): { readonly metric: string; readonly entity: string | undefined } {
  const inside = /^link\.([^.:]+)\.(.+)$/u.exec(name)
  if (inside) return { metric: `link.${inside[2]}`, entity: inside[1] }
  const behind = /^(link\.[^:]+):(.+)$/u.exec(name)
  return behind ? { metric: behind[1]!, entity: behind[2] } : { metric: name, entity: undefined }
}

function familyName(metric: string): string {
  const name = `ziti_${metric.replaceAll(/[ .\-=/]/gu, '_').replaceAll(/[^A-Za-z0-9_]/gu, '')}`
  // Prometheus keeps this ending for itself.
  return name.replace(/_count$/u, '_c')
}

function escaped(label: string): string {
  return label.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function spelt(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : '-Inf'
}
