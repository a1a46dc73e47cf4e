/**
 * The control plane: the channels of all routers.
 *
 *   hello    judged by the certificate (acceptance.ts), answered with what this controller can do
 *   bind     what the hello says is read, handlers are registered, and the connection takes the router's place
 *   ready    the router is told where the controllers are; an edge router is greeted and gets what edges need
 *   close    the place is given back, unless a newer connection has it
 *
 * A router that is dialled says in its answer what the others say in their hello; the rest is the same.
 */

import type { Identity } from '@weft/pki'
import {
  type Admission,
  type Channel,
  ChannelAcceptor,
  type ChannelPlan,
  channelHeader,
  type Headers,
  HelloRefusal,
  type ReceivedHello,
} from '@weft/wire'
import {
  capabilityMask,
  controlHello,
  controllerCapability,
  hasCapability,
  legacyControlHello,
  routerCapability,
} from '@weft/wire/messages'
import type { NetworkAuthorities } from '../auth/certificate-trust.ts'
import type { LinkListener } from '../fabric/router-connection.ts'
import type { RouterVersion } from '../resources/router-presence.ts'
import { networkVersion } from '../version.ts'
import { acceptedRouter } from './acceptance.ts'
import { type ControlChannelOptions, controlChannelPlan, helloBounds } from './control-channel-options.ts'
import { ControlConnection } from './control-connection.ts'
import type { ControlContext } from './control-context.ts'
import { type CtrlChanListeners, keepCtrlChanListeners, readCtrlChanListeners, without } from './ctrl-chan-listeners.ts'
import { dialRouter } from './dialing/dial-router.ts'
import type { ControlHandler } from './handler.ts'
import { LeafTrust } from './leaf-trust.ts'

export interface ControlPlaneDeps extends ControlContext {
  readonly network: () => NetworkAuthorities
  /** As what routers are dialled; asked each time. */
  readonly identity: () => Identity
  readonly handlers: readonly ControlHandler[]
  /** What happens to a router that has just connected, in this order. */
  readonly greetings: readonly ((connection: ControlConnection) => void)[]
  /** What a router is told again when it has lost one of its connections, and with it what was under way there. */
  readonly repetitions: readonly ((connection: ControlConnection) => void)[]
}

export interface ControlPlaneOptions {
  readonly controllerId: string
  /** JSON: addresses and versions by API binding. */
  readonly apiAddresses: () => string
  readonly ctrlChannels?: ControlChannelOptions
}

/** `version|revision|buildDate|os|arch`. */
const VERSION_PARTS = 5

const capabilities = capabilityMask(Object.values(controllerCapability))

export class ControlPlane implements AsyncDisposable {
  readonly acceptor: ChannelAcceptor
  readonly #plan: ChannelPlan
  readonly #deps: ControlPlaneDeps
  readonly #options: ControlPlaneOptions
  /** What routers said last of where they can be dialled: a channel that comes back repeats what its first hello said. */
  readonly #listeners = new Map<string, readonly LinkListener[]>()
  readonly #trust: LeafTrust
  /** The channels that were dialled; the acceptor has the others. */
  readonly #dialled = new Set<Channel>()
  readonly #unfollow: (() => void)[] = []

