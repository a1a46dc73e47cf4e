/** Everything that can be inspected of a router. */
import { type DataModel, shownModel } from '@weft/model/data-model'
import { redactedConfig } from '../config/redacted-config.ts'
import type { RouterConfig } from '../config/router-config.ts'
import type { Controllers } from '../control/controllers.ts'
import { activityText } from '../profile/process-facts.ts'
import { durationText } from './duration-text.ts'
import type { Inspection, InspectorOptions } from './inspector.ts'
import { inspectLinks, type LinkInspectionDeps } from './link-inspection.ts'
import { inspectMetrics, type MetricsInspectionDeps } from './metrics-inspection.ts'

export interface RouterInspectionDeps extends LinkInspectionDeps, Pick<MetricsInspectionDeps, 'routerId' | 'metrics'> {
  readonly config: RouterConfig
  readonly controllers: Controllers
  readonly model: () => DataModel
  /** What controllers have set here. */
  readonly managed: () => unknown
  /** When controllers were told of everyone who is connected; undefined for never. */
  readonly connectionsToldAt: () => number | undefined
}

export function routerInspections(deps: RouterInspectionDeps): InspectorOptions {
  const { config, controllers, model } = deps
  const byName: Readonly<Record<string, Inspection>> = {
    stackdump: activityText,
    links: () => inspectLinks(deps),
    config: () => redactedConfig(config),
    'router-data-model': () => shownModel(model()),
    'router-data-model-index': () => ({ timeline: model().timelineId, index: model().index }),
    'router-controllers': () => inspectControllers(controllers),
    'router-config-registry': deps.managed,
    'identity-connection-statuses': () => inspectConnections(config.connectEvents, deps.connectionsToldAt()),
    // Nothing is hosted and no circuit passes here.
    'router-circuits': () => ({ circuits: {} }),
    'router-edge-circuits': () => ({ circuits: {} }),
    'router-sdk-circuits': () => ({ circuits: {} }),
    'sdk-terminators': () => ({ entries: [] }),
    'ert-terminators': () => ({ entries: [] }),
  }
  return {
    byName: new Map(Object.entries(byName)),
    byPrefix: new Map<string, Inspection>([['metrics', () => inspectMetrics(deps)]]),
  }
}

function inspectConnections(options: RouterConfig['connectEvents'], toldAt: number | undefined) {
  return {
    identity_connections: {},
    last_full_sync: toldAt === undefined ? '' : new Date(toldAt).toISOString(),
    queued_event_count: 0,
    max_queued_events: options.maxQueuedEvents,
    need_full_sync: [],
    batch_interval: durationText(options.batchInterval),
    full_sync_interval: durationText(options.fullSyncInterval),
  }
}

function inspectControllers(controllers: Controllers) {
  const known = controllers.known().map(({ known: { id, endpoints }, connection }) => {
    const latency = connection?.channel.roundTrip
    return [
      id === '' ? (endpoints[0]?.address.text ?? '') : id,
      {
        controllerId: id,
        connected: connection?.isConnected ?? false,
        responsive: connection !== undefined && !connection.isUnresponsive,
        address: connection?.address ?? endpoints[0]?.address.text ?? '',
        latency: durationText(latency ?? 0),
        version: connection?.version ?? '',
        // Below zero at the start of a channel, which is given time for its first answer.
        timeSinceLastContact: durationText(Math.max(0, connection?.channel.silence ?? 0)),
        isLeader: id !== '' && id === controllers.leaderId,
      },
    ] as const
  })
  return { leaderId: controllers.leaderId ?? '', controllers: Object.fromEntries(known) }
}
