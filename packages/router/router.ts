/**
 * A router: its parts, in the order in which they start. What listens starts before controllers are dialled, so that a
 * router that is known can be reached; at the end controllers are left first, and everything else follows backwards.
 */
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { dirname, resolve } from 'node:path'
import { DataModel, stateOf } from '@weft/model/data-model'
import type { Surroundings, WireLog } from '@weft/wire'
import { controlMessages } from '@weft/wire/messages'
import type { LogLevels } from './agent/agent-answers.ts'
import { type AgentAddress, AgentSocket } from './agent/agent-socket.ts'
import type { RouterConfig } from './config/router-config.ts'
import type { ControlContext } from './control/control-context.ts'
import { configuredControllers } from './control/control-layer.ts'
import type { Controllers } from './control/controllers.ts'
import { loadModelFile, ModelKeeper } from './data-model/model-file.ts'
import { ModelSubscription } from './data-model/model-subscription.ts'
import { edgeListenersOf } from './edge-listeners.ts'
import { IdentityFileError, identityFilesOf } from './enroll/identity-files.ts'
import { ConnectEvents } from './facts/connect-events.ts'
import { HealthMonitor } from './health/health-monitor.ts'
import { type LinkReadings, routerChecks } from './health/router-checks.ts'
import { findUncoveredHosts, UncoveredHostsError } from './identity/advertised-hosts.ts'
import { RouterIdentity } from './identity/router-identity.ts'
import { Inspector } from './inspection/inspector.ts'
import { routerInspections } from './inspection/router-inspections.ts'
import { InterfaceReporter } from './interfaces/interface-reporter.ts'
import type { Link } from './link/link.ts'
import { LinkLayer } from './link/link-layer.ts'
import { UnservedRoutes } from './link/unserved-routes.ts'
import { MetricsReporter } from './metrics/metrics-reporter.ts'
import { MetricsRegistry } from './metrics/registry.ts'
import { UsageMeter } from './metrics/usage.ts'
import { routerOperations } from './operations.ts'
import { ProfileFiles } from './profile/profile-files.ts'
import { CertificateRenewal, type RenewalController } from './renewal/certificate-renewal.ts'
import { ChannelRenewals } from './renewal/channel-renewals.ts'
import { TraceFile } from './trace/trace-file.ts'
import { TlsPorts } from './transport/tls-ports.ts'
import { networkVersion } from './version.ts'
import { startWebServers } from './web/web-servers.ts'
import { WorkerPool } from './work/worker-pool.ts'

export interface RouterDeps {
  readonly clock: { now(): number; monotonic(): number }
  readonly log: WireLog
  readonly levels: LogLevels
  /** The router cannot go on: whoever runs it should end it. */
  readonly onFailure: (error: Error) => void
}

export interface RouterOptions {
  readonly config: RouterConfig
  /** What relative paths of the configuration are relative to. */
  readonly baseDirectory: string
  /** The local socket of operators; left out for none. */
  readonly agent?: { readonly address: AgentAddress; readonly alias: string }
  /** Whether certificates are renewed at once. */
  readonly isRenewalForced?: boolean
  /** Whether the local socket offers what is only for tests, whatever the configuration says. */
  readonly isDebugging?: boolean
}

/** No controller took the router in within the time that its configuration allows. */
export class StartupTimeoutError extends Error {
  readonly code = 'STARTUP_TIMEOUT'

  constructor(milliseconds: number) {
    super(`no controller was reached within ${milliseconds / 1_000} s (ctrl.startupTimeout)`)
    this.name = 'StartupTimeoutError'
  }
}

const verificationPatience = 10_000

export class Router implements AsyncDisposable {
  readonly routerId: string
  readonly controllers: Controllers
  readonly links: LinkLayer
  readonly model: ModelSubscription
  readonly #parts: AsyncDisposableStack

  private constructor(
    facts: { routerId: string; controllers: Controllers; links: LinkLayer; model: ModelSubscription },
    parts: AsyncDisposableStack,
  ) {
    this.routerId = facts.routerId
    this.controllers = facts.controllers
    this.links = facts.links
    this.model = facts.model
    this.#parts = parts
  }

  /** A running router, which may not have reached a controller yet; or rejects with nothing left open. */
  static async start(deps: RouterDeps, options: RouterOptions): Promise<Router> {
    await using starting = new AsyncDisposableStack()
    const router = await startParts(deps, options, starting)
    return new Router(router, starting.move())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync()
  }
}

