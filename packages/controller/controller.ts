/**
 * A running controller: everything is built here, in order, in plain code.
 *
 *   core (store, tables, writer, kit) -> built-ins -> upkeep -> events -> APIs -> web servers
 *
 * What was started is stopped in the opposite order, also when a later step fails.
 */
import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { type Identity, signCaToken, signEnrollmentToken, signNetworkToken, TokenSigner } from '@weft/pki'
import { apiVersions } from './api/api-versions.ts'
import { createClientApi } from './api/client/index.ts'
import { createManagementApi } from './api/management/index.ts'
import type { LoginEvent } from './api/management/authenticate.ts'
import { openWebServers, type WebServerConfig, type WebServers } from './api/web-servers.ts'
import { LoginAttempts } from './auth/login-attempts.ts'
import { PasswordHasher } from './auth/password-hash.ts'
import { PasswordLogin } from './auth/password-login.ts'
import { CallerResolver } from './auth/resolve-caller.ts'
import { SecretSealer } from './auth/sealed-secret.ts'
import { SessionActivity } from './auth/session-activity.ts'
import { SessionUpkeep, type SessionUpkeepOptions } from './auth/session-upkeep.ts'
import { ensureBuiltIns } from './bootstrap.ts'
import type { Clock } from './clock.ts'
import { Core } from './core.ts'
import { startEvents } from './events/start-events.ts'
import type { EventsConfig } from './events/event-config.ts'
import { storeHealth } from './health.ts'
import type { Logger } from './log/logger.ts'
import { createMetricsRegistry } from './metrics/registry.ts'
import { allResources } from './resources/index.ts'
import { JournalRetention, type RetentionLimits } from './state/journal-retention.ts'

export interface ControllerOptions {
  /** Who this controller is among others. */
  readonly controllerId: string
  readonly identity: Identity
  readonly databaseFile: string
  /** `edge.api.address`: what invitations name as their issuer. */
  readonly apiAddress: string
  /** Control-channel addresses, for invitations of routers. */
  readonly controllerAddresses: readonly string[]
  readonly web: readonly WebServerConfig[]
  readonly sessions: SessionUpkeepOptions
  readonly enrollment: { readonly identityDuration: number; readonly routerDuration: number }
  readonly events: EventsConfig
  readonly journal: RetentionLimits
  readonly totpIssuer: string
  /** The key under which TOTP seeds are sealed; made when it is not there. */
  readonly secretsKeyFile: string
}

export interface ControllerDeps {
  readonly clock: Clock
  readonly log: Logger
  /** Called once when the store has failed: the process must stop. */
  readonly onFailure: (error: unknown) => void
}

export class Controller implements AsyncDisposable {
  readonly core: Core
  readonly web: WebServers
  readonly #parts: AsyncDisposableStack

  private constructor(core: Core, web: WebServers, parts: AsyncDisposableStack) {
    this.core = core
    this.web = web
    this.#parts = parts
  }

  /** A running controller, or an error with nothing left open. */
  static async start(deps: ControllerDeps, options: ControllerOptions): Promise<Controller> {
    const { clock, log } = deps
    await using parts = new AsyncDisposableStack()
    const activity = new SessionActivity(clock)
    const hasher = new PasswordHasher()
    const signer = tokenSigner(options)
    const resources = allResources(resourceDeps(options, signer, activity, hasher))
    const core = parts.use(await Core.open(deps, { databaseFile: options.databaseFile, resources }))
    const { kit, writer, store } = core
    await ensureBuiltIns(kit)
    const sealer = await SecretSealer.open(options.secretsKeyFile)

    const upkeep = parts.use(new SessionUpkeep({ kit, activity, clock, log }, options.sessions))
    upkeep.start()
    writer.follow((commits) => forgetEndedSessions(commits, activity))
    parts.use(JournalRetention.start({ store, clock, log }, options.journal))
    const metrics = createMetricsRegistry()
    const events = parts.use(await startEvents({ clock, log, core, metrics }, options))

    const callers = new CallerResolver({ view: kit.view, activity, clock })
    const instanceId = randomUUID()
    const passwords = new PasswordLogin({ kit, hasher, attempts: new LoginAttempts(), clock })
    const common = { kit, log, clock, instanceId, callers, metrics, versions: () => apiVersions(options.web, isServed) }
    const information = { caBundle: () => options.identity.caBundle, networkToken: networkToken(options, signer) }
    const management = createManagementApi({
      ...common,
      ...information,
      store,
      core,
      passwords,
      hasher,
      activity,
      sealer,
      totpIssuer: options.totpIssuer,
      sessionTimeout: options.sessions.sessionTimeout,
      databaseFile: options.databaseFile,
      onLogin: (login: LoginEvent) => events.login(login),
    })
    const client = createClientApi({ ...common, ...information })
    const health = parts.use(storeHealth({ store, clock }))
    const web = parts.use(
      await openWebServers({ log, clock, management, client, health, metrics, identity: options.identity }, options.web),
    )
    return new Controller(core, web, parts.move())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts[Symbol.asyncDispose]()
  }
}
