/**
 * A router: its parts, in the order in which they start. What listens starts before controllers are dialled, so that a
 * router that is known can be reached; at the end controllers are left first, and everything else follows backwards.
 */
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { dirname, resolve } from 'node:path'
import type { Surroundings } from '@weft/wire'
import { AgentSocket } from './agent/agent-socket.ts'
import { AlertReporter } from './alerts/alert-reporter.ts'
import type { ControlContext } from './control/control-context.ts'
import { type ControlLayerDeps, configuredAcceptor, configuredControllers } from './control/control-layer.ts'
import type { Controllers } from './control/controllers.ts'
import type { ModelSubscription } from './data-model/model-subscription.ts'
import { edgeListenersOf } from './edge-listeners.ts'
import { ConnectEvents } from './facts/connect-events.ts'
import { HealthMonitor } from './health/health-monitor.ts'
import { routerChecks } from './health/router-checks.ts'
import { findUncoveredHosts, UncoveredHostsError } from './identity/advertised-hosts.ts'
import { RouterIdentity } from './identity/router-identity.ts'
import { Inspector } from './inspection/inspector.ts'
import { routerInspections } from './inspection/router-inspections.ts'
import { InterfaceReporter } from './interfaces/interface-reporter.ts'
import { isLinkChannel } from './link/link-channel-name.ts'
import { LinkLayer } from './link/link-layer.ts'
import { UnservedRoutes } from './link/unserved-routes.ts'
import { ManagedLinks } from './managed/managed-links.ts'
import { MetricsReporter } from './metrics/metrics-reporter.ts'
import { MetricsRegistry } from './metrics/registry.ts'
import { UsageMeter } from './metrics/usage.ts'
import { routerOperations } from './operations.ts'
import { ProfileFiles } from './profile/profile-files.ts'
import { ChannelRenewals } from './renewal/channel-renewals.ts'
import type { RouterDeps, RouterOptions } from './router-options.ts'
import { expectController, linkReadings, openModel, proxyOf, startRenewal, verifyRouter } from './router-parts.ts'
import { tracersOf } from './trace/channel-tracer.ts'
import { PipeTraces } from './trace/pipe-traces.ts'
import { TraceFile } from './trace/trace-file.ts'
import { TlsPorts } from './transport/tls-ports.ts'
import { unservedSettings } from './unserved-settings.ts'
import { networkVersion } from './version.ts'
import { startWebServers } from './web/web-servers.ts'
import { WorkerPool } from './work/worker-pool.ts'

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
  const unserved = unservedSettings(config)
  if (unserved.length > 0) log.info('circuits are not carried yet; these settings have no effect', { unserved })
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

  const tracers = tracersOf(routerId, clock)
  const traces = new PipeTraces({
    routerId,
    *channels() {
      for (const { channel } of controllers.connected()) yield channel
      for (const { payloadChannel, ackChannel } of links.registry.links()) yield* new Set([payloadChannel, ackChannel])
    },
    tracerOf: ({ name }) => (isLinkChannel(name) ? tracers.link : tracers.ctrl),
  })

  const ports = parts.use(new TlsPorts({ identity: current, log }, config.tls))
  parts.use(identity.onChange((renewed) => ports.renew(renewed)))
  const proxy = proxyOf(config)
  const renewals = new ChannelRenewals()
  // Dialled at the very end; links that come before wait for it.
  const controlDeps: ControlLayerDeps = {
    ...{ routerId, identity: current, surroundings, proxy },
    listeners: () => links.listeners(),
    context: () => context,
    watch({ channel }) {
      trace?.watch(channel, tracers.ctrl)
      traces.add(channel)
    },
  }
  const controllers: Controllers = configuredControllers(controlDeps, ctrl)
  const links = parts.use(
    await LinkLayer.open(
      {
        ...{ routerId, identity: current, ports, pool, metrics, surroundings, proxy, random: Math.random },
        verifyRouter: (peerId, fingerprint) => verifyRouter(controllers, peerId, fingerprint),
        bind: (channel) => traces.add(channel),
      },
      { config: config.link, latencyProbeInterval: config.forwarder.latencyProbeInterval },
    ),
  )
  const model = parts.use(await openModel(deps, options, routerId, controllers, parts))
  const inspector = new Inspector(
    routerInspections({
      ...{ routerId, config, controllers, metrics, clock },
      links: links.registry,
      isReported: () => links.reports.isDone,
      model: () => model.model,
      managed: () => managed.inspect(),
      connectionsToldAt: () => events.toldAt,
    }),
  )
  const context: ControlContext = {
    ...{ controllers, model, renewals, traces },
    links: links.registry,
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
  const linkTarget = (linkId: string) => links.registry.get(linkId)?.facts.routerId
  parts.use(await startWebServers(config, baseDirectory, { ports, identity, health, metrics, linkTarget, clock, log }))

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
      { controllers: () => controllers.connected(), connected: () => [], now: () => clock.now() },
      config.connectEvents,
    ).start(),
  )
  const renewal = startRenewal(deps, options, identity, () => {
    const controller = controllers.forChanges()
    return controller === undefined ? undefined : renewals.over(controller)
  })
  if (renewal !== undefined) parts.use(renewal)

  const alerts = parts.use(
    new AlertReporter({
      async send(batch) {
        const controller = controllers.any()
        await controller?.send('alerts', { body: { alerts: batch } })
        return controller !== undefined
      },
      now: () => clock.now(),
      log,
    }),
  )
  const managed = new ManagedLinks(
    {
      links,
      alerts,
      applied() {
        const listeners = links.listeners()
        for (const controller of controllers.connected())
          controller.tell('updateLinkListeners', { body: { listeners } })
      },
    },
    { routerId, local: config.link, allow: config.managedConfig.allow },
  )
  model.follow((changed) => void managed.follow(changed))
  await managed.follow(model.model)

  // A router that only carries has no use for the model of the network.
  const isModelWanted = config.edge !== undefined || config.managedConfig.allow.length > 0
  if (isModelWanted) model.start()
  controllers.onConnect((connection) => {
    void alerts.flush()
    links.reports.add(connection)
    links.registry.dialWaiting()
    if (isModelWanted) model.check()
    if (config.edge !== undefined) events.add(connection)
    void interfaces?.look()
    void renewal?.check()
  })
  controllers.onDisconnect((connection) => {
    links.reports.remove(connection)
    if (isModelWanted) model.check()
  })
  expectController(controllers, ctrl.startupTimeout, deps, parts)
  await parts.use(configuredAcceptor({ ...controlDeps, controllers, ports }, ctrl)).listen()
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
