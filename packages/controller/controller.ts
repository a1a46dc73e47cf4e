/**
 * A running controller: everything is built here, in order, in plain code.
 *
 *   core (store, tables, writer, kit) -> built-ins -> upkeep -> events -> APIs -> web servers
 *
 * What was started is stopped in the opposite order, also when a later step fails.
 */

import type { Identity, SigningCertificate } from '@weft/pki'
import { ApiCommon } from './api/api-settings.ts'
import { apiVersions } from './api/api-versions.ts'
import { createClientApi } from './api/client/index.ts'
import { createFabricApi } from './api/fabric/index.ts'
import { createManagementApi } from './api/management/index.ts'
import { OidcProvider } from './api/oidc/index.ts'
import { storeHealth } from './api/store-health.ts'
import {
  clientServer,
  openWebServers,
  servedBindings,
  type WebServerConfig,
  type WebServers,
} from './api/web-servers.ts'
import { CertificateTrust } from './auth/certificate-trust.ts'
import { DisabledUpkeep } from './auth/disabled-upkeep.ts'
import type { LoginWindowOptions } from './auth/login-window.ts'
import { type JwksFetchOptions, Logins } from './auth/logins.ts'
import { PasswordHasher } from './auth/password-hash.ts'
import { CallerResolver } from './auth/resolve-caller.ts'
import { RevocationPurge } from './auth/revocation-purge.ts'
import { SecretSealer } from './auth/sealed-secret.ts'
import { SessionActivity } from './auth/session-activity.ts'
import { SessionUpkeep, type SessionUpkeepOptions } from './auth/session-upkeep.ts'
import { OwnAccessTokens } from './auth/tokens/access-tokens.ts'
import { NetworkTokens } from './auth/tokens/network-tokens.ts'
import { SigningKeys } from './auth/tokens/signing-keys.ts'
import type { TokenLives } from './auth/tokens/token-issuer.ts'
import { TokenTimes } from './auth/tokens/token-times.ts'
import { TokenVerifier } from './auth/tokens/token-verifier.ts'
import { ensureBuiltIns } from './bootstrap.ts'
import { CertificateFiles, type CertificateSources, type CertificateUsers } from './certificate-files.ts'
import type { Clock } from './clock.ts'
import type { ControlChannelOptions } from './control/control-channel-options.ts'
import type { RouterDataModelOptions } from './control/data-model/router-data-model.ts'
import type { RouterDialerOptions } from './control/dialing/router-dialer.ts'
import { ReportEvents } from './control/reports/report-events.ts'
import { RouterMetrics } from './control/reports/router-metrics.ts'
import { Core } from './core/core.ts'
import { Snapshots } from './core/snapshots.ts'
import type { Invitations } from './enroll/invitations.ts'
import { NetworkSigner } from './enroll/network-signer.ts'
import { EventFeed } from './event-feed.ts'
import type { EventsConfig } from './events/event-config.ts'
import { FabricEventFeed } from './fabric/events/fabric-event-feed.ts'
import { Fabric } from './fabric/fabric.ts'
import { FabricMetrics } from './fabric/fabric-metrics.ts'
import { FabricState } from './fabric/fabric-state.ts'
import type { NetworkOptions } from './fabric/network-options.ts'
import { OperatedCircuits, OperatedLinks } from './fabric/operated-fabric.ts'
import { StoredTerminatorFaults } from './fabric/terminator-faults.ts'
import { IntegrityRuns } from './integrity/integrity-runs.ts'
import type { Logger } from './log/logger.ts'
import { createManagementPlane } from './management-plane.ts'
import { Mesh } from './mesh.ts'
import { MetricsReports } from './metrics/metrics-reports.ts'
import { createMetricsRegistry } from './metrics/registry.ts'
import { WriterMetrics } from './metrics/writer-metrics.ts'
import { PostureStore } from './posture/posture-store.ts'
import { SessionEnforcement } from './posture/session-enforcement.ts'
import { describeController } from './resources/controllers.ts'
import { IdentityTracing } from './resources/identity-tracing.ts'
import { allResources } from './resources/index.ts'
import { nothingReported, type PostureReports } from './resources/posture-reports.ts'
import type { RouterPresence } from './resources/router-presence.ts'
import { JournalRetention, type RetentionLimits } from './state/journal-retention.ts'
import type { Commit } from './state/writer.ts'

