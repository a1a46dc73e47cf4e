/** What routers report, as events: metrics, usage, alerts, and that a router has connected. */
import type { Alert, MetricsMessage } from '@weft/wire/messages'
import type { Clock } from '../../clock.ts'
import type { EventDispatcher } from '../../events/dispatcher.ts'
import type { ConnectEvent } from '../../events/event-types.ts'
import type { ReportedConnect, RouterReports } from '../control-context.ts'
import { alertEvent } from './alert-event.ts'
import { type MeasuredLinks, metricsEvents } from './metrics-events.ts'
import { usageEvents } from './usage-events.ts'
import { writableTime } from './writable-time.ts'

export interface ReportEventsDeps {
  readonly dispatcher: EventDispatcher
  readonly links: MeasuredLinks
  readonly clock: Pick<Clock, 'now'>
}

export class ReportEvents implements RouterReports {
  readonly #deps: ReportEventsDeps

  constructor(deps: ReportEventsDeps) {
    this.#deps = deps
  }

  metrics(routerId: string, message: MetricsMessage): void {
    const { dispatcher, links, clock } = this.#deps
    if (dispatcher.isWanted('metrics')) {
      for (const event of metricsEvents(routerId, message, links, clock.now())) dispatcher.emit(event)
    }
    const versions = new Set(dispatcher.routes('usage').map(({ subscription }) => subscription.version ?? 2))
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

  connects(routerId: string, connects: readonly ReportedConnect[]): void {
    for (const { identityId, connectTime, srcAddr, dstAddr } of connects) {
      this.connected({
        timestamp: writableTime(connectTime),
        src_type: 'identity',
        dst_type: 'router',
        src_id: identityId,
        src_addr: srcAddr,
        dst_id: routerId,
        dst_addr: dstAddr,
      })
    }
  }
}
