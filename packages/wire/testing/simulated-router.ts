/**
 * A router as its controller sees it, without links, listeners and bytes: it says hello, answers its greeting and every
 * route at once, subscribes to the data model, and reports what it is told to report. Thousands fit into one process.
 */
import type { Channel } from '../channel/channel.ts'
import { ChannelError } from '../channel/channel-error.ts'
import { controlPlan } from '../channel/channel-plan.ts'
import type { Headers } from '../frame/headers.ts'
import type { Message } from '../frame/message.ts'
import { dialChannel } from '../group/dial-channel.ts'
import { capabilityMask, routerCapability } from '../messages/capabilities.ts'
import { controlHello } from '../messages/control-hello.ts'
import {
  type ControlMessage,
  type ControlMessageInit,
  type ControlMessageName,
  controlMessages,
} from '../messages/control-messages.ts'
import type { ClientMaterial } from '../transport/tls-settings.ts'

export interface SimulatedRouterOptions {
  readonly routerId: string
  /** Of the controller, such as `tls:127.0.0.1:6262`. */
  readonly address: string
  readonly tls: ClientMaterial
  /** Besides the first connection one for what is urgent, as routers of 2.0 and later have. */
  readonly hasUrgentConnection?: boolean
  readonly timeoutMilliseconds?: number
}

/** Told of what the controller sends of the data model, as it came. */
export interface ModelListener {
  state?(body: Buffer): void
  changeSet?(body: Buffer): void
}

const version = '2.1.0|simulated|2026-01-01T00:00:00Z|linux|amd64'
const capabilities = capabilityMask([routerCapability.multiChannel, routerCapability.routerDataModel])
const subscriptionSeconds = 300
/** Dials whenever a connection is missing: what a simulated network does is decided by its owner. */
const eager = { base: 50, max: 1_000, minStable: 0, minDialInterval: 0, jitter: 0 }
/** A router that loses its last connection ends: coming back is up to its owner. */
const plan = { ...controlPlan, minUnderlays: 1 }

export class SimulatedRouter implements AsyncDisposable {
  readonly routerId: string
  readonly channel: Channel
  /** Circuits of which this router has a part. */
  readonly circuits = new Set<string>()
  /** Peers that are there, as the controller has told. */
  readonly peers = new Set<string>()
  /** Messages by name, as they came. */
  readonly received = new Map<string, number>()
  readonly #isModelThere = Promise.withResolvers<void>()
  readonly #isGreeted = Promise.withResolvers<void>()
  readonly #listener: ModelListener
  readonly #subscriptionId = Math.random().toString(36).slice(2)
  #renewal: NodeJS.Timeout | undefined

