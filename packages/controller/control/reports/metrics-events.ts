/** What a router has measured, one event for each metric. Metrics of a link name the link and its ends apart. */
import { randomUUID } from 'node:crypto'
import { type MetricsMessage, millisecondsOf } from '@weft/wire/messages'
import type { MetricsEvent } from '../../events/fabric-events.ts'
import type { LinkEnds } from '../../fabric/link.ts'
import { writableTime } from './writable-time.ts'

export interface MeasuredLinks {
  get(linkId: string): LinkEnds | undefined
}

type Values = Readonly<Record<string, number>>
type Distribution = MetricsMessage['histograms'] extends ReadonlyMap<string, infer T> ? T : never
type Rates = MetricsMessage['meters'] extends ReadonlyMap<string, infer T> ? T : never

export function* metricsEvents(
  source_id: string,
  message: MetricsMessage,
  links: MeasuredLinks,
  now: number,
): Generator<MetricsEvent> {
  const source_event_id = randomUUID()
  const time = message.timestamp === undefined ? now : millisecondsOf(message.timestamp)
  const tags = Object.fromEntries(message.tags)
  const common = {
    namespace: 'metrics',
    timestamp: writableTime(time),
    source_id,
    version: 3,
    source_event_id,
  } as const
  for (const [metric_type, name, metrics] of measured(message)) {
    const { metric, linkId } = nameOf(name)
    const link = linkId === undefined ? undefined : links.get(linkId)
    const ends = link && { sourceRouterId: link.sourceRouterId, targetRouterId: link.destRouterId }
    const allTags = { ...tags, ...ends }
    yield {
      ...common,
      metric_type,
      ...(linkId !== undefined && { source_entity_id: linkId }),
      metric,
      metrics,
      ...(Object.keys(allTags).length > 0 && { tags: allTags }),
    }
  }
}

function* measured(message: MetricsMessage): Generator<[MetricsEvent['metric_type'], string, Values]> {
  for (const [name, value] of message.intValues) yield ['intValue', name, { value: Number(value) }]
  for (const [name, value] of message.floatValues) yield ['floatValue', name, { value }]
  for (const [name, meter] of message.meters) yield ['meter', name, { count: Number(meter.count), ...rates(meter) }]
  for (const [name, histogram] of message.histograms) yield ['histogram', name, distribution(histogram)]
  for (const [name, timer] of message.timers) yield ['timer', name, { ...distribution(timer), ...rates(timer) }]
}

function rates({ meanRate, m1Rate, m5Rate, m15Rate }: Omit<Rates, 'count'>): Values {
  return { mean_rate: meanRate, m1_rate: m1Rate, m5_rate: m5Rate, m15_rate: m15Rate }
}

function distribution(found: Distribution): Values {
  const { mean, stdDev: std_dev, variance, p50, p75, p95, p99, p999, p9999 } = found
  const whole = { count: Number(found.count), min: Number(found.min), max: Number(found.max) }
  return { ...whole, mean, std_dev, variance, p50, p75, p95, p99, p999, p9999 }
}

/** `link.<id>.latency`, `link.<id>.tx.bytesrate` and `link.latency:<id>`; ids of links may have dots. */
function nameOf(name: string): { readonly metric: string; readonly linkId?: string } {
  if (!name.startsWith('link.')) return { metric: name }
  const [before = '', linkId, ...more] = name.split(':')
  if (linkId !== undefined && more.length === 0) return { metric: before, linkId }
  const parts = name.split('.')
  const tail = /latency$|queue_time$/.test(name) ? 1 : 2
  if (parts.length < tail + 2) return { metric: name }
  return { metric: ['link', ...parts.slice(-tail)].join('.'), linkId: parts.slice(1, -tail).join('.') }
}
