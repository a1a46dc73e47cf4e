/** What operators look into the network with: inspections, and the streams of events, traces and validations. */
import type { Registry as MetricsRegistry } from 'prom-client'
import { fabricKit } from './api/fabric/index.ts'
import { ManagementStreams } from './api/fabric/stream/management-streams.ts'
import type { WebServerConfig } from './api/web-servers.ts'
import type { CallerResolver } from './auth/resolve-caller.ts'
import type { SessionActivity } from './auth/session-activity.ts'
import type { Clock } from './clock.ts'
import { controllerValues } from './control/inspection/controller-values.ts'
import { Inspector } from './control/inspection/inspector.ts'
import type { RowSelection } from './control/validation/validation.ts'
import type { Core } from './core/core.ts'
import type { EventFeed } from './event-feed.ts'
import type { Fabric } from './fabric/fabric.ts'
import type { NetworkOptions } from './fabric/network-options.ts'
import type { Logger } from './log/logger.ts'
import type { Mesh } from './mesh.ts'
import { controllerMetrics } from './metrics/metrics-reports.ts'
import type { Call } from './operation/operation.ts'
import { selectRows } from './resource-kit/select-rows.ts'
import type { TableRows } from './state/row.ts'

export interface ManagementPlaneDeps {
  readonly core: Core
  readonly fabric: Fabric
  readonly mesh: Mesh
  readonly events: EventFeed
  readonly callers: CallerResolver
  readonly activity: SessionActivity
  readonly metrics: MetricsRegistry
  readonly clock: Clock
  readonly log: Logger
}

export interface ManagementPlaneOptions {
  readonly controllerId: string
  readonly trustDomain: string
  readonly databaseFile: string
  readonly apiAddress: string
  readonly ctrlAddress: string
  readonly ctrlListener?: string
  readonly web: readonly WebServerConfig[]
  readonly network: NetworkOptions
}

export interface ManagementPlane {
  readonly inspector: Inspector
  readonly streams: ManagementStreams
}

export function createManagementPlane(deps: ManagementPlaneDeps, options: ManagementPlaneOptions): ManagementPlane {
  const { core, fabric, mesh, events, callers, activity, metrics, clock } = deps
  const { kit, store, writer } = core
  const { view } = kit
  const { state } = fabric
  const { model, peers, validation, traces, circuitTraces, dialer } = mesh
  const { controllerId } = options
  const values = controllerValues(
    {
      state,
      view,
      clock,
      model,
      peers,
      validation,
      dialer,
      get head() {
        return store.head
      },
      metrics: () => controllerMetrics(metrics, controllerId, clock.now()),
    },
    { ...options, config: shownConfig(options), identityStatus: options.network.identityStatus },
  )
  const inspector = new Inspector({ view, routers: state.routers, controllerValue: values }, { controllerId })
  const shown = fabricKit({ core, clock, routerPresence: state.routers, terminatorCosts: state.terminatorCosts })
  const select = (call: Call): RowSelection => ({
    routers: (filter) => selectRows<TableRows['routers']>(shown, 'routers', filter, call),
    terminators: (filter) => selectRows<TableRows['terminators']>(shown, 'terminators', filter, call),
    identities: (filter) => selectRows<TableRows['identities']>(kit, 'identities', filter, call),
  })
  const { routers, links, identities, circuits } = state
  const log = deps.log.child({ component: 'management' })
  const live = { routers, links, identities, circuits }
  const parts = {
    kit,
    view,
    model,
    validation,
    traces,
    circuitTraces,
    dialer,
    inspector,
    events,
    callers,
    activity,
    writer,
    clock,
    log,
  }
  return { inspector, streams: new ManagementStreams({ ...parts, ...live, select, controllerId }) }
}

/** The parts of the configuration in which no secret can be. */
function shownConfig(options: ManagementPlaneOptions) {
  const { controllerId, trustDomain, databaseFile, apiAddress, ctrlAddress, ctrlListener, web, network } = options
  return {
    id: controllerId,
    trustDomain,
    db: databaseFile,
    ctrl: { listener: ctrlListener ?? null, advertiseAddress: ctrlAddress },
    edge: { api: { address: apiAddress } },
    network,
    web: web.map(({ name, bindPoints, apis, minVersion, maxVersion, limits }) => ({
      name,
      bindPoints,
      apis: apis.map(({ binding }) => ({ binding })),
      options: { minTLSVersion: minVersion, maxTLSVersion: maxVersion, ...limits },
    })),
  }
}
