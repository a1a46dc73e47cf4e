/** What the handlers of the control channel work with. */
import type { ClientHello, InspectResponse, Route } from '@weft/wire/messages'
import type { ModelSubscription } from '../data-model/model-subscription.ts'
import type { LinkRegistry } from '../link/link-registry.ts'
import type { ChannelRenewals } from '../renewal/channel-renewals.ts'
import type { PipeTraces } from '../trace/pipe-traces.ts'
import type { ControllerConnection } from './controller-connection.ts'
import type { Controllers } from './controllers.ts'

export interface ControlContext {
  readonly controllers: Controllers
  readonly links: LinkRegistry
  readonly model: ModelSubscription
  readonly renewals: ChannelRenewals
  readonly traces: PipeTraces
  /** Where clients of the router connect, as controllers are told. */
  readonly edgeListeners: () => ClientHello['listeners']
  readonly inspect: (names: readonly string[]) => InspectResponse
  readonly routes: RouteTaker
  readonly terminators: HostedTerminators
}

/** Who makes and ends circuits here. */
export interface RouteTaker {
  take(route: Route, from: ControllerConnection): Promise<RouteOutcome> | RouteOutcome
  end(circuitId: string, when: 'now' | 'when quiet'): void
}

/** What becomes of a route. Codes are those of `routeErrorCode`. */
export type RouteOutcome =
  | { readonly isMade: true; readonly peerData: ReadonlyMap<number, Buffer> }
  | { readonly isMade: false; readonly code: number; readonly error: string }

/** Whether a terminator is hosted here; undefined when that cannot be told yet. */
export interface HostedTerminators {
  isHosted(terminator: { readonly id: string; readonly binding: string; readonly address: string }): boolean | undefined
}
