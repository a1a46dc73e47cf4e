/**
 * What all JSON APIs of a controller share: who calls, who may, what is measured, and what they tell of the controller.
 */

import type { Registry as MetricsRegistry } from 'prom-client'
import type { CallerResolver } from '../auth/resolve-caller.ts'
import type { Clock } from '../clock.ts'
import type { Core } from '../core/core.ts'
import type { Invitations } from '../enroll/invitations.ts'
import type { NetworkSigner } from '../enroll/network-signer.ts'
import type { Logger } from '../log/logger.ts'
import { RequestMetrics, type RequestRecorder } from '../metrics/request-metrics.ts'
import type { Caller } from '../operation/caller.ts'
import type { Operation } from '../operation/operation.ts'
import { allows } from '../operation/permissions.ts'
import { cuid } from '../resource-kit/ids.ts'
import { apiVersions } from './api-versions.ts'
import { BodyReader } from './http/body-reader.ts'
import type { Answered } from './http/exchange.ts'
import { ServedSpecs } from './informational/served-specs.ts'
import { servedBindings, type WebServerConfig } from './web-servers.ts'

export interface ApiDeps {
  readonly core: Core
  readonly clock: Clock
  readonly log: Logger
  readonly callers: CallerResolver
  readonly invitations: Invitations
  readonly signer: NetworkSigner
  readonly common: ApiCommon
  readonly events: {
    /** An identity has called. */
    called(caller: Caller, from: string, to: string): void
    /** A session was signed and not stored. */
    sessionSigned(session: SignedSession): void
  }
}

/** That somebody wants to dial or host a service. */
export interface SignedSession {
  readonly id: string
  readonly type: string
  readonly apiSessionId: string
  readonly identityId: string
  readonly serviceId: string
}

export interface ApiOptions {
  readonly apiAddress: string
  readonly web: readonly WebServerConfig[]
}

/** One of each per process. */
export class ApiCommon {
  /** Random per start: clients that see it change ask for the version document again. */
  readonly instanceId = cuid()
  readonly bodies = new BodyReader()
  readonly specs: ServedSpecs
  readonly requests: RequestMetrics

  constructor({ clock, metrics }: { readonly clock: Clock; readonly metrics: MetricsRegistry }) {
    this.specs = new ServedSpecs(clock)
    this.requests = new RequestMetrics(metrics)
  }
}

/** The settings of one API besides its base and operations. */
export function apiSettings({ callers, log, common, events }: ApiDeps, api: string, operations: readonly Operation[]) {
  const recorders = new Map<Operation, RequestRecorder>()
  for (const operation of operations) recorders.set(operation, common.requests.forRoute({ api, ...operation }))
  const apiLog = log.child({ component: api })
  return {
    resolveCaller: callers.resolve.bind(callers),
    allows,
    log: apiLog,
    instanceId: common.instanceId,
    bodies: common.bodies,
    onAnswered({ operation, call, status, milliseconds }: Answered) {
      recorders.get(operation)?.record(status, milliseconds / 1000)
      if (call.caller.kind !== 'nobody') events.called(call.caller, call.remoteEnd, call.host)
      if (apiLog.isEnabled('debug')) {
        const { requestId, method, path, remoteAddress } = call
        apiLog.debug('request answered', { requestId, method, path, status, milliseconds, remoteAddress })
      }
    },
  }
}

/** What the informational operations tell. */
export function informationalDeps({ invitations, signer, common }: ApiDeps, options: ApiOptions) {
  return {
    versions: () => apiVersions(options.web, (binding) => servedBindings.has(binding)),
    caBundle: () => signer.authorities.all,
    networkToken: () => invitations.networkToken(),
    specs: common.specs,
    apiAddress: options.apiAddress,
  }
}
