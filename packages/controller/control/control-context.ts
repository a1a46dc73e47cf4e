/** What the handlers of the control channel work with. */
import type { Alert, MetricsReport } from '@weft/wire/messages'
import type { SessionActivity } from '../auth/session-activity.ts'
import type { Clock } from '../clock.ts'
import type { NetworkSigner } from '../enroll/network-signer.ts'
import type { ConnectEvent } from '../events/event-types.ts'
import type { Fabric } from '../fabric/fabric.ts'
import type { Logger } from '../log/logger.ts'
import type { Kit } from '../resource-kit/kit.ts'
import type { ControlConnection } from './control-connection.ts'
import type { RouterDataModel } from './data-model/router-data-model.ts'
import type { ModelSubscriptions } from './data-model/subscriptions.ts'
import type { ClientTokenDeps } from './edge/client-tokens.ts'
import type { HealthChecks } from './edge/health-checks.ts'
import type { TunnelerSessions } from './edge/tunneler-sessions.ts'
import type { PeerStates } from './peer-states.ts'
import type { SessionSync } from './sessions/session-sync.ts'
import type { TerminatorValidation } from './terminator-validation.ts'
import type { CircuitTraces } from './traces/circuit-traces.ts'

export interface ControlContext {
  readonly kit: Kit
  readonly fabric: Fabric
  readonly model: RouterDataModel
  readonly subscriptions: ModelSubscriptions
  readonly peers: PeerStates
  readonly signer: NetworkSigner
  readonly clock: Clock
  readonly log: Logger
  /** What others are told of what routers report. */
  readonly reports: RouterReports
  /** By what clients of routers are known. */
  readonly clientTokens: Omit<ClientTokenDeps, 'view'>
  readonly validation: TerminatorValidation
  /** When API sessions were used last. */
  readonly activity: SessionActivity
  /** What routers know of API sessions. */
  readonly sessions: SessionSync
  readonly tunnelerSessions: TunnelerSessions
  readonly healthChecks: HealthChecks
  /** Tells a router where the controllers are. */
  readonly tellAddresses: (connection: ControlConnection) => void
  readonly circuitTraces: CircuitTraces
  readonly controllerId: string
}

/** What routers report and the controller only passes on. */
export interface RouterReports {
  metrics(routerId: string, report: MetricsReport): void
  alerts(routerId: string, alerts: readonly Alert[]): void
  /** Somebody was connected to the controller or to a router. */
  connected(event: Omit<ConnectEvent, 'namespace'>): void
}
