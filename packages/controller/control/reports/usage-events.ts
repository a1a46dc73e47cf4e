/** What circuits have moved, as routers report it by the minute. */
import type { MetricsMessage } from '@weft/wire/messages'
import type { UsageEvent } from '../../events/fabric-events.ts'
import type { UsageVersion } from '../../events/subscription.ts'

export function* usageEvents(
  source_id: string,
  { intervalCounters, usageCounters }: MetricsMessage,
  version: UsageVersion,
): Generator<UsageEvent> {
  for (const [name, { intervalLength: interval_length, buckets }] of intervalCounters) {
    for (const { intervalStartUTC: interval_start_utc, values } of buckets) {
      for (const [circuit_id, bytes] of values) {
        const usage = Number(bytes)
        const common = { namespace: 'usage', source_id, circuit_id, interval_start_utc, interval_length } as const
        if (version === 2) yield { ...common, version, event_type: name, usage, tags: null }
        else yield { ...common, version, usage: { [name]: usage }, tags: null }
      }
    }
  }
  for (const { intervalStartUTC: interval_start_utc, intervalLength: interval_length, buckets } of usageCounters) {
    for (const [circuit_id, bucket] of buckets) {
      const tags = bucket.tags.size === 0 ? null : Object.fromEntries(bucket.tags)
      const common = { namespace: 'usage', source_id, circuit_id, interval_start_utc, interval_length, tags } as const
      const values = [...bucket.values].map(([kind, bytes]) => [kind, Number(bytes)] as const)
      if (version === 3) yield { ...common, version, usage: Object.fromEntries(values) }
      else for (const [kind, usage] of values) yield { ...common, version, event_type: `usage.${kind}`, usage }
    }
  }
}
