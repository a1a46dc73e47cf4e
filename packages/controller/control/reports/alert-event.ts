/** An alert of a router as an event. Of itself a router speaks as `self`: who that is, its channel says. */
import type { Alert } from '@weft/wire/messages'
import type { AlertEvent } from '../../events/fabric-events.ts'
import { writableTime } from './writable-time.ts'

/** A router whose tunneler is meant; the tunneler's identity has the id of its router. */
const TUNNELER = 'ert'

export function alertEvent(routerId: string, alert: Alert): AlertEvent {
  const { self, ...others } = Object.fromEntries(alert.relatedEntities)
  const own = self === undefined ? {} : { router: routerId, ...(self === TUNNELER && { identity: routerId }) }
  return {
    namespace: 'alert',
    timestamp: writableTime(alert.timestamp),
    // Whatever a router says of the source: it speaks for itself alone.
    alert_source_type: 'router',
    alert_source_id: routerId,
    severity: alert.severity,
    message: alert.message,
    details: alert.details.length === 0 ? null : alert.details,
    related_entities: { ...others, ...own },
  }
}
