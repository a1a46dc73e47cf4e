/**
 * What a router has measured, as it answers an inspection: the message of its reports, written as JSON. Members that are
 * zero or empty may be absent, and whole numbers have lost what JSON cannot hold.
 */
import type { MetricsMessage } from '@weft/wire/messages'

type Found = Readonly<Record<string, unknown>>
type Distribution = MetricsMessage['histograms'] extends ReadonlyMap<string, infer T> ? T : never
type Rates = MetricsMessage['meters'] extends ReadonlyMap<string, infer T> ? T : never

const NANOSECONDS = 1_000_000_000n

/** Of one value; further ones are left out. */
const MOST_METRICS = 10_000

export function metricsFromJson(json: unknown): MetricsMessage {
  const message = found(json)
  return {
    eventId: words(message['eventId']),
    sourceId: words(message['sourceId']),
    timestamp: time(message['timestamp']),
    tags: each(message['tags'], words),
    intValues: each(message['intValues'], whole),
    floatValues: each(message['floatValues'], number),
    meters: each(message['meters'], (meter) => ({ count: whole(found(meter)['count']), ...rates(found(meter)) })),
    histograms: each(message['histograms'], (histogram) => distribution(found(histogram))),
    timers: each(message['timers'], (timer) => ({ ...distribution(found(timer)), ...rates(found(timer)) })),
    intervalCounters: new Map(),
    usageCounters: [],
    doNotPropagate: false,
  }
}

function rates(of: Found): Omit<Rates, 'count'> {
  const { m1Rate, m5Rate, m15Rate, meanRate } = of
  return { m1Rate: number(m1Rate), m5Rate: number(m5Rate), m15Rate: number(m15Rate), meanRate: number(meanRate) }
}

function distribution({ mean, stdDev, variance, ...of }: Found): Distribution {
  return {
    ...{ count: whole(of['count']), min: whole(of['min']), max: whole(of['max']) },
    ...{ mean: number(mean), stdDev: number(stdDev), variance: number(variance) },
    ...{ p50: number(of['p50']), p75: number(of['p75']), p95: number(of['p95']), p99: number(of['p99']) },
    ...{ p999: number(of['p999']), p9999: number(of['p9999']) },
  }
}

function each<T>(json: unknown, read: (value: unknown) => T): Map<string, T> {
  const entries = Object.entries(found(json)).slice(0, MOST_METRICS)
  return new Map(entries.map(([name, value]) => [name, read(value)]))
}

function time(json: unknown): bigint | undefined {
  if (json === undefined || json === null) return undefined
  return whole(found(json)['seconds']) * NANOSECONDS + whole(found(json)['nanos'])
}

function found(json: unknown): Found {
  return typeof json === 'object' && json !== null ? (json as Found) : {}
}

function words(json: unknown): string {
  return typeof json === 'string' ? json : ''
}

function number(json: unknown): number {
  return typeof json === 'number' ? json : 0
}

function whole(json: unknown): bigint {
  return BigInt(Math.trunc(number(json)))
}
