/**
 * From the change stream and the APIs to the event handlers of the configuration.
 *
 * It follows the writer like everybody else. Making an event costs something, so nothing is made unless somebody wants it.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Registry as MetricsRegistry } from 'prom-client'
import type { SignedSession } from './api/api-settings.ts'
import type { LoginEvent, TokensEvent } from './api/login-event.ts'
import { summary } from './api/management/summary.ts'
import type { Clock } from './clock.ts'
import type { Core } from './core/core.ts'
import { EventDispatcher } from './events/dispatcher.ts'
import { entityChangeEvents } from './events/entity-change.ts'
import { EntityCountTimers } from './events/entity-count.ts'
import { entityState } from './events/entity-state.ts'
import type { EventsConfig } from './events/event-config.ts'
import type { EventReceiver } from './events/event-handler.ts'
import { attachEventHandlers, planEventHandlers } from './events/handler-plan.ts'
import { maskToken } from './events/token-mask.ts'
import type { Logger } from './log/logger.ts'
import { standardStream } from './log/standard-stream.ts'
import { watchEvents } from './metrics/event-metrics.ts'
import { QueueMetrics } from './metrics/queue-metrics.ts'
import type { Caller } from './operation/caller.ts'
import type { Row, TableRows } from './state/row.ts'
import type { RowChange } from './state/view.ts'
import type { Commit } from './state/writer.ts'
import { networkVersion } from './version.ts'

export interface EventFeedDeps {
  readonly core: Core
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: MetricsRegistry
}

export interface EventFeedOptions {
  readonly controllerId: string
  readonly events: EventsConfig
}

/** Tables of which the peers know nothing. */
const untold: ReadonlySet<string> = new Set(['controllerSettings'])

export class EventFeed implements AsyncDisposable {
  readonly dispatcher: EventDispatcher
  readonly #core: Core
  readonly #controllerId: string
  readonly #parts: AsyncDisposableStack

  private constructor(
    { core, controllerId }: { readonly core: Core; readonly controllerId: string },
    dispatcher: EventDispatcher,
    parts: AsyncDisposableStack,
  ) {
    this.#core = core
    this.#controllerId = controllerId
    this.dispatcher = dispatcher
    this.#parts = parts
  }

  static async start({ core, clock, log, metrics }: EventFeedDeps, options: EventFeedOptions): Promise<EventFeed> {
    await using parts = new AsyncDisposableStack()
    const dispatcher = parts.use(new EventDispatcher({ clock, log }, options))
    const { plans, problems } = planEventHandlers(options.events)
    const unopened = await attachEventHandlers(dispatcher, { clock, stdout: standardStream(1) }, plans)
    for (const { path, message } of [...problems, ...unopened]) {
      log.warn('event handler', { path: ['events', ...path].join('.'), problem: message })
    }
    watchEvents(metrics, new QueueMetrics(metrics), dispatcher)
    parts.use(EntityCountTimers.start({ dispatcher, counts: () => summary(core.tables) }))
    const feed = new EventFeed({ core, controllerId: options.controllerId }, dispatcher, parts.move())
    feed.#parts.defer(core.writer.follow((commits) => feed.#tell(commits)))
    return feed
  }

