/**
 * What connected routers have measured last, among the controller's own metrics. Metrics of single links are left out: a
 * mesh of many routers has more of them than a scrape should carry, and events have them all.
 */
import type { OwnMetrics } from '@weft/wire/messages'
import { Gauge, type Registry } from 'prom-client'
import type { ConnectedRouters } from '../../fabric/connected-routers.ts'

/** Of one router; further ones are not shown. */
const MOST_VALUES = 500

interface Measured {
  readonly metric: string
  readonly value: string
  readonly number: number
}

export class RouterMetrics implements Disposable {
  readonly #latest = new Map<string, readonly Measured[]>()
  readonly #unfollow: () => void

  constructor(registry: Registry, routers: ConnectedRouters) {
    const latest = this.#latest
    new Gauge({
      name: 'weft_router_metric',
      help: 'What routers have measured last, by router, metric and what of it.',
      labelNames: ['router', 'metric', 'value'],
      registers: [registry],
      collect() {
        this.reset()
        for (const [router, values] of latest) {
          for (const { metric, value, number } of values) this.set({ router, metric, value }, number)
        }
      },
    })
    this.#unfollow = routers.follow(({ type, routerId }) => {
      if (type === 'disconnected') latest.delete(routerId)
    })
  }

  take(routerId: string, message: OwnMetrics): void {
    this.#latest.set(routerId, [...measured(message).take(MOST_VALUES)])
  }

  [Symbol.dispose](): void {
    this.#unfollow()
  }
}

function* measured(message: OwnMetrics): Generator<Measured> {
  for (const [metric, value] of message.intValues) yield* some(metric, { value: Number(value) })
  for (const [metric, value] of message.floatValues) yield* some(metric, { value })
  for (const [metric, { count, m1Rate }] of message.meters)
    yield* some(metric, { count: Number(count), m1_rate: m1Rate })
  for (const distributions of [message.histograms, message.timers]) {
    for (const [metric, { count, mean, p95 }] of distributions) yield* some(metric, { count: Number(count), mean, p95 })
  }
}

function* some(metric: string, values: Readonly<Record<string, number>>): Generator<Measured> {
  for (const [value, number] of Object.entries(values)) yield { metric, value, number }
}
