/**
 * The mesh: everything that has to do with routers, put together.
 *
 *   RouterDataModel  what routers are told of the network
 *   PeerStates       what they are told of each other
 *   ControlPlane     the channels over which they are told, and report
 */
import type { TLSSocket } from 'node:tls'
import type { Identity } from '@weft/pki'
import { parseAddress, TlsPort, tlsConnection } from '@weft/wire'
import type { Registry as MetricsRegistry } from 'prom-client'
import type { WebServers } from './api/web-servers.ts'
import { caCertificate } from './auth/certificate-trust.ts'
import type { SessionActivity } from './auth/session-activity.ts'
import type { NetworkTokens } from './auth/tokens/network-tokens.ts'
import type { SigningKeys } from './auth/tokens/signing-keys.ts'
import type { TokenTimes } from './auth/tokens/token-times.ts'
import type { TokenVerifier } from './auth/tokens/token-verifier.ts'
import type { Clock } from './clock.ts'
import type { ControlChannelOptions } from './control/control-channel-options.ts'
import type { ControlConnection } from './control/control-connection.ts'
import type { RouterReports } from './control/control-context.ts'
import { ControlDoor } from './control/control-door.ts'
import { ControlPlane } from './control/control-plane.ts'
import { addressTeller } from './control/controller-addresses.ts'
import { RouterDataModel, type RouterDataModelOptions } from './control/data-model/router-data-model.ts'
import { ModelSubscriptions } from './control/data-model/subscriptions.ts'
import { RouterDialer, type RouterDialerOptions } from './control/dialing/router-dialer.ts'
import { HealthChecks } from './control/edge/health-checks.ts'
import { HostSessions } from './control/edge/host-sessions.ts'
import { TunnelerSessions } from './control/edge/tunneler-sessions.ts'
import { greetEdgeRouter } from './control/edge-greeting.ts'
import { controlHandlers } from './control/messages/index.ts'
import { PeerStates } from './control/peer-states.ts'
import { tellConnected } from './control/reports/router-connected.ts'
import { SessionSync } from './control/sessions/session-sync.ts'
import { TerminatorValidation } from './control/terminator-validation.ts'
import { ChannelTraces } from './control/traces/channel-traces.ts'
import { CircuitTraces } from './control/traces/circuit-traces.ts'
import type { Core } from './core/core.ts'
import type { NetworkSigner } from './enroll/network-signer.ts'
import type { Fabric } from './fabric/fabric.ts'
import type { Logger } from './log/logger.ts'
import type { TableRows } from './state/row.ts'
import type { RowChange } from './state/view.ts'

/** By it a client says on a shared port that it is a router. */
const CONTROL_PROTOCOL = 'ziti-ctrl'

export interface MeshDeps {
  readonly core: Core
  readonly fabric: Fabric
  readonly signer: NetworkSigner
  readonly keys: SigningKeys
  readonly verifier: TokenVerifier
  readonly tokens: NetworkTokens
  readonly times: TokenTimes
  readonly reports: RouterReports
  readonly activity: SessionActivity
  readonly metrics: MetricsRegistry
  readonly clock: Clock
  readonly log: Logger
}

export interface MeshOptions {
  readonly controllerId: string
  readonly identity: Identity
  /** Where routers connect, `tls:host:port`, and where they are told to. Without it none can. */
  readonly ctrlListener?: string
  readonly ctrlAddress: string
  /** Where they are to connect from now on, when that is somewhere else. */
  readonly newCtrlListener?: string
  /** JSON: addresses and versions by API binding. */
  readonly apiAddresses: () => string
  readonly sessions: { readonly sessionTimeout: number }
  /** How channels with routers behave, where it is not as usual. */
  readonly ctrlChannels?: ControlChannelOptions
  readonly dataModel?: RouterDataModelOptions
  /** How routers are dialled that listen for controllers; without it none is. */
  readonly ctrlDialer?: RouterDialerOptions
}

export class Mesh implements AsyncDisposable {
  readonly #fabric: Fabric
  readonly #door: ControlDoor
  readonly model: RouterDataModel
  readonly plane: ControlPlane
  readonly peers: PeerStates
  readonly traces: ChannelTraces
  readonly circuitTraces: CircuitTraces
  readonly validation: TerminatorValidation
  /** Undefined where routers are not dialled. */
  readonly dialer: RouterDialer | undefined
  readonly #options: MeshOptions
  readonly #log: Logger
  readonly #parts: AsyncDisposableStack
  #port: TlsPort | undefined
  #identity: Identity

