/**
 * Everything about links, put together: the listeners where other routers connect, the registry that dials and keeps
 * them, and the reports to controllers. It can be configured anew while it runs; links that still fit stay.
 */
import type { TLSSocket } from 'node:tls'
import type { Identity } from '@weft/pki'
import { type Channel, type ChannelPlan, type HttpProxy, type Surroundings, tlsConnection } from '@weft/wire'
import type { LinkListener } from '@weft/wire/messages'
import type { LinkConfig, LinkListenerConfig } from '../config/link-config.ts'
import type { MetricsRegistry } from '../metrics/registry.ts'
import type { TlsPorts } from '../transport/tls-ports.ts'
import type { WorkerPool } from '../work/worker-pool.ts'
import { linkDialer } from './dial-link.ts'
import { LinkAcceptor } from './link-acceptor.ts'
import { LinkDoor } from './link-door.ts'
import { LinkMeters } from './link-meters.ts'
import { planOfLinks } from './link-plan.ts'
import { LinkRegistry } from './link-registry.ts'
import { LinkReports } from './link-reports.ts'

export interface LinkLayerDeps {
  readonly routerId: string
  readonly identity: () => Identity
  readonly ports: TlsPorts
  readonly pool: WorkerPool
  readonly metrics: MetricsRegistry
  readonly surroundings: Surroundings
  readonly proxy: HttpProxy | undefined
  readonly random: () => number
  readonly verifyRouter: (routerId: string, fingerprint: string) => Promise<void>
  /** Registers who handles what comes over a link, before anything is read. */
  readonly bind?: ((channel: Channel) => void) | undefined
}

export interface LinkLayerOptions {
  readonly config: LinkConfig
  readonly latencyProbeInterval: number | undefined
}

/** A listener that this runtime cannot serve. */
export class LinkListenerError extends Error {
  readonly code = 'LINK_LISTENER'

  constructor(address: string, detail: string) {
    super(`link listener ${address}: ${detail}`)
    this.name = 'LinkListenerError'
  }
}

const protocol = 'ziti-link'

/** A listener that is open. */
interface OpenListener extends AsyncDisposable {
  readonly config: LinkListenerConfig
  readonly published: LinkListener
}

export class LinkLayer implements AsyncDisposable {
  readonly registry: LinkRegistry
  readonly reports: LinkReports
  readonly #deps: LinkLayerDeps
  readonly #latencyProbeInterval: number | undefined
  readonly #meters: LinkMeters
  readonly #door: LinkDoor
  readonly #listeners = new Map<string, OpenListener>()
  #plan: ChannelPlan

  private constructor(deps: LinkLayerDeps, { config, latencyProbeInterval }: LinkLayerOptions) {
    const { clock, log } = deps.surroundings
    this.#deps = deps
    this.#latencyProbeInterval = latencyProbeInterval
    this.#meters = new LinkMeters(deps.metrics)
    this.#door = new LinkDoor(log)
    this.#plan = planOfLinks({ config, latencyProbeInterval })
    const faults = deps.metrics.meter('faults.link')
    this.reports = new LinkReports({ dialedLinks: () => this.registry.dialedLinks(), faults, log })
    const dial = linkDialer({ ...deps, meters: this.#meters, plan: () => this.#plan })
    this.registry = new LinkRegistry({ ...deps, dial, meters: this.#meters, follower: this.reports, clock, log }, [])
  }

  /** Rejects, with nothing left open, when a listener cannot listen. */
  static async open(deps: LinkLayerDeps, options: LinkLayerOptions): Promise<LinkLayer> {
    const layer = new LinkLayer(deps, options)
    try {
      await layer.apply(options.config)
    } catch (error) {
      await layer[Symbol.asyncDispose]()
      throw error
    }
    layer.registry.start()
    return layer
  }

  /** Where other routers connect, as controllers are told. */
  listeners(): readonly LinkListener[] {
    return [...this.#listeners.values()].map(({ published }) => published)
  }

  /**
   * Other listeners and dialers from now on. Rejects when a new listener cannot listen; then everything is as before,
   * except that links over a listener that was to change have to be made anew.
   */
  async apply(config: LinkConfig): Promise<void> {
    const plan = planOfLinks({ config, latencyProbeInterval: this.#latencyProbeInterval })
    const wanted = new Map(config.listeners.map((listener) => [JSON.stringify(listener), listener]))
    const added = [...wanted].filter(([text]) => !this.#listeners.has(text))
    const removed = [...this.#listeners].filter(([text]) => !wanted.has(text))
    const places = new Set(added.map(([, { bind }]) => bind.text))
    // Two cannot listen in one place: what stands there goes first, and comes back if the other cannot.
    const inTheWay = removed.filter(
      ([
        ,
        {
          config: { bind },
        },
      ]) => places.has(bind.text),
    )
    for (const [text] of inTheWay) await this.#close(text)
    const opened: string[] = []
    try {
      for (const [text, listener] of added) {
        this.#listeners.set(text, await this.#listen(listener, plan))
        opened.push(text)
      }
    } catch (error) {
      for (const text of opened) await this.#close(text)
      for (const [text, former] of inTheWay) this.#listeners.set(text, await this.#listen(former.config, this.#plan))
      throw error
    }
    this.#plan = plan
    for (const [text] of removed) await this.#close(text)
    this.registry.setDialers(config.dialers)
  }

  /** First nobody comes in any more, then what there is ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const listener of this.#listeners.values()) await listener[Symbol.asyncDispose]()
    await this.registry[Symbol.asyncDispose]()
  }

  async #close(text: string): Promise<void> {
    const listener = this.#listeners.get(text)
    this.#listeners.delete(text)
    await listener?.[Symbol.asyncDispose]()
  }

  async #listen(config: LinkListenerConfig, plan: ChannelPlan): Promise<OpenListener> {
    const { bind, advertise, groups, bindInterface } = config
    if (bind.protocol !== 'tls') {
      throw new LinkListenerError(bind.text, `links are accepted over tls only, not over ${bind.protocol}`)
    }
    await using opening = new AsyncDisposableStack()
    const { port } = opening.use(await this.#deps.ports.use(bind))
    const accepted = (link: Parameters<LinkRegistry['accepted']>[0]) => this.registry.accepted(link)
    const acceptor = opening.use(new LinkAcceptor({ ...this.#deps, meters: this.#meters, plan, accepted }, config))
    const accept = (socket: TLSSocket) => {
      const connection = tlsConnection(socket)
      if (this.#door.enter(connection, (closed) => socket.once('close', closed))) acceptor.accept(connection)
    }
    opening.use(port.register([protocol], { requiresCertificate: true, accept }))
    const stack = opening.move()
    const { text: address, protocol: transport } = advertise
    return {
      config,
      published: { address, protocol: transport, groups, localBinding: bindInterface },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  }
}
