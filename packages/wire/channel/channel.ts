/**
 * One conversation with a peer over one or several connections: one counter, one table of replies, one set of handlers.
 *
 * A message travels whole on one connection, and a reply may come back on another. There is no goodbye: a channel closes
 * when it is told to, when its peer is silent for too long, or when it has fewer connections than its plan demands.
 * Messages that were queued and not written are lost then, and everybody who waits gets a `ChannelError`.
 *
 * Sending: `send` waits for room until its time is over, `trySend` refuses at once, `request` is `send` and the reply.
 */
import { channelMessage, replyTo, resultMessage } from '../frame/channel-headers.ts'
import { contentTypeAt, HeaderScan, scanHeaders, valueLengthAt } from '../frame/layout.ts'
import { type Message, messageAt, type OutgoingMessage } from '../frame/message.ts'
import { ProtocolError } from '../frame/protocol-error.ts'
import { AttachedUnderlay, type UnderlayHost } from './attached-underlay.ts'
import { ChannelError } from './channel-error.ts'
import type { ChannelClosing, ChannelCounters, ChannelObserver, CloseReason, UnderlayChange } from './channel-events.ts'
import type { ChannelPlan } from './channel-plan.ts'
import { Dispatcher, type FrameHandler, type MessageHandler } from './dispatcher.ts'
import { Heart } from './heartbeat.ts'
import { Observers } from './observers.ts'
import { Outbox } from './outbox.ts'
import { Pulse } from './pulse.ts'
import { queuesFor, tooFewOf } from './queue-assignment.ts'
import { ReplyTable } from './reply-table.ts'
import type { SendQueue } from './send-queue.ts'
import { type Surroundings, surroundings } from './surroundings.ts'
import type { Underlay } from './underlay.ts'

export interface ChannelOptions {
  /** For logs and traces. */
  readonly name: string
  readonly plan: ChannelPlan
  /** Requests that may wait for replies at one time. */
  readonly maxRequests?: number
  /** Messages that may wait for room in one queue. */
  readonly maxWaiting?: number
}

export interface SendOptions {
  /** The plan's default queue unless said otherwise. */
  readonly queue?: string
  /** How long to wait for room, and with `request` for the reply. */
  readonly timeoutMilliseconds?: number
  readonly signal?: AbortSignal
}

const defaultSendTimeout = 10_000
const defaultRequestTimeout = 5_000
const defaultMaxRequests = 10_000
const defaultMaxWaiting = 1_024
const tickInterval = 1_000

export class Channel implements AsyncDisposable {
  readonly name: string
  readonly plan: ChannelPlan
  /** The headers of the peer's first hello or answer, its id and its connection: claims, except for the certificates. */
  readonly first: Underlay
  readonly counters: ChannelCounters = {
    receivedMessages: 0,
    receivedBytes: 0,
    sentMessages: 0,
    sentBytes: 0,
    unhandledMessages: 0,
  }
  /** Resolves when the channel has ended; never rejects. */
  readonly closed: Promise<ChannelClosing>
  readonly #surroundings: Surroundings
  readonly #outbox: Outbox
  readonly #dispatcher: Dispatcher
  readonly #replies: ReplyTable
  readonly #observers: Observers
  readonly #pulse: Pulse | undefined
  readonly #host: UnderlayHost
  readonly #scan = new HeaderScan()
  readonly #underlayListeners: ((change: UnderlayChange) => void)[] = []
  readonly #resolveClosed: (closing: ChannelClosing) => void
  #underlays: AttachedUnderlay[] = []
  #isPaused = false
  #ticker: NodeJS.Timeout | undefined
  #closing: ChannelClosing | undefined

