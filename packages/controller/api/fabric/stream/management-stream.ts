/**
 * One management stream: a channel over a websocket, without a hello. Requests are answered, and what was asked for goes on
 * until the stream ends.
 *
 * Events have a queue of their own, so that answers do not wait behind them. Whoever reads too slowly to keep it from
 * filling up is cut off: a gap in events would be worse than an end.
 */
import { Channel, type ChannelPlan, type Connection, type Message, singlePlan, unannounced } from '@weft/wire'
import { type ManagementMessageInit, type ManagementMessageName, managementMessages } from '@weft/wire/messages'
import type { Clock } from '../../../clock.ts'
import type { Logger } from '../../../log/logger.ts'
import type { Call } from '../../../operation/operation.ts'

/** Room for the events of a full batch of the writer, which come all at once. */
export const eventQueue = { name: 'events', messages: 20_000, bytes: 16 * 1024 * 1024 } as const

/** Requests are small: filters and names. */
const MOST_REQUEST_BYTES = 1024 * 1024

export const streamPlan: ChannelPlan = {
  ...singlePlan,
  limits: { headers: 64 * 1024, body: MOST_REQUEST_BYTES },
  queues: [{ name: 'default', messages: 64, bytes: 16 * 1024 * 1024 }, eventQueue],
}

const RESULT_MILLISECONDS = 15_000
/** Requests that are worked on at one time; further ones are not read until one is done. */
const MOST_RUNNING = 16
/** What goes on until the stream ends: subscriptions to events and traces. */
const MOST_SUBSCRIPTIONS = 32

export interface ManagementStreamDeps {
  readonly connection: Connection
  /** The request by which the stream was opened. */
  readonly call: Call
  readonly clock: Clock
  readonly log: Logger
}

export class ManagementStream implements AsyncDisposable {
  readonly channel: Channel
  readonly call: Call
  /** What ends with the stream. */
  readonly parts = new AsyncDisposableStack()
  readonly #log: Logger
  readonly #ended = new AbortController()
  #running = 0
  #subscriptions = 0

  constructor({ connection, call, clock, log }: ManagementStreamDeps) {
    this.call = call
    this.#log = log
    const { identityId } = call.caller
    this.channel = new Channel(
      unannounced(connection, identityId),
      { name: `management ${identityId}`, plan: streamPlan },
      { clock, log },
    )
    this.channel.closed.then(() => {
      this.#ended.abort()
      this.parts[Symbol.asyncDispose]().catch((err) => log.error('management stream did not end cleanly', { err }))
    })
  }

  /** Aborted when the stream ends. */
  get signal(): AbortSignal {
    return this.#ended.signal
  }

  /** Works on a request. */
  async run(work: () => Promise<void>): Promise<void> {
    if (++this.#running === MOST_RUNNING) this.channel.pauseReading()
    try {
      await work()
    } finally {
      if (this.#running-- === MOST_RUNNING) this.channel.resumeReading()
    }
  }

  /** Whether there is room for one more thing that goes on until the stream ends. */
  subscribe(): boolean {
    if (this.#subscriptions === MOST_SUBSCRIPTIONS) return false
    this.#subscriptions++
    return true
  }

  /** Sends what nobody has asked for just now; a stream that does not take it in time ends. */
  async send<K extends ManagementMessageName>(name: K, fields: ManagementMessageInit<K>): Promise<void> {
    try {
      const options = { timeoutMilliseconds: RESULT_MILLISECONDS, signal: this.signal }
      await this.channel.send(managementMessages.encode(name, fields), options)
    } catch (err) {
      if (this.channel.isClosed) return
      this.#log.warn('management stream takes nothing', { message: name, err })
      this.channel.close()
    }
  }

  /** Sends at once; a stream whose queue is full ends. */
  offer<K extends ManagementMessageName>(name: K, fields: ManagementMessageInit<K>): boolean {
    if (this.channel.isClosed) return false
    if (this.channel.trySend(managementMessages.encode(name, fields), eventQueue.name)) return true
    this.#log.warn('management stream is read too slowly', { identity: this.call.caller.identityId })
    this.channel.close()
    return false
  }

  /** Ends it because of something that must not happen. */
  fail(what: string, err: unknown): void {
    this.#log.error(what, { err })
    this.channel.close()
  }

  async reply<K extends ManagementMessageName>(
    request: Message,
    name: K,
    fields: ManagementMessageInit<K>,
  ): Promise<void> {
    await this.channel.reply(request, managementMessages.encode(name, fields))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.channel[Symbol.asyncDispose]()
    await this.parts[Symbol.asyncDispose]()
  }
}
