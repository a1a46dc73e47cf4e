import type { Histogram } from './histogram.ts'
import type { Meter } from './meter.ts'
import type { MetricsRegistry } from './registry.ts'

/** What went over something in one direction: how many bytes and messages a second, and how large they were. */
export interface TrafficMetrics {
  readonly bytes: Meter
  readonly messages: Meter
  readonly sizes: Histogram
}

/** Counts one message; bytes are those of its body. */
export function countMessage(traffic: TrafficMetrics, bytes: number): void {
  traffic.bytes.mark(bytes)
  traffic.messages.mark(1)
  traffic.sizes.update(bytes)
}

/** The metrics `<name>.bytesrate`, `.msgrate` and `.msgsize`. */
export function trafficMetrics(registry: MetricsRegistry, name: string): TrafficMetrics {
  const [bytes, messages, sizes] = trafficNames(name)
  return { bytes: registry.meter(bytes), messages: registry.meter(messages), sizes: registry.histogram(sizes) }
}

function trafficNames(name: string) {
  return [`${name}.bytesrate`, `${name}.msgrate`, `${name}.msgsize`] as const
}

/**
 * What is measured of one link. Controllers make its cost of `latency` and `queue_time`, so that both ends must report
 * both. Disposed of with the link.
 */
export class LinkMetrics implements Disposable {
  /** Nanoseconds; likewise `queueTime`. */
  readonly latency: Histogram
  readonly queueTime: Histogram
  readonly sent: TrafficMetrics
  readonly received: TrafficMetrics
  /** Of all links together. */
  readonly allSent: TrafficMetrics
  readonly allReceived: TrafficMetrics
  /** What could not be queued, in all and by what it was. */
  readonly dropped: Meter
  readonly droppedData: Meter
  readonly droppedRetransmissions: Meter
  readonly droppedForwards: Meter
  readonly #registry: MetricsRegistry
  readonly #names: readonly string[]

  constructor(registry: MetricsRegistry, linkId: string) {
    this.#registry = registry
    const of = (what: string) => `link.${linkId}.${what}`
    const drops = (what: string) => `link.${what}:${linkId}`
    this.latency = registry.histogram(of('latency'))
    this.queueTime = registry.histogram(of('queue_time'))
    this.sent = trafficMetrics(registry, of('tx'))
    this.received = trafficMetrics(registry, of('rx'))
    this.allSent = trafficMetrics(registry, 'fabric.tx')
    this.allReceived = trafficMetrics(registry, 'fabric.rx')
    this.dropped = registry.meter(drops('dropped_msgs'))
    this.droppedData = registry.meter(drops('dropped_xg_msgs'))
    this.droppedRetransmissions = registry.meter(drops('dropped_rtx_msgs'))
    this.droppedForwards = registry.meter(drops('dropped_fwd_msgs'))
    this.#names = [
      ...[of('latency'), of('queue_time'), ...trafficNames(of('tx')), ...trafficNames(of('rx'))],
      ...['dropped_msgs', 'dropped_xg_msgs', 'dropped_rtx_msgs', 'dropped_fwd_msgs'].map(drops),
    ]
  }

  [Symbol.dispose](): void {
    for (const name of this.#names) this.#registry.remove(name)
  }
}