  /** Register handlers, then `start`: until then nothing is read. */
  constructor(first: Underlay, options: ChannelOptions, given: Partial<Surroundings> = {}) {
    this.name = options.name
    this.plan = options.plan
    this.first = first
    this.#surroundings = surroundings(given)
    this.#outbox = new Outbox(options.plan, options.maxWaiting ?? defaultMaxWaiting)
    this.#dispatcher = new Dispatcher(this, this.#surroundings.log)
    this.#observers = new Observers(this.#surroundings.log)
    this.#replies = new ReplyTable(options.maxRequests ?? defaultMaxRequests)
    const { heartbeats } = options.plan
    if (heartbeats !== undefined) {
      const beat = () => this.trySend({ contentType: channelMessage.heartbeat })
      this.#pulse = new Pulse(new Heart(heartbeats, this.#surroundings.clock), beat)
    }
    const { promise, resolve } = Promise.withResolvers<ChannelClosing>()
    this.closed = promise
    this.#resolveClosed = resolve
    this.#host = {
      clock: this.#surroundings.clock,
      heart: this.#pulse?.heart,
      received: (buffer, start, end, from) => this.#received(buffer, start, end, from),
      sent: (head, start, end, body, over) => this.#sent(head, start, end, body, over),
      hasRoom: (queue) => this.#outbox.hasRoom(queue),
      isStuck: () => this.#wakeAll(),
      gone: (underlay, error) => this.#gone(underlay, error),
    }
    this.handle(channelMessage.ping, (message) => this.reply(message, resultMessage(true)))
    // With a full queue a probe goes unanswered: that is what it measures.
    this.handle(channelMessage.latency, (message) => void this.trySend(replyTo(message, resultMessage(true))))
    this.handle(channelMessage.heartbeat, () => {})
  }

  /** Begins to read the first connection, and to send. */
  start(): void {
    if (this.#ticker !== undefined || this.isClosed) return
    this.#ticker = setInterval(() => this.#tick(), this.plan.heartbeats?.checkInterval ?? tickInterval).unref()
    this.add(this.first)
  }

  get id(): string {
    return this.first.connectionId
  }

  get peerId(): string {
    return this.first.peerId
  }

  get isClosed(): boolean {
    return this.#closing !== undefined
  }

  get underlays(): readonly Underlay[] {
    return this.#underlays.map(({ underlay }) => underlay)
  }

  countOf(type: string): number {
    return this.#underlays.filter((underlay) => underlay.type === type).length
  }

  /** Undefined without heartbeats, and before the first answer. Milliseconds. */
  get roundTrip(): number | undefined {
    return this.#pulse?.heart.roundTrip
  }

  /** Milliseconds since the peer last answered a heartbeat; zero without heartbeats and within the grace of the start. */
  get silence(): number {
    return Math.max(0, this.#pulse?.heart.silence ?? 0)
  }

  /** Milliseconds for which a heartbeat has been waiting for its answer. */
  get heartbeatWaiting(): number {
    return this.#pulse?.heart.waiting ?? 0
  }

  /** One handler for each type; the channel's own for pings, probes and heartbeats can be replaced. */
  handle(contentType: number, handler: MessageHandler): void {
    this.#dispatcher.handle(contentType, handler)
  }

  /** Comes before `handle`. */
  handleFrames(contentType: number, handler: FrameHandler): void {
    this.#dispatcher.handleFrames(contentType, handler)
  }

  /** For types without a handler; without it they are counted and dropped. */
  handleRest(handler: MessageHandler): void {
    this.#dispatcher.handleRest(handler)
  }

  /** Until the answer is disposed of. */
  observe(observer: ChannelObserver): Disposable {
    return this.#observers.add(observer)
  }

  onUnderlayChange(listener: (change: UnderlayChange) => void): void {
    this.#underlayListeners.push(listener)
  }

  /** Takes in another connection, whose hello the caller has accepted. */
  add(underlay: Underlay): void {
    if (this.isClosed) {
      underlay.connection.destroy()
      return
    }
    const attached = new AttachedUnderlay(underlay, this.#host, this.plan.pieceSize)
    this.#underlays.push(attached)
    this.#assignQueues()
    this.#tell({ kind: 'added', underlay, milliseconds: 0 })
    if (this.#isPaused) attached.pause()
    attached.start(this.plan.limits)
    if (this.#underlays.includes(attached)) this.#checkConstraints()
  }

  /** Reads nothing from any connection, until `resumeReading`: the peer is slowed down by its own full buffers. */
  pauseReading(): void {
    this.#isPaused = true
    for (const attached of this.#underlays) attached.pause()
  }

  resumeReading(): void {
    this.#isPaused = false
    for (const attached of [...this.#underlays]) attached.resume()
  }

  /** The queue of that name, for `trySendFrame` and for gauges; resolve it once. */
  queue(name: string): SendQueue {
    return this.#outbox.queue(name)
  }

  /**
   * Resolves when the message is queued. Rejects when the time is over or the channel closes before that. A queued message
   * that no connection takes within the time is left out.
   */
  async send(message: OutgoingMessage, options: SendOptions = {}): Promise<void> {
    await this.#enqueue(message, this.#outbox.nextSequence(), options, defaultSendTimeout)
  }

  /** False when the queue is full or the channel closed. */
  trySend(message: OutgoingMessage, queueName?: string): boolean {
    if (this.isClosed) return false
    const queue = this.#outbox.queue(queueName)
    if (!this.#outbox.offer(queue, message)) return false
    this.#wake(queue)
    return true
  }

  /**
   * Hot. Sends a frame that is already encoded, in place: numbers it, and owns its bytes from then on. The frame must not
   * carry headers of another hop (`withoutHopHeaders`). False when the queue is full or the channel closed.
   */
  trySendFrame(queue: SendQueue, buffer: Buffer, start: number, end: number): boolean {
    if (this.#closing !== undefined) return false
    if (!this.#outbox.offerFrame(queue, buffer, start, end)) return false
    this.#wake(queue)
    return true
  }

  /** Sends and waits for the reply, whatever its type. Rejects with `TIMEOUT` when there is none in time. */
  async request(message: OutgoingMessage, options: SendOptions = {}): Promise<Message> {
    if (this.isClosed) throw this.#closedError()
    const sequence = this.#outbox.nextSequence()
    const { timeoutMilliseconds = defaultRequestTimeout, signal } = options
    const reply = this.#replies.expect(sequence, timeoutMilliseconds, signal)
    this.#enqueue(message, sequence, options, defaultRequestTimeout).catch((error: unknown) => {
      this.#replies.fail(sequence, error)
    })
    return await reply
  }

  /** Answers a request. */
  reply(request: Message, message: OutgoingMessage, options: SendOptions = {}): Promise<void> {
    return this.send(replyTo(request, message), options)
  }

  /** Tells how long a message queued now has to wait for a connection to take it. */
  async measureQueueTime(queueName: string): Promise<number | undefined> {
    const queue = this.queue(queueName)
    const { promise, resolve } = Promise.withResolvers<number>()
    const since = this.#surroundings.clock.monotonic()
    if (this.isClosed || !queue.pushMarker((now) => resolve(now - since))) return undefined
    this.#wake(queue)
    return await Promise.race([promise, this.closed.then(() => undefined)])
  }

  /** Ends all connections. Further calls do nothing. */
  close(reason: CloseReason = 'closed here', error?: Error): void {
    if (this.#closing !== undefined) return
    this.#closing = { reason, ...(error === undefined ? {} : { error }) }
    clearInterval(this.#ticker)
    this.#replies.failAll(() => this.#closedError())
    this.#outbox.close(() => this.#closedError())
    const underlays = this.#underlays
    this.#underlays = []
    for (const attached of underlays) attached.close()
    if (underlays.length === 0) this.first.connection.close()
    this.#surroundings.log.debug('channel closed', { channel: this.name, reason, ...(error && { err: error }) })
    this.#resolveClosed(this.#closing)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
    await this.closed
  }

  async #enqueue(message: OutgoingMessage, sequence: number, options: SendOptions, usual: number): Promise<void> {
    if (this.isClosed) throw this.#closedError()
    const { timeoutMilliseconds = usual, signal } = options
    const deadline = this.#surroundings.clock.monotonic() + timeoutMilliseconds
    const queue = this.#outbox.queue(options.queue)
    const patience = { timeoutMilliseconds, deadline, ...(signal === undefined ? {} : { signal }) }
    await this.#outbox.wait(queue, message, sequence, patience)
    this.#wake(queue)
  }

  /** The first connection that can take it; the others help when that one is full. */
  #wake(queue: SendQueue): void {
    const underlays = this.#underlays
    for (let at = 0; at < underlays.length; at++) {
      const underlay = underlays[at]!
      if (!underlay.serves(queue) || !underlay.isWritable) continue
      underlay.schedule()
      return
    }
  }

  #wakeAll(): void {
    for (const queue of this.#outbox.queues) if (queue.length > 0) this.#wake(queue)
  }

  #received(buffer: Buffer, start: number, end: number, from: AttachedUnderlay): void {
    const scan = this.#scan
    scanHeaders(buffer, start, scan)
    this.counters.receivedMessages++
    this.counters.receivedBytes += end - start
    const roundTrip = this.#pulse?.received(buffer, scan)
    if (roundTrip !== undefined) this.#observers.answered(roundTrip)
    if (this.isClosed) return
    this.#observers.received(buffer, start, end, from.type)
    if (scan.replyFor >= 0 && valueLengthAt(buffer, scan.replyFor) === 4) {
      const replyFor = buffer.readInt32LE(scan.replyFor)
      if (this.#replies.has(replyFor)) {
        this.#replies.deliver(replyFor, messageAt(buffer, start, end))
        return
      }
    }
    const contentType = contentTypeAt(buffer, start)
    if (this.#dispatcher.dispatch(contentType, buffer, start, end, from)) return
    this.counters.unhandledMessages++
    this.#surroundings.log.debug('message without a handler', { channel: this.name, contentType })
  }

  #tick(): void {
    if (this.#pulse?.check() === false) {
      this.close('peer is silent')
      return
    }
    const { writeTimeout } = this.plan
    if (writeTimeout === 0) return
    const now = this.#surroundings.clock.monotonic()
    for (const attached of [...this.#underlays]) {
      if (attached.blockedFor(now) <= writeTimeout) continue
      attached.destroy(new ChannelError('CONNECTION_LOST', 'it takes nothing'))
    }
  }

  #sent(head: Buffer, start: number, end: number, body: Buffer | undefined, over: AttachedUnderlay): void {
    this.counters.sentMessages++
    this.counters.sentBytes += end - start + (body === undefined ? 0 : body.length)
    this.#observers.sent(head, start, end, body, over.type)
  }

  #gone(attached: AttachedUnderlay, error: Error | undefined): void {
    const index = this.#underlays.indexOf(attached)
    if (index >= 0) this.#underlays.splice(index, 1)
    const { underlay } = attached
    if (error !== undefined) {
      const isExpected = error instanceof ProtocolError || error instanceof ChannelError || 'code' in error
      const fields = { channel: this.name, type: underlay.type, err: error }
      this.#surroundings.log[isExpected ? 'debug' : 'error']('connection lost', fields)
    }
    if (!this.isClosed) this.#assignQueues()
    const milliseconds = this.#surroundings.clock.monotonic() - attached.attachedAt
    this.#tell({ kind: 'removed', underlay, milliseconds, ...(error === undefined ? {} : { error }) })
    if (!this.isClosed) this.#checkConstraints(error)
  }

  #tell(change: UnderlayChange): void {
    for (const listener of this.#underlayListeners) listener(change)
  }

  get #isGroup(): boolean {
    return this.first.secret !== undefined
  }

  #checkConstraints(error?: Error): void {
    if (this.#underlays.length < (this.#isGroup ? this.plan.minUnderlays : 1)) {
      this.close(error instanceof ProtocolError ? 'protocol error' : 'connection lost', error)
    } else if (this.#isGroup && tooFewOf(this.plan, (type) => this.countOf(type)) !== undefined) {
      this.close('too few connections', error)
    }
  }

  #assignQueues(): void {
    const present = new Set(this.#underlays.map(({ type }) => type))
    for (const attached of this.#underlays) {
      const names = queuesFor(this.plan, this.#isGroup ? attached.type : '', present)
      attached.setQueues(names.map((name) => this.#outbox.queue(name)))
    }
  }

  #closedError(): ChannelError {
    return new ChannelError('CLOSED', this.#closing?.reason, { cause: this.#closing?.error })
  }
}