export interface ControllerOptions {
  /** Who this controller is among others. */
  readonly controllerId: string
  readonly identity: Identity
  /** What signs the certificates of those who enroll. */
  readonly signing: SigningCertificate
  readonly trustDomain: string
  /** Where all of them come from, to be followed; without it they stay as they are. */
  readonly certificateSources?: CertificateSources
  readonly databaseFile: string
  /** `edge.api.address`: where clients reach the API. */
  readonly apiAddress: string
  /** Where routers connect, `tls:host:port`, and where they are told to. */
  readonly ctrlListener?: string
  readonly ctrlAddress: string
  /** `ctrl.options.newListener`: where routers are to connect from now on. */
  readonly newCtrlListener?: string
  readonly ctrlChannels?: ControlChannelOptions
  /** `routerDataModel`: how much of the model's history is kept for routers. */
  readonly dataModel?: RouterDataModelOptions
  /** `ctrl.dialer`, where it is enabled. */
  readonly ctrlDialer?: RouterDialerOptions
  readonly web: readonly WebServerConfig[]
  readonly network: NetworkOptions
  readonly sessions: SessionUpkeepOptions
  readonly events: EventsConfig
  readonly journal: RetentionLimits
  readonly totpIssuer: string
  readonly jwksFetch: JwksFetchOptions
  readonly loginWindow: LoginWindowOptions
  readonly tokenLives: TokenLives
  /** The key under which TOTP seeds are sealed; made when it is not there. */
  readonly secretsKeyFile: string
}

export interface ControllerDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly invitations: Invitations
  /** Called once when the store has failed: the process must stop. */
  readonly onFailure: (error: unknown) => void
}

export class Controller implements AsyncDisposable {
  readonly core: Core
  readonly web: WebServers
  /** Who is connected. */
  readonly routers: RouterPresence
  readonly #parts: AsyncDisposableStack

  private constructor(core: Core, web: WebServers, routers: RouterPresence, parts: AsyncDisposableStack) {
    this.core = core
    this.web = web
    this.routers = routers
    this.#parts = parts
  }

