/** A snapshot as controllers are sent it. Values that cannot be said on the wire, such as infinity, are said as zero. */
import { randomUUID } from 'node:crypto'
import type { MetricsMessage } from '@weft/wire/messages'
import type { Distribution } from './histogram.ts'
import type { Rates } from './meter.ts'
import type { MetricsSnapshot } from './registry.ts'
import type { UsageInterval } from './usage.ts'

export interface MetricsReport {
  readonly sourceId: string
  /** Milliseconds since 1970. */
  readonly time: number
  readonly snapshot: MetricsSnapshot
  readonly usage: readonly UsageInterval[]
}

const nanosPerMilli = 1_000_000n

export function metricsMessageOf({ sourceId, time, snapshot, usage }: MetricsReport): MetricsMessage {
  const whole = [...snapshot.gauges].filter(([, value]) => Number.isInteger(value))
  const broken = [...snapshot.gauges].filter(([, value]) => !Number.isInteger(value))
  return {
    eventId: randomUUID(),
    sourceId,
    timestamp: BigInt(time) * nanosPerMilli,
    tags: new Map(),
    intValues: new Map(whole.map(([name, value]) => [name, BigInt(value)])),
    floatValues: new Map(broken.map(([name, value]) => [name, sayable(value)])),
    meters: mapped(snapshot.meters, meterOf),
    histograms: mapped(snapshot.histograms, distributionOf),
    intervalCounters: new Map(),
    timers: mapped(snapshot.timers, (timer) => ({ ...meterOf(timer), ...distributionOf(timer) })),
    usageCounters: usage.map(usageCounterOf),
    doNotPropagate: false,
  }
}

function meterOf({ count, m1Rate, m5Rate, m15Rate, meanRate }: Rates) {
  return {
    count: wholeOf(count),
    m1Rate: sayable(m1Rate),
    m5Rate: sayable(m5Rate),
    m15Rate: sayable(m15Rate),
    meanRate: sayable(meanRate),
  }
}

function distributionOf(of: Distribution) {
  return {
    count: wholeOf(of.count),
    max: wholeOf(of.max),
    mean: sayable(of.mean),
    min: wholeOf(of.min),
    stdDev: sayable(of.stdDev),
    variance: sayable(of.variance),
    p50: sayable(of.p50),
    p75: sayable(of.p75),
    p95: sayable(of.p95),
    p99: sayable(of.p99),
    p999: sayable(of.p999),
    p9999: sayable(of.p9999),
  }
}

function usageCounterOf({ start, length, circuits }: UsageInterval) {
  return {
    intervalStartUTC: Math.floor(start / 1_000),
    intervalLength: Math.floor(length / 1_000),
    buckets: mapped(circuits, ({ values, tags }) => ({
      values: new Map([...values].map(([kind, bytes]): [string, bigint] => [kind, wholeOf(bytes)])),
      tags,
    })),
  }
}

function mapped<V, R>(map: ReadonlyMap<string, V>, of: (value: V) => R): Map<string, R> {
  return new Map([...map].map(([name, value]) => [name, of(value)]))
}

const largest = 2n ** 63n - 1n

function wholeOf(value: number): bigint {
  if (!Number.isFinite(value)) return 0n
  const whole = BigInt(Math.round(value))
  return whole > largest ? largest : whole
}

function sayable(value: number): number {
  return Number.isFinite(value) ? value : 0
}