  private constructor(channel: Channel, routerId: string, listener: ModelListener) {
    this.channel = channel
    this.routerId = routerId
    this.#listener = listener
    this.#register()
    channel.closed.then(() => clearInterval(this.#renewal))
  }

  /** Resolves when the controller has answered its hello. */
  static async connect(options: SimulatedRouterOptions, listener: ModelListener = {}): Promise<SimulatedRouter> {
    const { routerId, address, tls, hasUrgentConnection = false, timeoutMilliseconds = 30_000 } = options
    let router: SimulatedRouter | undefined
    await dialChannel({
      address,
      tls,
      timeoutMilliseconds,
      plan,
      name: `simulated ${routerId}`,
      protocols: ['ziti-ctrl'],
      hello: () => ({ id: routerId, headers: helloHeaders(routerId) }),
      group: {
        type: 'ctrl.default',
        policy: eager,
        desired: { 'ctrl.default': 1, ...(hasUrgentConnection && { 'ctrl.high': 1 }) },
      },
      bind(channel) {
        router = new SimulatedRouter(channel, routerId, listener)
      },
    })
    router!.subscribe()
    return router!
  }

  /** When it has been greeted, and has the whole data model. Rejects when the channel closes before. */
  async ready(): Promise<void> {
    const closed = this.channel.closed.then(({ reason }) => {
      throw new ChannelError('CLOSED', `router ${this.routerId}: ${reason}`)
    })
    await Promise.race([Promise.all([this.#isGreeted.promise, this.#isModelThere.promise]), closed])
  }

  /** Asks for the whole model, and for what changes. */
  subscribe(): void {
    this.#subscribe(false)
    this.#renewal ??= setInterval(() => this.#subscribe(true), (subscriptionSeconds * 1_000) / 3).unref()
  }

  tell<K extends ControlMessageName>(name: K, fields: ControlMessageInit<K>): Promise<void> {
    return this.channel.send(controlMessages.encode(name, fields))
  }

  /** Sends and waits for the answer, which must be one that the message can have. */
  async request<K extends ControlMessageName>(name: K, fields: ControlMessageInit<K>, timeoutMilliseconds = 30_000) {
    const reply = await this.channel.request(controlMessages.encode(name, fields), { timeoutMilliseconds })
    return controlMessages.decodeReply(name, reply)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.channel[Symbol.asyncDispose]()
  }

  #subscribe(renew: boolean): void {
    const body = {
      currentIndex: 0,
      subscriptionDurationSeconds: subscriptionSeconds,
      renew,
      timelineId: '',
      subscriptionId: this.#subscriptionId,
    }
    // A channel that ends meanwhile needs no model.
    this.tell('subscribeToDataModel', { body }).catch(() => {})
  }

  #register(): void {
    this.#handle('serverHello', (_, frame) => {
      const body = { version: '2.1.0', hostname: '127.0.0.1' }
      this.#reply(frame, 'clientHello', { hasDataModel: true, body })
      this.#isGreeted.resolve()
    })
    this.#handle('route', ({ body: { circuitId, attempt } }, frame) => {
      this.circuits.add(circuitId)
      this.#reply(frame, 'routeResult', { attempt, success: true, body: circuitId })
    })
    this.#handle('unroute', ({ body }) => this.circuits.delete(body.circuitId))
    this.#handle('peerStateChanges', ({ body }) => {
      for (const { id, state } of body.changes) {
        if (state === 'Healthy') this.peers.add(id)
        else this.peers.delete(id)
      }
    })
    this.#handle('validateTerminatorsV2', ({ body }, frame) => {
      const states = body.terminators.map(({ id, marker }) => [id, { valid: true, marker }] as const)
      this.#reply(frame, 'validateTerminatorsV2Response', { body: { states: new Map(states) } })
    })
    // Whoever wants to know what the model says reads it; that it came is enough here.
    this.channel.handle(controlMessages.typeOf('dataState'), ({ body }) => {
      this.#count('dataState')
      this.#listener.state?.(body)
      this.#isModelThere.resolve()
    })
    this.channel.handle(controlMessages.typeOf('dataStateChangeSet'), ({ body }) => {
      this.#count('dataStateChangeSet')
      this.#listener.changeSet?.(body)
    })
    this.channel.handleRest(({ contentType }) => this.#count(controlMessages.nameOf(contentType) ?? `${contentType}`))
  }

  #handle<K extends ControlMessageName>(name: K, run: (message: ControlMessage<K>, frame: Message) => void): void {
    this.channel.handle(controlMessages.typeOf(name), (frame) => {
      this.#count(name)
      run(controlMessages.decodeAs(name, frame), frame)
    })
  }

  #reply<K extends ControlMessageName>(frame: Message, name: K, fields: ControlMessageInit<K>): void {
    // A channel that ends meanwhile needs no answer.
    this.channel.reply(frame, controlMessages.encode(name, fields), { queue: 'high' }).catch(() => {})
  }

  #count(name: string): void {
    this.received.set(name, (this.received.get(name) ?? 0) + 1)
  }
}

/** The report of a link that a router has dialled. */
export function dialledLink(id: string, destRouterId: string, iteration = 1) {
  return { id, destRouterId, linkProtocol: 'tls', dialAddress: listenerOf(destRouterId), iteration }
}

/** The report of a router on how long its links take, in nanoseconds by their ids. */
export function latencyReport(sourceId: string, latencies: Iterable<readonly [string, number]>) {
  const histograms = new Map<string, { readonly count: bigint; readonly mean: number }>()
  for (const [linkId, mean] of latencies) {
    histograms.set(`link.${linkId}.latency`, { count: 1n, mean })
    histograms.set(`link.${linkId}.queue_time`, { count: 1n, mean: 0 })
  }
  return { body: { sourceId, histograms } }
}

function listenerOf(routerId: string): string {
  return `tls:${routerId}.example:6000`
}

function helloHeaders(routerId: string): Headers {
  const listeners = [{ address: listenerOf(routerId), protocol: 'tls', groups: ['default'] }]
  return controlHello.encode('hello', { version, capabilities, listeners: { listeners } }).headers
}