  private constructor(deps: MeshDeps, options: MeshOptions, parts: AsyncDisposableStack) {
    const { core, fabric, signer, keys, reports, clock } = deps
    const { kit, writer, tables, registry, store } = core
    const log = deps.log.child({ component: 'control' })
    this.#options = options
    this.#identity = options.identity
    this.#fabric = fabric
    this.#log = log
    this.#parts = parts
    const view = kit.view
    const certificates = {
      signing: () => keys.certificates().map(({ der }) => der),
      *authorities() {
        for (const { der } of signer.trusted.roots) yield der
        for (const ca of tables.rows('cas')) if (ca.isVerified) yield caCertificate(ca).der
      },
    }
    const specs = registry.specs
    this.model = parts.use(
      new RouterDataModel({ view, specs, writer, certificates, head: store.head }, options.dataModel),
    )
    const peers = parts.use(new PeerStates({ view, routers: fabric.state.routers, log }))
    const routers = fabric.state.routers
    const validation = parts.use(new TerminatorValidation({ kit, routers, clock, log }))
    this.validation = validation
    const { controllerId } = options
    this.peers = peers
    this.traces = parts.use(new ChannelTraces({ routers, clock }, { controllerId }))
    const { circuits } = fabric.state
    const traced = { circuits, routers, traces: this.traces, view, log }
    this.circuitTraces = parts.use(new CircuitTraces(traced))
    const clientTokens = { verifier: deps.verifier, tokens: deps.tokens, clock }
    const { activity } = deps
    const subscriptions = parts.use(new ModelSubscriptions({ model: this.model, clock, log }))
    const sessions = parts.use(new SessionSync({ view, writer, clock, log }))
    const { removal } = fabric
    parts.use(HostSessions.start({ kit, writer, times: deps.times, removal, clock, log }))
    const tunnelerSessions = new TunnelerSessions({ kit, activity }, options.sessions)
    const tellAddresses = addressTeller(options, store.head.index)
    const context = {
      kit,
      fabric,
      model: this.model,
      peers,
      signer,
      clock,
      log,
      reports,
      validation,
      clientTokens,
      controllerId,
      subscriptions,
      sessions,
      activity,
      tunnelerSessions,
      healthChecks: new HealthChecks(deps.metrics),
      tellAddresses,
      circuitTraces: this.circuitTraces,
    }
    const syncSessions = (connection: ControlConnection) => sessions.sync(connection)
    this.plane = parts.use(
      new ControlPlane(
        {
          ...context,
          network: () => signer.trusted,
          identity: () => this.#identity,
          handlers: controlHandlers,
          greetings: [
            tellAddresses,
            greetEdgeRouter({ ...context, syncSessions }),
            ({ routerId }) => validation.queueAll(routerId),
            tellConnected(context),
          ],
          repetitions: [(connection) => peers.repeat(connection), syncSessions],
        },
        options,
      ),
    )
    const { acceptor } = this.plane
    const { ctrlDialer } = options
    const dial = (...dialled: Parameters<ControlPlane['dial']>) => this.plane.dial(...dialled)
    this.dialer =
      ctrlDialer &&
      parts.use(new RouterDialer({ view, writer, routers, dial, clock, random: Math.random, log }, ctrlDialer))
    this.#door = new ControlDoor({ view, log, accept: (connection) => acceptor.accept(connection) })
    parts.defer(
      writer.follow((commits) => {
        for (const { changes } of commits) for (const change of changes) this.#routerChanged(change, peers)
      }),
    )
  }

  static start(deps: MeshDeps, options: MeshOptions): Mesh {
    using opened = new DisposableStack()
    const parts = new AsyncDisposableStack()
    opened.defer(() => void parts[Symbol.asyncDispose]())
    const mesh = new Mesh(deps, options, parts)
    opened.move()
    return mesh
  }

  /** Lets routers in, and begins to dial those that are to be dialled. */
  async listen(web: WebServers): Promise<void> {
    if (this.#options.ctrlListener !== undefined) await this.#listenAt(this.#options.ctrlListener, web)
    this.dialer?.start()
  }

  /** Shows routers other certificates from now on. */
  renewTls(identity: Identity): void {
    this.#identity = identity
    this.#port?.renew({ servers: identity.servers })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts[Symbol.asyncDispose]()
  }

  /** At a web server's port where they share it, otherwise at one of their own. */
  async #listenAt(ctrlListener: string, web: WebServers): Promise<void> {
    const { host, port } = parseAddress(ctrlListener)
    const accept = (socket: TLSSocket) => {
      const onClose = (closed: () => void) => void socket.once('close', closed)
      this.#door.enter({ connection: tlsConnection(socket), onClose })
    }
    const shared = web.take(ctrlListener.slice(ctrlListener.indexOf(':') + 1), CONTROL_PROTOCOL, accept)
    if (shared) return
    const { handshakeTimeout, handshakeWindow } = this.#options.ctrlChannels ?? {}
    const bounds = { ...(handshakeTimeout !== undefined && { handshakeTimeout }), handshakeWindow }
    const tls = { servers: this.#identity.servers }
    this.#port = await TlsPort.open({ host, port, tls, ...bounds }, { log: this.#log })
    this.#parts.use(this.#port)
    this.#port.register([CONTROL_PROTOCOL, ''], { requiresCertificate: true, accept })
    this.#log.info('routers connect here', { address: ctrlListener })
  }

  /** A router that is deleted, disabled or to enroll again loses its channel at once. */
  #routerChanged({ table, id, before, after }: RowChange, peers: PeerStates): void {
    if (table !== 'routers') return
    const connection = this.#fabric.state.routers.get(id)?.connection
    if (after === undefined) {
      connection?.close('the router was deleted')
      if (before !== undefined) peers.removed(id)
    } else {
      const { disabled, fingerprint } = after as TableRows['routers']
      if (disabled) connection?.close('the router was disabled')
      else if (fingerprint === null) connection?.close('the router has to enroll again')
    }
  }
}