async function startParts(deps: RouterDeps, options: RouterOptions, parts: AsyncDisposableStack) {
  const { clock, log } = deps
  const { config, baseDirectory } = options
  const surroundings: Surroundings = { clock, log, randomBytes: (size) => randomBytes(size) }
  const ctrl = { ...config.ctrl, endpointsFile: resolve(baseDirectory, config.ctrl.endpointsFile) }
  await mkdir(dirname(ctrl.endpointsFile), { recursive: true, mode: 0o700 })

  const identity = parts.use(await RouterIdentity.load({ clock, log }, { section: config.identity, baseDirectory }))
  const uncovered = findUncoveredHosts(config, identity.current)
  if (uncovered.length > 0) throw new UncoveredHostsError(uncovered)
  const { routerId } = identity
  const current = () => identity.current

  const metrics = parts.use(new MetricsRegistry({ monotonic: () => clock.monotonic(), random: Math.random }).start())
  const pool = parts.use(
    new WorkerPool(
      { metrics, monotonic: () => clock.monotonic(), log },
      {
        name: 'pool.link.dialer',
        queueLength: config.forwarder.linkDialQueueLength,
        workers: config.forwarder.linkDialWorkerCount,
      },
    ),
  )
  if (config.profile !== undefined) parts.use(await ProfileFiles.start({ baseDirectory, log }, config.profile))
  const tracePath = config.trace?.path
  const trace =
    tracePath === undefined ? undefined : parts.use(await TraceFile.open(resolve(baseDirectory, tracePath), log))

  const ports = parts.use(new TlsPorts({ identity: current, log }, config.tls))
  parts.use(identity.onChange((renewed) => ports.renew(renewed)))
  const proxy = proxyOf(config)
  const links = parts.use(
    await LinkLayer.open(
      {
        ...{ routerId, identity: current, ports, pool, metrics, surroundings, proxy, random: Math.random },
        verifyRouter: (peerId, fingerprint) => verifyRouter(controllers, peerId, fingerprint),
      },
      { config: config.link, latencyProbeInterval: config.forwarder.latencyProbeInterval },
    ),
  )
  const model = parts.use(await openModel(deps, options, routerId, () => controllers, parts))
  const renewals = new ChannelRenewals()
  const controllers: Controllers = configuredControllers(
    {
      ...{ routerId, identity: current, surroundings, proxy },
      listeners: () => links.listeners(),
      context: () => context,
      watch: ({ channel }) =>
        trace?.watch(channel, {
          identity: routerId,
          protocol: 'ctrl',
          nameOf: (type) => controlMessages.nameOf(type),
          now: () => clock.now(),
        }),
    },
    ctrl,
  )
  const inspector = new Inspector(
    routerInspections({
      ...{ config, controllers, metrics, clock },
      links: links.registry,
      isReported: () => links.reports.isDone,
      model: () => model.model,
    }),
  )
  const context: ControlContext = {
    ...{ controllers, model, renewals },
    links: links.registry,
    linkReports: links.reports,
    edgeListeners: () => edgeListenersOf(config),
    inspect: (names) => inspector.inspect(names),
    routes: new UnservedRoutes({ links: links.registry, reports: links.reports }),
    terminators: { isHosted: () => false },
  }

  const health = parts.use(
    new HealthMonitor(
      routerChecks(
        {
          controllers: () => controllers.connected(),
          links: () => [...links.registry.links()].map(linkReadings),
        },
        config.healthChecks,
      ),
      clock,
    ).start(),
  )
  parts.use(await startWebServers(config, baseDirectory, { identity, health, metrics, clock, log }))

  const reporting = { routerId, ...config.metrics }
  const usage = new UsageMeter({ now: () => clock.now(), length: config.metrics.reportInterval })
  const receivers = () =>
    controllers.connected().map((controller) => ({
      send: async (body: Parameters<typeof controller.send<'metrics'>>[1]['body']) => {
        await controller.send('metrics', { body })
        return true
      },
    }))
  parts.use(
    new MetricsReporter({ registry: metrics, usage, receivers, now: () => clock.now(), log }, reporting).start(),
  )
  const interfaces = config.interfaceDiscovery.disabled
    ? undefined
    : parts.use(
        new InterfaceReporter(
          {
            interfaces: networkInterfaces,
            report: async (found) => {
              const answer = await controllers
                .forChanges()
                ?.request('updateRouterInterfaces', { body: { interfaces: found } })
              return answer?.message.success ?? false
            },
            monotonic: () => clock.monotonic(),
            log,
          },
          config.interfaceDiscovery,
        ).start(),
      )
  const events = parts.use(
    new ConnectEvents(
      { controllers: () => controllers.connected(), connected: () => [] },
      config.connectEvents,
    ).start(),
  )
  const renewal = startRenewal(deps, options, identity, () => {
    const controller = controllers.forChanges()
    return controller === undefined ? undefined : renewals.over(controller)
  })
  if (renewal !== undefined) parts.use(renewal)

  controllers.onConnect((connection) => {
    links.reports.add(connection)
    model.check()
    if (config.edge !== undefined) events.add(connection)
    void interfaces?.look()
    void renewal?.check()
  })
  controllers.onDisconnect((connection) => {
    links.reports.remove(connection)
    model.check()
  })
  expectController(controllers, ctrl.startupTimeout, deps, parts)
  parts.use(controllers.start())
  if (options.agent !== undefined) {
    const { address, alias } = options.agent
    const isDebugging = options.isDebugging === true || config.enableDebugOps
    const operations = routerOperations({ controllers, links: links.registry, inspector }, isDebugging)
    const app = { id: routerId, alias, version: networkVersion }
    parts.use(await AgentSocket.open({ app, operations, levels: deps.levels, log }, address))
  }
  return { routerId, controllers, links, model }
}

