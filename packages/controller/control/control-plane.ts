/**
 * The control plane: the channels of all routers.
 *
 *   hello    judged by the certificate (acceptance.ts), answered with what this controller can do
 *   bind     what the hello says is read, handlers are registered, and the connection takes the router's place
 *   ready    the router is told where the controllers are; an edge router is greeted and gets what edges need
 *   close    the place is given back, unless a newer connection has it
 */
import {
  type Admission,
  type Channel,
  ChannelAcceptor,
  type ChannelPlan,
  controlPlan,
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
import { ControlConnection } from './control-connection.ts'
import type { ControlContext } from './control-context.ts'
import type { ControlHandler } from './handler.ts'
import { LeafTrust } from './leaf-trust.ts'

export interface ControlPlaneDeps extends ControlContext {
  readonly network: () => NetworkAuthorities
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

/** `ctrl.options`, as far as it is about channels. Milliseconds. */
export interface ControlChannelOptions {
  /** For a hello and its judgement. */
  readonly connectTimeout: number
  /** For which a connection may take nothing; undefined leaves it as it is. */
  readonly writeTimeout: number | undefined
  readonly routerHeartbeats: {
    readonly sendInterval: number
    readonly checkInterval: number
    readonly closeUnresponsiveTimeout: number
  }
}

/** `version|revision|buildDate|os|arch`. */
const VERSION_PARTS = 5

/** Of heartbeats, whatever the file says. Milliseconds. */
const SHORTEST_INTERVAL = 100

const capabilities = capabilityMask(Object.values(controllerCapability))

export class ControlPlane implements AsyncDisposable {
  readonly acceptor: ChannelAcceptor
  readonly #plan: ChannelPlan
  readonly #deps: ControlPlaneDeps
  readonly #options: ControlPlaneOptions
  /** What routers said last of where they can be dialled: a channel that comes back repeats what its first hello said. */
  readonly #listeners = new Map<string, readonly LinkListener[]>()
  readonly #trust: LeafTrust
  readonly #unfollow: (() => void)[] = []

  constructor(deps: ControlPlaneDeps, options: ControlPlaneOptions) {
    this.#deps = deps
    this.#options = options
    this.#trust = new LeafTrust(deps)
    const admit = (hello: ReceivedHello) => this.#admit(hello)
    const { controllerId: id, ctrlChannels } = options
    const helloTimeout = ctrlChannels && { helloTimeout: ctrlChannels.connectTimeout }
    this.#plan = planOf(ctrlChannels)
    this.acceptor = new ChannelAcceptor({ id, admit, ...helloTimeout }, { log: deps.log, clock: deps.clock })
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
    await this.acceptor[Symbol.asyncDispose]()
  }

  #admit(hello: ReceivedHello): Admission {
    const { kit, fabric } = this.#deps
    const router = acceptedRouter({ view: kit.view, routers: fabric.state.routers, trust: this.#trust }, hello)
    return {
      identity: router.id,
      plan: this.#plan,
      name: `ctrl ${router.id}`,
      headers: this.#answer(),
      bind: (channel, first) => this.#bind(channel, first, router.id),
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

  #bind(channel: Channel, hello: ReceivedHello, routerId: string): void {
    const { log, fabric, handlers, greetings, repetitions } = this.#deps
    const said = readHello(hello)
    const isResumed = hello.group?.secret !== undefined
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
      from: hello.connection.remoteAddress,
    })
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

function planOf(options: ControlChannelOptions | undefined): ChannelPlan {
  if (options === undefined) return controlPlan
  const atLeast = (milliseconds: number) => Math.max(SHORTEST_INTERVAL, milliseconds)
  const { sendInterval, checkInterval, closeUnresponsiveTimeout } = options.routerHeartbeats
  const { writeTimeout = controlPlan.writeTimeout } = options
  const heartbeats = {
    ...controlPlan.heartbeats!,
    sendInterval: atLeast(sendInterval),
    checkInterval: atLeast(checkInterval),
    closeAfter: atLeast(closeUnresponsiveTimeout),
  }
  return { ...controlPlan, writeTimeout, heartbeats }
}

interface SaidInHello {
  readonly version: RouterVersion
  readonly capabilities: bigint
  readonly listeners: readonly LinkListener[]
}

/** Throws `HelloRefusal`: a router whose version cannot be told cannot be spoken to. */
function readHello({ headers }: ReceivedHello): SaidInHello {
  const { version: text, capabilities: mask = 0n } = controlHello.decodeHeaders(
    'hello',
    headersWithoutListeners(headers),
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
  }
}

/** Listeners that cannot be read are as good as none: the router still carries traffic over links that it dials. */
function readListeners(headers: Headers, isCurrent: boolean): readonly LinkListener[] {
  try {
    const said = isCurrent
      ? controlHello.decodeHeaders('hello', headers).listeners
      : legacyControlHello.decodeHeaders('hello', headers).listeners
    return said?.listeners ?? []
  } catch {
    return []
  }
}

function headersWithoutListeners(headers: Headers): Headers {
  const rest = headers.clone()
  rest.delete(controlHello.messages.hello.headers.listeners.key)
  rest.delete(controlHello.messages.hello.headers.ctrlChanListeners.key)
  return rest
}
