/** What routers report, passed on: metrics to whoever scrapes, and metrics, usage, alerts and connections as events. */
import type { Alert, MetricsReport } from '@weft/wire/messages'
import type { Clock } from '../../clock.ts'
import type { EventDispatcher } from '../../events/dispatcher.ts'
import type { ConnectEvent } from '../../events/event-types.ts'
import type { RouterReports } from '../control-context.ts'
import { alertEvent } from './alert-event.ts'
import { type MeasuredLinks, metricsEvents } from './metrics-events.ts'
import type { RouterMetrics } from './router-metrics.ts'
import { usageEvents } from './usage-events.ts'

export interface ReportEventsDeps {
  readonly dispatcher: EventDispatcher
  readonly links: MeasuredLinks
  readonly clock: Pick<Clock, 'now'>
  readonly routerMetrics: Pick<RouterMetrics, 'take'>
}

export class ReportEvents implements RouterReports {
  readonly #deps: ReportEventsDeps

  constructor(deps: ReportEventsDeps) {
    this.#deps = deps
  }

  metrics(routerId: string, report: MetricsReport): void {
    const { dispatcher, links, clock, routerMetrics } = this.#deps
    routerMetrics.take(routerId, report.ofRouter())
    const isWanted = dispatcher.isWanted('metrics')
    const versions = new Set(dispatcher.routes('usage').map(({ subscription }) => subscription.version ?? 2))
    if (!isWanted && versions.size === 0) return
    const message = report.whole()
    if (isWanted) {
      for (const event of metricsEvents(routerId, message, links, clock.now())) dispatcher.emit(event)
    }
    for (const version of versions) {
      for (const event of usageEvents(routerId, message, version)) dispatcher.emit(event)
    }
  }

  alerts(routerId: string, alerts: readonly Alert[]): void {
    const { dispatcher } = this.#deps
    if (!dispatcher.isWanted('alert')) return
    for (const alert of alerts) dispatcher.emit(alertEvent(routerId, alert))
  }

  connected(event: Omit<ConnectEvent, 'namespace'>): void {
    const { dispatcher } = this.#deps
    if (dispatcher.isWanted('connect')) dispatcher.emit({ namespace: 'connect', ...event })
  }
}
