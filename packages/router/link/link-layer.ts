/**
 * Everything about links, put together: the listeners where other routers connect, the registry that dials and keeps
 * them, and the reports to controllers.
 */
import type { Identity } from '@weft/pki'
import type { Channel, HttpProxy, Surroundings } from '@weft/wire'
import type { LinkListener } from '@weft/wire/messages'
import type { LinkConfig, LinkListenerConfig } from '../config/link-config.ts'
import type { MetricsRegistry } from '../metrics/registry.ts'
import type { TlsPorts } from '../transport/tls-ports.ts'
import type { WorkerPool } from '../work/worker-pool.ts'
import { linkDialer } from './dial-link.ts'
import { LinkAcceptor } from './link-acceptor.ts'
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

export class LinkLayer implements AsyncDisposable {
  readonly registry: LinkRegistry
  readonly reports: LinkReports
  readonly #listening = new AsyncDisposableStack()
  readonly #published: readonly LinkListener[]

  private constructor(registry: LinkRegistry, reports: LinkReports, published: readonly LinkListener[]) {
    this.registry = registry
    this.reports = reports
    this.#published = published
  }

  /** Rejects, with nothing left open, when a listener cannot listen. */
  static async open(deps: LinkLayerDeps, { config, latencyProbeInterval }: LinkLayerOptions): Promise<LinkLayer> {
    const { routerId, identity, pool, surroundings, proxy, random, bind } = deps
    const { clock, log } = surroundings
    const meters = new LinkMeters(deps.metrics)
    const plan = planOfLinks({ config, latencyProbeInterval })
    const reports = new LinkReports({ dialedLinks: () => registry.dialedLinks(), log })
    const dial = linkDialer({ routerId, identity, plan, meters, surroundings, proxy, bind })
    const registry: LinkRegistry = new LinkRegistry(
      { routerId, dial, pool, meters, follower: reports, clock, random, log },
      config.dialers,
    )
    const layer = new LinkLayer(registry, reports, config.listeners.map(published))
    try {
      for (const listener of config.listeners) {
        const accepted = (link: Parameters<LinkRegistry['accepted']>[0]) => registry.accepted(link)
        const { verifyRouter } = deps
        const acceptor = new LinkAcceptor(
          { routerId, identity, plan, meters, surroundings, verifyRouter, bind, accepted },
          listener,
        )
        await layer.#listen(deps.ports, listener, acceptor)
      }
    } catch (error) {
      await layer[Symbol.asyncDispose]()
      throw error
    }
    registry.start()
    return layer
  }

  /** Where other routers connect, as controllers are told. */
  listeners(): readonly LinkListener[] {
    return this.#published
  }

  /** First nobody comes in any more, then what there is ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listening.disposeAsync()
    await this.registry[Symbol.asyncDispose]()
  }

  async #listen(ports: TlsPorts, { bind }: LinkListenerConfig, acceptor: LinkAcceptor): Promise<void> {
    if (bind.protocol !== 'tls') {
      throw new LinkListenerError(bind.text, `links are accepted over tls only, not over ${bind.protocol}`)
    }
    this.#listening.use(acceptor)
    const port = await ports.at(bind)
    this.#listening.use(port.registerChannels([protocol], (connection) => acceptor.accept(connection)))
  }
}

function published({ advertise, groups, bindInterface }: LinkListenerConfig): LinkListener {
  return { address: advertise.text, protocol: advertise.protocol, groups, localBinding: bindInterface }
}