  /** A running controller, or an error with nothing left open. */
  static async start(deps: ControllerDeps, options: ControllerOptions): Promise<Controller> {
    const { clock, log, invitations } = deps
    await using parts = new AsyncDisposableStack()
    const activity = new SessionActivity(clock)
    const hasher = new PasswordHasher()
    const signer = networkSigner(options)
    const trust = new CertificateTrust(() => signer.trusted)
    const posture = new PostureStore({ clock })
    const live = new FabricState({ clock }, options.network)
    const resources = controllerResources({ invitations, activity, hasher, clock, trust, posture, live })
    const metrics = createMetricsRegistry()
    const onCommit = commitObserver(new WriterMetrics(metrics))
    const core = parts.use(await Core.open({ ...deps, onCommit }, { databaseFile: options.databaseFile, resources }))
    await ensureBuiltIns(core.kit)
    await core.kit.writeAsController((change) => describeController(change, description(options)))
    const sealer = await SecretSealer.open(options.secretsKeyFile)

    const upkeep = parts.use(new SessionUpkeep({ kit: core.kit, activity, clock, log }, options.sessions))
    upkeep.start()
    core.writer.follow((commits) => forgetEndedSessions(commits, activity))
    posture.follow(core)
    const enforcement = parts.use(SessionEnforcement.start({ ...core, posture, clock, log }))
    parts.use(JournalRetention.start({ store: core.store, clock, log }, options.journal))
    parts.use(DisabledUpkeep.start({ ...core, clock, log }))
    parts.use(RevocationPurge.start({ kit: core.kit, clock, log }, { longestTokenLife: options.tokenLives.refresh }))
    const events = parts.use(await EventFeed.start({ core, clock, log, metrics }, options))
    const times = new TokenTimes(clock, options.tokenLives)
    const fabric = parts.use(startFabric({ core, live, times, clock, log }, options))
    parts.use(new FabricMetrics(metrics, fabric))
    const { identity, apiAddress } = options
    const keys = new SigningKeys({ identity, apiAddress, longestLife: options.tokenLives.refresh }, clock)
    const verifier = new TokenVerifier({ keys, view: core.kit.view, clock })
    const network = () => signer.trusted
    const accessTokens = new OwnAccessTokens({ verifier, network, clock })
    const isControllerKey = (keyId: string) => keys.find(keyId) !== undefined
    const logins = new Logins({ kit: core.kit, clock, log, hasher, sealer, trust, isControllerKey }, options)
    const { externalTokens } = logins
    const callers = new CallerResolver({ view: core.kit.view, activity, clock, externalTokens, accessTokens })
    const common = new ApiCommon({ clock, metrics })
    const networkTokens = new NetworkTokens({ keys, verifier, clock, apiAddress })
    const { dispatcher } = events
    parts.use(new FabricEventFeed({ dispatcher, state: live, view: core.kit.view, writer: core.writer, clock }))
    const { controllerId, network: fabricOptions } = options
    const reportDeps = { registry: metrics, dispatcher, clock, log }
    parts.use(new MetricsReports(reportDeps, { controllerId, ...fabricOptions }))
    const routerMetrics = parts.use(new RouterMetrics(metrics, live.routers))
    const reports = new ReportEvents({ dispatcher, links: live.links, routerMetrics, clock })
    const apiAddresses = () => JSON.stringify(description(options).apiAddresses)
    const routerSide = { tokens: networkTokens, times, reports, activity, metrics }
    const meshDeps = { core, fabric, signer, keys, verifier, ...routerSide, clock, log }
    const mesh = parts.use(Mesh.start(meshDeps, { ...options, apiAddresses }))
    const shared = { core, clock, log, callers, invitations, signer, common, events }
    const snapshots = new Snapshots({ store: core.store, clock }, options)
    const { store, tables, registry, writer, kit } = core
    const integrity = parts.use(new IntegrityRuns({ store, tables, registry, writer, kit, snapshots, clock, log }))
    const database = { snapshots, integrity }
    const management = createManagementApi(
      { ...shared, hasher, activity, logins, database, tokens: networkTokens },
      options,
    )
    const clientDeps = { posture, enforcement, routerPresence: live.routers, tokens: networkTokens }
    const client = createClientApi({ ...shared, hasher, activity, logins, ...clientDeps }, options)
    const { routers: routerPresence, terminatorCosts } = live
    const operated = { links: new OperatedLinks(live.links), circuits: new OperatedCircuits(fabric) }
    const planeDeps = { core, fabric, mesh, events, callers, activity, metrics, clock, log }
    const { inspector, streams } = createManagementPlane(planeDeps, options)
    const fabricApi = createFabricApi(
      { ...shared, database, routerPresence, terminatorCosts, ...operated, inspector },
      options,
    )
    const health = parts.use(storeHealth({ store: core.store, clock }))
    const oidc = new OidcProvider(
      {
        kit,
        clock,
        log: log.child({ component: 'oidc' }),
        bodies: common.bodies,
        logins,
        keys,
        verifier,
        times,
        accessTokens,
        network,
        sessionCertificates: signer,
        onLogin: (event) => events.login(event),
        onTokens: (event) => events.tokens(event),
      },
      options,
    )
    const web = await openWebServers(
      { log, clock, management, client, fabric: fabricApi, streams, oidc, health, metrics, identity },
      options.web,
    )
    parts.use(web)
    // Before the web servers, which wait for connections that are in use.
    parts.use(streams)
    await mesh.listen(web)
    const users = certificateUsers({ core, web, mesh, invitations, signer, keys, log }, options)
    if (options.certificateSources !== undefined) {
      const loaded = { ...options, web: ownIdentities(options.web) }
      parts.use(await CertificateFiles.follow({ clock, log, users }, loaded, options.certificateSources))
    }
    return new Controller(core, web, live.routers, parts.move())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts[Symbol.asyncDispose]()
  }
}

/** Opens the core alone, with its built-ins: enough to prepare a database that nobody serves yet. */
export async function openCore(deps: ControllerDeps, options: ControllerOptions): Promise<Core> {
  const { clock, invitations } = deps
  const activity = new SessionActivity(clock)
  const hasher = new PasswordHasher()
  const signer = networkSigner(options)
  const trust = new CertificateTrust(() => signer.trusted)
  const live = new FabricState({ clock }, options.network)
  const offline = { posture: nothingReported, live }
  const resources = controllerResources({ invitations, activity, hasher, clock, trust, ...offline })
  const core = await Core.open(deps, { databaseFile: options.databaseFile, resources })
  await ensureBuiltIns(core.kit)
  return core
}

