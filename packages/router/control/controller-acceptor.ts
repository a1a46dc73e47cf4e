/**
 * Where controllers connect that dial their routers. The parts of the hello are swapped: the controller says what its answer
 * would say, and the answer says what the router's hello would. Each connection is judged by its leaf, and a controller
 * has one channel: whether a further one is wanted is decided before anything is answered.
 */
import type { Identity } from '@weft/pki'
import {
  type Admission,
  type Channel,
  ChannelAcceptor,
  type ChannelPlan,
  type Connection,
  type Headers,
  HelloRefusal,
  maxHellosOf,
  type ReceivedHello,
  type Surroundings,
} from '@weft/wire'
import { MessageError } from '@weft/wire/messages'
import type { CtrlConfig } from '../config/router-config.ts'
import { isCovered } from '../identity/advertised-hosts.ts'
import type { TlsPorts } from '../transport/tls-ports.ts'
import { planOfControl } from './control-plan.ts'
import { ControllerConnection } from './controller-connection.ts'
import { ControllerTrust } from './controller-trust.ts'
import { type ControllerFacts, readControllerHello, UnfitControllerError } from './router-hello.ts'

export interface ControllerAcceptorDeps {
  readonly routerId: string
  readonly identity: () => Identity
  readonly ports: Pick<TlsPorts, 'use'>
  /** What the router says of itself; asked for each answer. */
  readonly routerHello: () => Headers
  /** Why a controller may not connect now; undefined when it may. */
  readonly refusalOf: (controllerId: string) => string | undefined
  /** Registers handlers, before anything is read. */
  readonly bind: (connection: ControllerConnection) => void
  /** Puts the channel to use; false when it is not wanted. */
  readonly accepted: (connection: ControllerConnection) => boolean
  readonly surroundings: Surroundings
}

export type ControllerAcceptorOptions = Pick<CtrlConfig, 'listeners' | 'heartbeats' | 'defaultRequestTimeout'>
type ControlListener = CtrlConfig['listeners'][number]

/** A listener that this runtime cannot serve. */
export class ControlListenerError extends Error {
  readonly code = 'CTRL_LISTENER'

  constructor(address: string, detail: string) {
    super(`ctrl listener ${address}: ${detail}`)
    this.name = 'ControlListenerError'
  }
}

const protocol = 'ziti-ctrl'
/** A controller has one; those that it has lost may not have been noticed yet. */
const mostChannels = 4

export class ControllerAcceptor implements AsyncDisposable {
  readonly trust: ControllerTrust
  readonly #deps: ControllerAcceptorDeps
  readonly #options: ControllerAcceptorOptions
  readonly #parts = new AsyncDisposableStack()

  constructor(deps: ControllerAcceptorDeps, options: ControllerAcceptorOptions) {
    this.#deps = deps
    this.#options = options
    const { identity, surroundings } = deps
    this.trust = new ControllerTrust({ identity, now: () => surroundings.clock.now() })
  }

  /** Rejects when one of them cannot listen. */
  async listen(): Promise<void> {
    for (const listener of this.#options.listeners) await this.#listenAt(listener)
  }

  /** Nobody comes in any more, and whoever has come is sent away. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync()
  }

  async #listenAt({ bind, advertise, options }: ControlListener): Promise<void> {
    if (bind.protocol !== 'tls') {
      throw new ControlListenerError(bind.text, `controllers are accepted over tls only, not over ${bind.protocol}`)
    }
    const { routerId, ports, surroundings } = this.#deps
    const maxHellos = maxHellosOf(options)
    const plan = planOfControl({ heartbeats: this.#options.heartbeats, options })
    const { port } = this.#parts.use(await ports.use(bind))
    const acceptor = this.#parts.use(
      new ChannelAcceptor(
        {
          id: routerId,
          helloTimeout: options.connectTimeout,
          ...(maxHellos === undefined ? {} : { maxHellos }),
          maxChannelsPerIdentity: mostChannels,
          admit: (hello) => this.#admit(hello, plan),
        },
        surroundings,
      ),
    )
    const enter = (connection: Connection) => this.#enter(connection, acceptor)
    this.#parts.use(port.registerChannels([protocol], enter))
    surroundings.log.info('controllers connect here', { address: bind.text, advertised: advertise.text })
    if (isCovered(advertise.host, this.#deps.identity())) return
    surroundings.log.warn('no server certificate covers the host at which controllers are told to connect', {
      host: advertise.host,
    })
  }

  /** Whoever is not a controller takes none of the places in which hellos wait. */
  #enter(connection: Connection, acceptor: ChannelAcceptor): void {
    try {
      this.trust.namesOf(connection)
      acceptor.accept(connection)
    } catch (err) {
      if (!(err instanceof HelloRefusal)) throw err
      this.#deps.surroundings.log.info('connection sent away', { from: connection.remoteAddress, err })
      connection.destroy()
    }
  }

  #admit(hello: ReceivedHello, plan: ChannelPlan): Admission {
    this.trust.check(hello)
    const facts = readFacts(hello)
    const isFurther = hello.group !== undefined && !hello.group.isFirst
    const refusal = isFurther ? undefined : this.#deps.refusalOf(facts.controllerId)
    if (refusal !== undefined) throw new HelloRefusal(refusal)
    return {
      identity: facts.controllerId,
      name: `ctrl/${facts.controllerId}`,
      plan,
      headers: this.#deps.routerHello(),
      bind: (channel) => this.#bind(channel, facts),
    }
  }

  #bind(channel: Channel, facts: ControllerFacts): void {
    const { bind, accepted, surroundings } = this.#deps
    const { heartbeats, defaultRequestTimeout: requestTimeout } = this.#options
    const { remoteAddress: address } = channel.first.connection
    let isTold = false
    const connection = new ControllerConnection(
      { channel, ...facts, address, log: surroundings.log },
      { requestTimeout, unresponsiveAfter: heartbeats.unresponsiveAfter },
    )
    bind(connection)
    // Whoever is told of it may speak at once, and that takes a channel that has begun.
    channel.onUnderlayChange(() => {
      if (isTold) return
      isTold = true
      queueMicrotask(() => {
        if (!channel.isClosed && !accepted(connection)) connection.close('the controller has connected meanwhile')
      })
    })
  }
}

function readFacts({ id: peerId, headers, connection }: ReceivedHello): ControllerFacts {
  try {
    return readControllerHello({ peerId, headers, connection })
  } catch (error) {
    if (error instanceof UnfitControllerError || error instanceof MessageError) throw new HelloRefusal(error.message)
    throw error
  }
}
