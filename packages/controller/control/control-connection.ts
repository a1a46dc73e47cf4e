/**
 * The control channel of one router, as the rest of the controller sees it: who it is, and how messages reach it. What
 * belongs to the connection ends with it.
 */
import { setMaxListeners } from 'node:events'
import type { Channel, Message, SendOptions } from '@weft/wire'
import { type ControlMessageInit, type ControlMessageName, controlMessages } from '@weft/wire/messages'
import type { RouteMessage, RouteResult } from '../fabric/route-message.ts'
import type { RouterConnection, UnrouteTime } from '../fabric/router-connection.ts'
import type { Logger } from '../log/logger.ts'
import { routeOf, routeResultOf } from './route-codec.ts'

/** Circuits are made over this queue, so that a large state on the other does not hold them up. */
const URGENT = 'high'

export interface ControlConnectionDeps {
  readonly channel: Channel
  readonly routerId: string
  readonly isResumed: boolean
  readonly log: Logger
}

export class ControlConnection implements RouterConnection {
  readonly routerId: string
  readonly isResumed: boolean
  readonly channel: Channel
  /** What ends with the connection. */
  readonly parts = new DisposableStack()
  /** Aborted when the connection has ended: for those who work for the router and would wait in vain. */
  readonly gone: AbortSignal
  readonly #log: Logger
  readonly #answers = new WeakMap<Message, Promise<void>>()
  #unreadable = 0
  #unsent = 0

  constructor({ channel, routerId, isResumed, log }: ControlConnectionDeps) {
    this.channel = channel
    this.routerId = routerId
    this.isResumed = isResumed
    this.#log = log
    const gone = new AbortController()
    this.gone = gone.signal
    // As many may wait as a router makes circuits at a time.
    setMaxListeners(0, this.gone)
    this.parts.defer(() => gone.abort())
  }

  /** Resolves when the message is on its way. */
  async send<K extends ControlMessageName>(
    name: K,
    fields: ControlMessageInit<K>,
    options?: SendOptions,
  ): Promise<void> {
    await this.channel.send(controlMessages.encode(name, fields), options)
  }

  /** Sends what a router can do without: a failure is logged and that is all. */
  tell<K extends ControlMessageName>(name: K, fields: ControlMessageInit<K>, options?: SendOptions): void {
    this.send(name, fields, options).catch((err) => this.#notSent(name, err))
  }

  /** Sends and waits for the answer, which must be one that the message can have. */
  async request<K extends ControlMessageName>(name: K, fields: ControlMessageInit<K>, options?: SendOptions) {
    const reply = await this.channel.request(controlMessages.encode(name, fields), options)
    return controlMessages.decodeReply(name, reply)
  }

  /** Answers a message. A router that does not get its answer asks again. */
  reply<K extends ControlMessageName>(request: Message, name: K, fields: ControlMessageInit<K>): void {
    const answer = this.channel
      .reply(request, controlMessages.encode(name, fields), { queue: URGENT })
      .catch((err) => this.#notSent(name, err))
    this.#answers.set(request, answer)
  }

  /** Resolves when the answer to a message is on its way, or is not going to be. */
  async answered(request: Message): Promise<void> {
    await this.#answers.get(request)
  }

  async sendRoute(route: RouteMessage, { signal }: { readonly signal: AbortSignal }): Promise<RouteResult> {
    const options = { queue: URGENT, signal, timeoutMilliseconds: Math.max(1, route.timeout) }
    const { message } = await this.request('route', { body: routeOf(route) }, options)
    return routeResultOf(message)
  }

  sendUnroute(circuitId: string, when: UnrouteTime): void {
    this.tell('unroute', { body: { circuitId, now: when === 'now' } }, { queue: URGENT })
  }

  sendLinkFault(linkId: string, iteration: number): void {
    this.tell('fault', { body: { subject: 'LinkFault', id: linkId, iteration } })
  }

  /** Tells the log of a message that cannot be read: of the first, the second, the fourth, and so on. */
  noteUnreadable(fields: Readonly<Record<string, unknown>>): void {
    const count = ++this.#unreadable
    if (Number.isInteger(Math.log2(count))) this.#log.warn('message cannot be read', { ...fields, count })
  }

  close(reason: string): void {
    this.#log.info('control channel is closed', { router: this.routerId, reason })
    this.channel.close('closed here')
  }

  #notSent(message: string, err: unknown): void {
    const count = ++this.#unsent
    if (this.channel.isClosed || !Number.isInteger(Math.log2(count))) return
    this.#log.warn('message not sent', { message, router: this.routerId, count, err })
  }
}