interface ControllerResourceDeps {
  readonly invitations: Invitations
  readonly activity: SessionActivity
  readonly hasher: PasswordHasher
  readonly clock: Clock
  readonly trust: CertificateTrust
  readonly posture: PostureReports
  readonly live: FabricState
}

/** The resources of a controller. */
export function controllerResources({ live, ...deps }: ControllerResourceDeps) {
  return allResources({
    ...deps,
    inviteToCa: (caId) => deps.invitations.inviteToCa(caId),
    tracing: new IdentityTracing(deps.clock),
    routerPresence: live.routers,
    presence: live.identities,
    terminatorCosts: live.terminatorCosts,
    circuits: live.circuits,
  })
}

interface FabricParts {
  readonly core: Core
  readonly live: FabricState
  readonly times: TokenTimes
  readonly clock: Clock
  readonly log: Logger
}

function startFabric({ core, live: state, times, clock, log }: FabricParts, { network }: ControllerOptions): Fabric {
  const { kit, writer } = core
  const terminatorFaults = new StoredTerminatorFaults({ kit })
  const fabricLog = log.child({ component: 'fabric' })
  return Fabric.start({ state, view: kit.view, writer, terminatorFaults, times, clock, log: fabricLog }, network)
}

function networkSigner({ identity, web, signing, trustDomain }: ControllerOptions): NetworkSigner {
  const anchors = [...ownIdentities(web).values()].flatMap(({ caBundle }) => caBundle)
  return new NetworkSigner({ signing, trustDomain, identity, anchors })
}

/** Of the web servers that have certificates of their own. */
function ownIdentities(web: readonly WebServerConfig[]): ReadonlyMap<string, Identity> {
  return new Map(web.flatMap(({ name, identity }) => (identity === undefined ? [] : [[name, identity] as const])))
}

interface RenewedParts {
  readonly core: Core
  readonly web: WebServers
  readonly mesh: Mesh
  readonly invitations: Invitations
  readonly signer: NetworkSigner
  readonly keys: SigningKeys
  readonly log: Logger
}

/** Who is told of renewed certificates: whoever serves or signs with them, and the list of controllers. */
function certificateUsers(
  { core, web, mesh, invitations, signer, keys, log }: RenewedParts,
  options: ControllerOptions,
): CertificateUsers {
  const inviting = clientServer(options.web, options.apiAddress)
  const invitingName = inviting?.identity === undefined ? undefined : inviting.name
  return {
    identityRenewed(identity, server) {
      web.renewTls(identity, server)
      if (server === invitingName) invitations.renew(identity)
      if (server !== undefined) return
      mesh.renewTls(identity)
      keys.renew(identity)
      core.kit
        .writeAsController((change) => describeController(change, description({ ...options, identity })))
        .catch((err) => log.error('the renewed certificate is not in the list of controllers', { err }))
    },
    signingRenewed: (signing) => signer.renew(signing),
  }
}

/** In the version document the fabric's address has no path, in the list of controllers every one has. */
function withPath(url: string, path: string): string {
  return url.endsWith(path) ? url : url + path
}

/** How this controller stands in the list of controllers. */
function description({ controllerId, identity, ctrlAddress, web }: ControllerOptions) {
  const { certificate } = identity.servers[0] ?? identity.client!
  const versions = apiVersions(web, (binding) => servedBindings.has(binding))
  const apiAddresses = Object.fromEntries(
    Object.entries(versions)
      .filter(([binding]) => binding !== 'edge' && binding !== 'health-checks')
      .map(([binding, { v1 }]) => [
        binding,
        v1.apiBaseUrls.map((url) => ({ url: withPath(url, v1.path), version: 'v1' })),
      ]),
  )
  const { pem: certPem, fingerprint } = certificate
  return { id: controllerId, name: controllerId, ctrlAddress, certPem, fingerprint, apiAddresses }
}

function commitObserver(metrics: WriterMetrics) {
  return (mutations: number, milliseconds: number) => {
    metrics.batchSize.observe(mutations)
    metrics.commit.observe(milliseconds / 1000)
  }
}

function forgetEndedSessions(commits: readonly Commit[], activity: SessionActivity): void {
  for (const { changes } of commits) {
    for (const { table, id, after } of changes) if (table === 'apiSessions' && after === undefined) activity.forget(id)
  }
}
