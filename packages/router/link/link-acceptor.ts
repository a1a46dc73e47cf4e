/**
 * The listening side of links: who may connect, and what becomes of the connections.
 *
 * Each connection is judged by its leaf, which must chain to the network's authorities; the router that it claims to come
 * from is then confirmed by a controller, which knows whose certificate it is. Until that answer nothing is read.
 */
import type { Identity } from '@weft/pki'
import {
  type Admission,
  type Channel,
  ChannelAcceptor,
  type ChannelPlan,
  type Connection,
  HelloRefusal,
  maxHellosOf,
  type ReceivedHello,
  type Surroundings,
} from '@weft/wire'
import { linkHello } from '@weft/wire/messages'
import type { LinkListenerConfig } from '../config/link-config.ts'
import { trustedLeaf } from '../identity/trusted-leaf.ts'
import { Link, type LinkChannels } from './link.ts'
import { linkChannelName } from './link-channel-name.ts'
import { linkKey } from './link-key.ts'
import type { LinkMeters } from './link-meters.ts'
import { planWithOptions } from './link-plan.ts'
import { SplitHalves } from './split-halves.ts'

export interface LinkAcceptorDeps {
  readonly routerId: string
  readonly identity: () => Identity
  readonly plan: ChannelPlan
  readonly meters: LinkMeters
  readonly surroundings: Surroundings
  /** Asks a controller whether the certificate is the router's; rejects when it is not, or nobody can tell. */
  readonly verifyRouter: (routerId: string, fingerprint: string) => Promise<void>
  /** Registers who handles what comes over a link, before anything is read. */
  readonly bind?: ((channel: Channel) => void) | undefined
  readonly accepted: (link: Link) => void
}

/** What the hello of a link says. */
type LinkHello = ReturnType<typeof readHello>

const connectionIdHeader = 0

export class LinkAcceptor implements AsyncDisposable {
  readonly #deps: LinkAcceptorDeps
  readonly #listener: LinkListenerConfig
  readonly #acceptor: ChannelAcceptor
  readonly #halves = new SplitHalves()

  constructor(deps: LinkAcceptorDeps, listener: LinkListenerConfig) {
    this.#deps = deps
    this.#listener = listener
    const maxHellos = maxHellosOf(listener.options)
    this.#acceptor = new ChannelAcceptor(
      {
        id: deps.routerId,
        helloTimeout: listener.options.connectTimeout,
        ...(maxHellos === undefined ? {} : { maxHellos }),
        admit: (hello) => this.#admit(hello),
      },
      deps.surroundings,
    )
  }

  accept(connection: Connection): void {
    this.#acceptor.accept(connection)
  }

  /** Ends what was accepted. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#halves[Symbol.dispose]()
    await this.#acceptor[Symbol.asyncDispose]()
  }

  #admit(hello: ReceivedHello): Admission {
    const { connection } = hello
    const said = readHello(hello)
    const { routerId, plan } = this.#deps
    if (said.dialedRouterId !== undefined && said.dialedRouterId !== routerId) {
      throw new HelloRefusal(`${said.dialedRouterId} is meant, and this is ${routerId}`)
    }
    trustedLeaf(connection, this.#deps.identity(), this.#deps.surroundings.clock.now())
    return {
      // Not the router that it says it is: until that is confirmed nobody may have more channels for having more names.
      identity: connection.fingerprint!,
      name: linkChannelName(said.linkId),
      plan: planWithOptions(plan, this.#listener.options, hello.group === undefined ? 'single' : 'grouped'),
      bind: (channel) => this.#bind(channel, said, hello),
    }
  }

  async #bind(channel: Channel, said: LinkHello, hello: ReceivedHello): Promise<void> {
    const { fingerprint, remoteAddress } = hello.connection
    try {
      await this.#deps.verifyRouter(said.routerId, fingerprint!)
    } catch (error) {
      throw new HelloRefusal(`${remoteAddress}: ${(error as Error).message}`)
    }
    this.#deps.bind?.(channel)
    if (said.half === undefined) {
      const kind = hello.group === undefined ? 'single' : 'grouped'
      this.#accepted({ kind, channel }, said)
      return
    }
    const connectionId = `${said.routerId} ${hello.headers.text(connectionIdHeader) ?? ''}`
    const pair = this.#halves.add(connectionId, said.half, channel)
    if (pair !== undefined) this.#accepted({ kind: 'split', ...pair }, said)
  }

  #accepted(channels: LinkChannels, said: LinkHello): void {
    const { linkId: id, routerId, routerVersion, iteration, dialerBinding } = said
    const { protocol } = this.#listener.advertise
    const key = linkKey({ dialerBinding, protocol, routerId, listenerBinding: this.#listener.bindInterface })
    const facts = { id, key, routerId, routerVersion, iteration, isDialed: false, protocol, dialAddress: '' }
    const { meters, surroundings, accepted } = this.#deps
    accepted(new Link(facts, channels, meters.take(id), surroundings.clock.monotonic()))
  }
}

const maxIdLength = 256

function readHello(hello: ReceivedHello) {
  const { headers } = hello
  const said = linkHello.decodeHeaders('hello', headers)
  const { routerId, routerVersion = '', dialerBinding = '', iteration = 0, linkId = hello.id } = said
  if (routerId === '' || linkId === '') throw new HelloRefusal('a link without ids')
  if ([routerId, linkId, dialerBinding, routerVersion].some(({ length }) => length > maxIdLength)) {
    throw new HelloRefusal('an id of the link is too long')
  }
  return { ...said, routerId, routerVersion, dialerBinding, iteration, linkId }
}