  /** Adds a receiver until what it answers is ended. */
  join(receiver: EventReceiver): AsyncDisposable {
    const { dispatcher } = this
    const joined = new AsyncDisposableStack()
    joined.use(dispatcher.join(receiver))
    joined.use(EntityCountTimers.start({ dispatcher, counts: () => summary(this.#core.tables) }, receiver))
    return joined
  }

  login(event: LoginEvent): void {
    if (!this.dispatcher.isWanted('authentication')) return
    const { isSuccess, method, identityId, authenticatorId, signerId, isImproperChain, reason, remoteAddress } = event
    const identity = identityId === undefined ? undefined : this.#core.tables.get('identities', identityId)
    this.dispatcher.emit({
      namespace: 'authentication',
      event_type: isSuccess ? 'success' : 'fail',
      type: method,
      authenticator_id: authenticatorId ?? '',
      external_jwt_signer_id: signerId ?? '',
      identity_id: identityId ?? '',
      auth_policy_id: identity?.authPolicyId ?? '',
      remote_address: remoteAddress,
      success: isSuccess,
      reason: reason ?? '',
      improper_client_cert_chain: isImproperChain,
    })
  }

  /** A session of which nothing is stored got tokens. These open doors, and are not shown. */
  tokens({ type, apiSessionId, identityId, remoteAddress, isCertGenerated }: TokensEvent): void {
    if (!this.dispatcher.isWanted('apiSession')) return
    this.dispatcher.emit({
      namespace: 'apiSession',
      event_type: type,
      id: apiSessionId,
      type: 'jwt',
      token: maskToken(''),
      identity_id: identityId,
      ip_address: remoteAddress,
      cert_generated: isCertGenerated,
    })
  }

  /** A session of which nothing is stored was signed. */
  sessionSigned({ id, type, apiSessionId, identityId, serviceId }: SignedSession): void {
    if (!this.dispatcher.isWanted('session')) return
    this.dispatcher.emit({
      namespace: 'session',
      event_type: 'created',
      session_type: type,
      provider: 'jwt',
      id,
      api_session_id: apiSessionId,
      identity_id: identityId,
      service_id: serviceId,
    })
  }

  /** An identity has called an API of the controller. */
  called(caller: Caller, from: string, to: string): void {
    if (!this.dispatcher.isWanted('connect')) return
    this.dispatcher.emit({
      namespace: 'connect',
      src_type: 'identity',
      dst_type: 'ctrl',
      src_id: caller.identityId,
      src_addr: from,
      dst_id: this.#controllerId,
      dst_addr: to,
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts[Symbol.asyncDispose]()
  }

  #tell(commits: readonly Commit[]): void {
    const { dispatcher } = this
    for (const commit of commits) {
      if (dispatcher.isWanted('entityChange')) {
        const changes = commit.changes.filter((change) => !isOnlyUse(change))
        for (const event of entityChangeEvents({ ...commit, changes }, this.#changeContext())) dispatcher.emit(event)
      }
      const tellsApiSessions = dispatcher.isWanted('apiSession')
      const tellsSessions = dispatcher.isWanted('session')
      if (!tellsApiSessions && !tellsSessions) continue
      for (const change of commit.changes) {
        if (tellsApiSessions && change.table === 'apiSessions') this.#tellApiSession(change)
        if (tellsSessions && change.table === 'sessions') this.#tellSession(change)
      }
    }
  }

  #changeContext() {
    const { store, registry } = this.#core
    return {
      timeline: store.head.timeline,
      version: networkVersion,
      entityType: (table: string) => (untold.has(table) ? undefined : table),
      shown: (table: string, row: Row) => entityState(table, registry.withoutSecrets(table, row)),
    }
  }

  #tellApiSession({ before, after }: RowChange): void {
    if (before !== undefined && after !== undefined) return
    const session = (after ?? before) as TableRows['apiSessions']
    this.dispatcher.emit({
      namespace: 'apiSession',
      event_type: after === undefined ? 'deleted' : 'created',
      id: session.id,
      type: 'legacy',
      token: maskToken(session.token),
      identity_id: session.identityId,
      ip_address: session.ipAddress,
      cert_generated: false,
    })
  }

  #tellSession({ before, after }: RowChange): void {
    if (before !== undefined && after !== undefined) return
    const session = (after ?? before) as TableRows['sessions']
    this.dispatcher.emit({
      namespace: 'session',
      event_type: after === undefined ? 'deleted' : 'created',
      session_type: session.type,
      provider: 'legacy',
      id: session.id,
      api_session_id: session.apiSessionId,
      identity_id: session.identityId,
      service_id: session.serviceId,
    })
  }
}

/** When sessions were used last is written all the time, and is no change of the network. */
function isOnlyUse({ table, before, after }: RowChange): boolean {
  if (table !== 'apiSessions' || before === undefined || after === undefined) return false
  const lasting = (row: Row) => ({ ...row, lastActivityAt: null, updatedAt: '' })
  return isDeepStrictEqual(lasting(before), lasting(after))
}
