/** Everything that can be inspected of a router. */
import { type DataModel, stateOf } from '@weft/model/data-model'
import { redactedConfig } from '../config/redacted-config.ts'
import type { RouterConfig } from '../config/router-config.ts'
import type { Controllers } from '../control/controllers.ts'
import type { MetricsRegistry } from '../metrics/registry.ts'
import { activityText } from '../profile/process-facts.ts'
import { durationText } from './duration-text.ts'
import type { Inspection, InspectorOptions } from './inspector.ts'
import { inspectLinks, type LinkInspectionDeps } from './link-inspection.ts'

export interface RouterInspectionDeps extends LinkInspectionDeps {
  readonly config: RouterConfig
  readonly controllers: Controllers
  readonly model: () => DataModel
  readonly metrics: MetricsRegistry
}

export function routerInspections(deps: RouterInspectionDeps): InspectorOptions {
  const { config, controllers, model, metrics } = deps
  const byName: Readonly<Record<string, Inspection>> = {
    stackdump: activityText,
    links: () => inspectLinks(deps),
    config: () => redactedConfig(config),
    'router-data-model': () => shownModel(model()),
    'router-data-model-index': () => ({ timeline: model().timelineId, index: model().index }),
    'router-controllers': () => inspectControllers(controllers),
    // Nothing is hosted and no circuit passes here.
    'router-circuits': () => ({ circuits: {} }),
    'sdk-terminators': () => ({ entries: [] }),
    'ert-terminators': () => ({ entries: [] }),
  }
  return {
    byName: new Map(Object.entries(byName)),
    byPrefix: new Map<string, Inspection>([['metrics', () => metrics.snapshot()]]),
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
        timeSinceLastContact: durationText(connection?.channel.silence ?? 0),
        isLeader: id !== '' && id === controllers.leaderId,
      },
    ] as const
  })
  return { leaderId: controllers.leaderId ?? '', controllers: Object.fromEntries(known) }
}

function shownModel(model: DataModel) {
  const { events, endIndex, timelineId } = stateOf(model)
  return { events: events.map(({ model: each }) => ({ [each!.kind]: each!.value })), endIndex, timelineId }
}