/** The model of the last run serves until a controller sends a newer one. */
async function openModel(
  { clock, log }: RouterDeps,
  { config, baseDirectory }: RouterOptions,
  routerId: string,
  controllers: () => Controllers,
  parts: AsyncDisposableStack,
): Promise<ModelSubscription> {
  const path = config.edge === undefined ? undefined : resolve(baseDirectory, config.edge.db)
  const kept =
    path === undefined
      ? undefined
      : await loadModelFile(path).catch((err: unknown) => {
          log.warn('the kept data model cannot be used; a controller will send it', { path, err })
          return undefined
        })
  const model = new ModelSubscription(
    {
      controllers: {
        any: () => controllers().any(),
        forgetIndexes: () => controllers().forgetIndexes(),
      },
      clock,
      log,
    },
    { routerId, kept: kept === undefined ? undefined : DataModel.of(kept, { routerId }) },
  ).start()
  if (path !== undefined && config.edge !== undefined) {
    const keptModel = {
      get revision() {
        return model.revision
      },
      state: () => stateOf(model.model),
    }
    parts.use(new ModelKeeper({ model: keptModel, log }, { path, interval: config.edge.dbSaveInterval }).start())
  }
  return model
}

/** Certificates that do not lie in files of their own are renewed by whoever put them there. */
function startRenewal(
  { clock, log }: RouterDeps,
  { config, baseDirectory, isRenewalForced = false }: RouterOptions,
  identity: RouterIdentity,
  controller: () => RenewalController | undefined,
): CertificateRenewal | undefined {
  try {
    const files = identityFilesOf(config.identity, baseDirectory)
    const deps = { identity, controller, now: () => clock.now(), log }
    return new CertificateRenewal(deps, { csr: config.csr, files, isForced: isRenewalForced }).start()
  } catch (err) {
    if (!(err instanceof IdentityFileError)) throw err
    log.warn('the router does not renew its certificates by itself', { err })
    return undefined
  }
}

async function verifyRouter(controllers: Controllers, routerId: string, fingerprint: string): Promise<void> {
  const controller = await controllers.whenAny(verificationPatience)
  if (controller === undefined) throw new Error(`no controller can confirm who ${routerId} is`)
  const { message } = await controller.request(
    'verifyRouter',
    { body: { routerId, fingerprints: [fingerprint] } },
    { timeoutMilliseconds: verificationPatience },
  )
  if (!message.success) throw new Error(`${routerId} is not who it says: ${message.body}`)
}

/** A router that never reaches a controller is of no use, and whoever started it should know. */
function expectController(
  controllers: Controllers,
  timeout: number,
  { onFailure }: RouterDeps,
  parts: AsyncDisposableStack,
): void {
  if (timeout <= 0) return
  const timer = setTimeout(() => onFailure(new StartupTimeoutError(timeout)), timeout)
  controllers.onConnect(() => clearTimeout(timer))
  parts.defer(() => clearTimeout(timer))
}

function linkReadings(link: Link): LinkReadings {
  const ends = link.connState().conns.map(({ type, ...addresses }) => [type, addresses] as const)
  return {
    linkId: link.id,
    destRouterId: link.facts.routerId,
    latency: link.metrics.latency.distribution().mean,
    addresses: Object.fromEntries(ends),
  }
}

function proxyOf({ proxy }: RouterConfig) {
  if (proxy === undefined) return undefined
  const { address, username, password } = proxy
  return {
    host: address.host,
    port: address.port,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  }
}
