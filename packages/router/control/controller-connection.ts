/**
 * The control channel with one controller, as the rest of the router sees it: who it is, how well it answers, and how
 * messages reach it.
 */
import type { Channel, Message, SendOptions, WireLog } from '@weft/wire'
import { type ControlMessageInit, type ControlMessageName, controlMessages } from '@weft/wire/messages'

/** Circuits are made over this queue, so that a large state on the other does not hold them up. */
export const urgentQueue = 'high'

/** A heartbeat that waits longer says that the controller is slow. */
const heartbeatPatience = 5_000

export interface ControllerConnectionDeps {
  readonly channel: Channel
  readonly controllerId: string
  readonly version: string
  readonly capabilities: bigint
  /** Where it was dialled. */
  readonly address: string
  readonly log: WireLog
}

export interface ControllerConnectionOptions {
  /** Milliseconds a controller may take to answer, and to take a message. */
  readonly requestTimeout: number
  /** Above this round trip it counts as slow. */
  readonly unresponsiveAfter: number
}

export class ControllerConnection {
  readonly channel: Channel
  readonly controllerId: string
  readonly version: string
  readonly capabilities: bigint
  readonly address: string
  readonly #log: WireLog
  readonly #options: ControllerConnectionOptions
  #unreadable = 0
  #unsent = 0

  constructor(deps: ControllerConnectionDeps, options: ControllerConnectionOptions) {
    this.channel = deps.channel
    this.controllerId = deps.controllerId
    this.version = deps.version
    this.capabilities = deps.capabilities
    this.address = deps.address
    this.#log = deps.log
    this.#options = options
  }

  get isConnected(): boolean {
    return !this.channel.isClosed && this.channel.underlays.length > 0
  }

  /** Whether it answers slowly, or not at all any more. */
  get isUnresponsive(): boolean {
    const { roundTrip = 0, heartbeatWaiting } = this.channel
    return !this.isConnected || roundTrip > this.#options.unresponsiveAfter || heartbeatWaiting > heartbeatPatience
  }

  /** Milliseconds; of a controller that has not answered yet, as if it were far. */
  get latency(): number {
    return this.channel.roundTrip ?? Number.MAX_SAFE_INTEGER
  }

  /** Resolves when the message is on its way. */
  async send<K extends ControlMessageName>(
    name: K,
    fields: ControlMessageInit<K>,
    options?: SendOptions,
  ): Promise<void> {
    await this.channel.send(controlMessages.encode(name, fields), this.#patient(options))
  }

  /** Sends what the controller can do without: a failure is logged and that is all. */
  tell<K extends ControlMessageName>(name: K, fields: ControlMessageInit<K>, options?: SendOptions): void {
    this.send(name, fields, options).catch((err: unknown) => this.#notSent(name, err))
  }

  /** Sends and waits for the answer, which must be one that the message can have. */
  async request<K extends ControlMessageName>(name: K, fields: ControlMessageInit<K>, options?: SendOptions) {
    const reply = await this.channel.request(controlMessages.encode(name, fields), this.#patient(options))
    return controlMessages.decodeReply(name, reply)
  }

  /**
   * Answers a message; never rejects. A controller that does not get its answer asks again. Whoever answers at length
   * waits for it, so that of one that asks and does not read no more is read.
   */
  async reply<K extends ControlMessageName>(
    request: Message,
    name: K,
    fields: ControlMessageInit<K>,
    options: SendOptions = {},
  ): Promise<void> {
    await this.channel
      .reply(request, controlMessages.encode(name, fields), this.#patient(options))
      .catch((err: unknown) => this.#notSent(name, err))
  }

  /** Tells the log of a message that cannot be read: of the first, the second, the fourth, and so on. */
  noteUnreadable(fields: Readonly<Record<string, unknown>>): void {
    const count = ++this.#unreadable
    if (Number.isInteger(Math.log2(count))) this.#log.warn('message cannot be read', { ...fields, count })
  }

  close(reason: string): void {
    this.#log.info('control channel is closed', { controller: this.controllerId, reason })
    this.channel.close('closed here')
  }

  #patient(options: SendOptions = {}): SendOptions {
    return { timeoutMilliseconds: this.#options.requestTimeout, ...options }
  }

  #notSent(message: string, err: unknown): void {
    const count = ++this.#unsent
    if (this.channel.isClosed || !Number.isInteger(Math.log2(count))) return
    this.#log.warn('message not sent', { message, controller: this.controllerId, count, err })
  }
}