  constructor(deps: ControlPlaneDeps, options: ControlPlaneOptions) {
    this.#deps = deps
    this.#options = options
    this.#trust = new LeafTrust(deps)
    const admit = (hello: ReceivedHello) => this.#admit(hello)
    const { controllerId: id, ctrlChannels } = options
    this.#plan = controlChannelPlan(ctrlChannels)
    const acceptorOptions = { id, admit, ...helloBounds(ctrlChannels) }
    this.acceptor = new ChannelAcceptor(acceptorOptions, { log: deps.log, clock: deps.clock })
    const { routers } = deps.fabric.state
    this.#unfollow.push(
      routers.follow(({ type, routerId, router }) => {
        if (type !== 'disconnected') this.#listeners.set(routerId, router.linkListeners)
        else if (deps.kit.view.get('routers', routerId) === undefined) this.#listeners.delete(routerId)
      }),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const unfollow of this.#unfollow) unfollow()
    for (const channel of this.#dialled) channel.close()
    await this.acceptor[Symbol.asyncDispose]()
  }

  /** Dials a router that listens for controllers. Resolves when it is connected, and rejects when it is not. */
  async dial(routerId: string, address: string, signal: AbortSignal): Promise<void> {
    const { kit, fabric, network, identity, log, clock } = this.#deps
    const { controllerId, ctrlChannels } = this.#options
    await dialRouter(
      {
        ...{ view: kit.view, routers: fabric.state.routers, trust: this.#trust, network, identity, plan: this.#plan },
        hello: () => ({ id: controllerId, headers: this.#answer() }),
        bind: (channel) => {
          this.#bind(channel, routerId, { isResumed: false })
          this.#dialled.add(channel)
          channel.closed.then(() => this.#dialled.delete(channel))
        },
        surroundings: { log, clock },
      },
      { routerId, address, signal, ...(ctrlChannels && { timeoutMilliseconds: ctrlChannels.connectTimeout }) },
    )
  }

  #admit(hello: ReceivedHello): Admission {
    const { kit, fabric } = this.#deps
    const router = acceptedRouter({ view: kit.view, routers: fabric.state.routers, trust: this.#trust }, hello)
    return {
      identity: router.id,
      plan: this.#plan,
      name: `ctrl ${router.id}`,
      headers: this.#answer(),
      bind: (channel, first) => this.#bind(channel, router.id, { isResumed: isResumed(first) }),
    }
  }

  #answer(): Headers {
    const apiAddresses = this.#options.apiAddresses()
    const version = `${networkVersion}|||${process.platform}|${process.arch}`
    return controlHello.encode('answer', {
      version,
      capabilities,
      legacyCapabilities: capabilities,
      apiAddresses,
      legacyApiAddresses: apiAddresses,
    }).headers
  }

  #bind(channel: Channel, routerId: string, { isResumed }: { readonly isResumed: boolean }): void {
    const { kit, log, fabric, handlers, greetings, repetitions } = this.#deps
    const { headers } = channel.first
    const said = readHello(headers)
    const connection = new ControlConnection({ channel, routerId, isResumed, log })
    for (const handler of handlers) handler.register(connection, this.#deps)
    const { routers } = fabric.state
    const kept = isResumed && said.listeners.length === 0 ? this.#listeners.get(routerId) : undefined
    routers.connect(connection, {
      hostname: '',
      supportedProtocols: {},
      syncStatus: 'SYNC_QUEUED',
      versionInfo: said.version,
      capabilities: said.capabilities,
      linkListeners: kept ?? said.listeners,
    })
    log.info('router connected', {
      router: routerId,
      version: said.version.version,
      from: channel.first.connection.remoteAddress,
    })
    if (said.ctrlChanListeners !== undefined) {
      keepCtrlChanListeners({ kit, routers, log }, connection, said.ctrlChanListeners)
    }
    channel.onUnderlayChange(({ kind }) => {
      if (kind === 'removed' && channel.underlays.length > 0) for (const repeat of repetitions) repeat(connection)
    })
    channel.closed.then(({ reason }) => {
      connection.parts.dispose()
      if (routers.disconnect(connection)) log.info('router disconnected', { router: routerId, reason })
    })
    for (const greet of greetings) greet(connection)
  }
}

/** A router that is back brings what it was given before: the secret of its group, or in 1.x the id of its connection. */
function isResumed({ group, headers }: ReceivedHello): boolean {
  return group === undefined ? headers.has(channelHeader.connectionId) : group.secret !== undefined
}

interface SaidInHello {
  readonly version: RouterVersion
  readonly capabilities: bigint
  readonly listeners: readonly LinkListener[]
  /** Undefined when they cannot be read. */
  readonly ctrlChanListeners: CtrlChanListeners | undefined
}

/** Throws `HelloRefusal`: a router whose version cannot be told cannot be spoken to. */
function readHello(headers: Headers): SaidInHello {
  const { version: text, capabilities: mask = 0n } = controlHello.decodeHeaders(
    'hello',
    without(headers, ['listeners', 'ctrlChanListeners']),
  )
  const [version = '', revision = '', buildDate = '', os = '', arch = '', ...more] = text.split('|')
  if (version === '' || more.length > 0 || text.split('|').length !== VERSION_PARTS) {
    throw new HelloRefusal('the version has not five parts')
  }
  const isCurrent = hasCapability(mask, routerCapability.multiChannel)
  return {
    version: { version, revision, buildDate, os, arch },
    capabilities: mask,
    listeners: readListeners(headers, isCurrent),
    ctrlChanListeners: readCtrlChanListeners(headers),
  }
}

/** Listeners that cannot be read are as good as none: the router still carries traffic over links that it dials. */
function readListeners(headers: Headers, isCurrent: boolean): readonly LinkListener[] {
  try {
    const said = isCurrent
      ? controlHello.decodeHeaders('hello', without(headers, ['ctrlChanListeners'])).listeners
      : legacyControlHello.decodeHeaders('hello', headers).listeners
    return said?.listeners ?? []
  } catch {
    return []
  }
}
