/**
 * What a router measures, sent to its controllers.
 *
 * Measured integers are of 64 bits and kept whole: a link's peer chooses the clock value that a latency is computed
 * from, and one absurd maximum must not cost the controller the whole report.
 */
import { defineMessage, type MessageOf, map, mapWithout, repeated } from '../protobuf/message-type.ts'
import { bool, double, int64, safeInt64, safeUint64, text, uint64 } from '../protobuf/scalars.ts'
import { timestamp } from '../protobuf/timestamp.ts'

const distribution = {
  count: [1, int64],
  max: [2, int64],
  mean: [3, double],
  min: [4, int64],
  stdDev: [5, double],
  variance: [6, double],
  p50: [7, double],
  p75: [8, double],
  p95: [9, double],
  p99: [10, double],
  p999: [11, double],
  p9999: [12, double],
} as const

export const meter = defineMessage('Meter', {
  count: [1, int64],
  m1Rate: [2, double],
  m5Rate: [3, double],
  m15Rate: [4, double],
  meanRate: [5, double],
})

export const histogram = defineMessage('Histogram', distribution)

export const timer = defineMessage('Timer', {
  ...distribution,
  m1Rate: [13, double],
  m5Rate: [14, double],
  m15Rate: [15, double],
  meanRate: [16, double],
})

const intervalBucket = defineMessage('IntervalBucket', {
  /** Seconds. */
  intervalStartUTC: [1, safeInt64],
  values: [3, map(text, uint64)],
})

const intervalCounter = defineMessage('IntervalCounter', {
  intervalLength: [1, safeUint64],
  buckets: [2, repeated(intervalBucket)],
})

const usageBucket = defineMessage('UsageBucket', {
  values: [1, map(text, uint64)],
  tags: [2, map(text, text)],
})

export const usageCounter = defineMessage('UsageCounter', {
  /** Seconds. */
  intervalStartUTC: [1, safeInt64],
  intervalLength: [2, safeUint64],
  /** By circuit id. */
  buckets: [3, map(text, usageBucket)],
})

const fields = {
  eventId: [1, text],
  /** The id of the router. Whoever receives it compares it with the channel's. */
  sourceId: [2, text],
  timestamp: [3, timestamp],
  tags: [4, map(text, text)],
  intValues: [5, map(text, int64)],
  floatValues: [6, map(text, double)],
  meters: [7, map(text, meter)],
  histograms: [8, map(text, histogram)],
  intervalCounters: [9, map(text, intervalCounter)],
  timers: [10, map(text, timer)],
  usageCounters: [11, repeated(usageCounter)],
  doNotPropagate: [12, bool],
} as const

export const metricsMessage = defineMessage('MetricsMessage', fields)

export type MetricsMessage = MessageOf<typeof metricsMessage>

/** Of a link there is a name for each thing that is measured, with the link's id in it. */
const OF_LINKS = 'link.'

/** What a router has measured of itself: in a large mesh nearly all the rest is about single links. */
export const ownMetrics = defineMessage('MetricsMessage', {
  intValues: [fields.intValues[0], mapWithout(OF_LINKS, text, int64)],
  floatValues: [fields.floatValues[0], mapWithout(OF_LINKS, text, double)],
  meters: [fields.meters[0], mapWithout(OF_LINKS, text, meter)],
  histograms: [fields.histograms[0], mapWithout(OF_LINKS, text, histogram)],
  timers: [fields.timers[0], mapWithout(OF_LINKS, text, timer)],
})

export type OwnMetrics = MessageOf<typeof ownMetrics>

/** Which controller passes them on. */
export const propagation = defineMessage('MetricsMessage', { doNotPropagate: fields.doNotPropagate })
