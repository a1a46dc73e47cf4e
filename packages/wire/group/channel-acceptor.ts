/**
 * The listening side: reads hellos, has them judged, answers, and makes channels of the connections.
 *
 * Every connection is judged on its own, additional ones too, and joins a group only with the same identity, the same
 * hello id and the secret of the group. Until its hello is answered a connection is bounded in time, memory and number.
 */
import { timingSafeEqual } from 'node:crypto'
import { Channel } from '../channel/channel.ts'
import { ChannelError } from '../channel/channel-error.ts'
import type { ChannelPlan } from '../channel/channel-plan.ts'
import { type Surroundings, surroundings } from '../channel/surroundings.ts'
import { FrameBudget } from '../frame/frame-limits.ts'
import type { Headers } from '../frame/headers.ts'
import { ProtocolError } from '../frame/protocol-error.ts'
import { type FirstFrame, readFirstFrame } from '../hello/first-frame.ts'
import { decodeHello, type Hello } from '../hello/hello.ts'
import { encodeHelloAnswer, encodeHelloRefusal, type RejectClass } from '../hello/hello-answer.ts'
import { encodeVersionAnswer } from '../hello/version-answer.ts'
import type { Connection } from '../transport/connection.ts'
import { HelloSlots } from './hello-slots.ts'

/** A hello and the connection it came over. Only the certificates of the connection say who the peer is. */
export interface ReceivedHello extends Hello {
  readonly connection: Connection
}

/** What is decided about a connection that may come in. */
export interface Admission {
  /** Whose it is, by its certificate. Only connections of the same identity can share a group. */
  readonly identity: string
  readonly plan: ChannelPlan
  /** For logs and traces. */
  readonly name: string
  /** What the answer says besides the facts of the connection. */
  readonly headers?: Headers
  /** Called for a new channel, when the hello is answered and before anything is read. A throw closes the channel. */
  bind(channel: Channel, hello: ReceivedHello): void | Promise<void>
}

/** Thrown by `admit`: a decision, not a failure. Without a class the connection just ends, as with the Go peer. */
export class HelloRefusal extends Error {
  readonly rejectClass: RejectClass | undefined

  constructor(text: string, rejectClass?: RejectClass) {
    super(text)
    this.name = 'HelloRefusal'
    this.rejectClass = rejectClass
  }
}

export interface ChannelAcceptorOptions {
  /** What we call ourselves in answers. */
  readonly id: string
  admit(hello: ReceivedHello): Admission | Promise<Admission>
  /** For the hello and its judgement. Milliseconds. */
  readonly helloTimeout?: number
  readonly bindTimeout?: number
  /** Connections whose hello is not answered yet, altogether and from one host. */
  readonly maxHellos?: number
  readonly maxHellosPerSource?: number
  readonly maxChannelsPerIdentity?: number
  /** For unfinished large frames of all channels together; one of its own unless given. */
  readonly budget?: FrameBudget
}

interface Group {
  readonly helloId: string
  readonly secret: Buffer
  /** Undefined while it is being made. */
  channel: Channel | undefined
  readonly made: Promise<void>
}

const defaultHelloTimeout = 5_000
const defaultBindTimeout = 15_000
const defaultMaxHellos = 1_024
const defaultMaxHellosPerSource = 256
const defaultMaxChannels = 64
/** For a group that is still being made. */
const groupPatience = 1_000
const secretLength = 16

export class ChannelAcceptor implements AsyncDisposable {
  readonly #options: ChannelAcceptorOptions
  readonly #given: Surroundings
  readonly #groups = new Map<string, Group>()
  readonly #channels = new Set<Channel>()
  readonly #byIdentity = new Map<string, number>()
  readonly #slots: HelloSlots
  readonly #budget: FrameBudget
  #isClosed = false

  constructor(options: ChannelAcceptorOptions, given: Partial<Surroundings> = {}) {
    this.#options = options
    this.#given = surroundings(given)
    const { maxHellos = defaultMaxHellos, maxHellosPerSource = defaultMaxHellosPerSource } = options
    this.#budget = options.budget ?? new FrameBudget()
    this.#slots = new HelloSlots(maxHellos, maxHellosPerSource)
  }

  get channels(): ReadonlySet<Channel> {
    return this.#channels
  }

  /** Connections whose hello is not answered yet. */
  get pending(): number {
    return this.#slots.size
  }

  /** Takes a connection. What goes wrong with it ends it and is logged. */
  accept(connection: Connection): void {
    const { log } = this.#given
    if (this.#isClosed || !this.#slots.take(connection)) {
      log.debug('connection turned away, too many hellos', { from: connection.remoteAddress })
      connection.destroy()
      return
    }
    this.#welcome(connection)
      .catch((err: unknown) => {
        log[levelOf(err)]('hello refused', { from: connection.remoteAddress, err })
        connection.close()
      })
      .finally(() => this.#slots.release(connection))
  }

  /** Ends all channels. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    this.#slots.destroyAll()
    const channels = [...this.#channels]
    for (const channel of channels) channel.close()
    await Promise.all(channels.map(({ closed }) => closed))
  }

  async #welcome(connection: Connection): Promise<void> {
    const timeoutMilliseconds = this.#options.helloTimeout ?? defaultHelloTimeout
    const startedAt = performance.now()
    const first = await this.#read(connection, timeoutMilliseconds)
    const hello: ReceivedHello = { ...decodeHello(first.message), connection }
    const left = Math.max(1, timeoutMilliseconds - (performance.now() - startedAt))
    try {
      const admission = await within(left, this.#options.admit(hello))
      if (hello.group === undefined) await this.#make(hello, first, admission, undefined)
      else await this.#group(hello, first, admission)
    } catch (error) {
      const reason = classOf(error)
      if (reason !== undefined) connection.write(encodeHelloRefusal(hello, reason, (error as Error).message))
      throw error
    }
  }

  async #read(connection: Connection, timeoutMilliseconds: number): Promise<FirstFrame> {
    try {
      return await readFirstFrame(connection, { timeoutMilliseconds }, this.#budget)
    } catch (error) {
      if (error instanceof ProtocolError && error.code === 'BAD_MAGIC') connection.write(encodeVersionAnswer())
      throw error
    }
  }

  async #group(hello: ReceivedHello, first: FirstFrame, admission: Admission): Promise<void> {
    const place = hello.group!
    const id = place.connectionId ?? this.#newId()
    // Nobody can squat on, or probe, the ids of others.
    const key = `${admission.identity}\n${id}`
    const known = this.#groups.get(key)
    if (known !== undefined) {
      if (known.channel === undefined) await Promise.race([known.made, timer(groupPatience)])
      const group = this.#groups.get(key)
      if (group?.channel !== undefined && !group.channel.isClosed) {
        this.#join(hello, first, group, group.channel, admission)
        return
      }
    }
    if (!place.isFirst || this.#groups.has(key)) throw new ChannelError('GROUP_UNKNOWN')
    await this.#make(hello, first, admission, { key, id })
  }

  #join(hello: ReceivedHello, first: FirstFrame, group: Group, channel: Channel, admission: Admission): void {
    const { secret } = hello.group!
    const isSecret =
      secret !== undefined && secret.length === group.secret.length && timingSafeEqual(secret, group.secret)
    if (!isSecret || hello.id !== group.helloId) throw new ChannelError('GROUP_SECRET')
    const max = channel.plan.underlays[hello.type]?.max ?? 1
    if (channel.countOf(hello.type) >= max) throw new ChannelError('TOO_MANY', hello.type)
    this.#answer(hello, admission, channel.id, group.secret)
    channel.add({ ...underlayFacts(hello, first), connectionId: channel.id, secret: group.secret })
  }

  /** The group is reserved before the answer goes out: the answer lets the dialer send further connections. */
  async #make(
    hello: ReceivedHello,
    first: FirstFrame,
    admission: Admission,
    place: { readonly key: string; readonly id: string } | undefined,
  ): Promise<void> {
    const { identity } = admission
    const count = this.#byIdentity.get(identity) ?? 0
    if (count >= (this.#options.maxChannelsPerIdentity ?? defaultMaxChannels))
      throw new ChannelError('TOO_MANY', identity)
    this.#byIdentity.set(identity, count + 1)
    const connectionId = place?.id ?? this.#newId()
    const secret = place === undefined ? undefined : (hello.group?.secret ?? this.#given.randomBytes(secretLength))
    const { promise: made, resolve: isMade } = Promise.withResolvers<void>()
    const group: Group | undefined =
      secret === undefined ? undefined : { helloId: hello.id, secret, channel: undefined, made }
    if (place !== undefined && group !== undefined) this.#groups.set(place.key, group)
    const release = () => {
      if (place !== undefined && this.#groups.get(place.key) === group) this.#groups.delete(place.key)
      const left = this.#byIdentity.get(identity)! - 1
      if (left === 0) this.#byIdentity.delete(identity)
      else this.#byIdentity.set(identity, left)
    }
    const channel = new Channel({ ...underlayFacts(hello, first), connectionId, secret }, admission, this.#given)
    this.#channels.add(channel)
    channel.closed.then(() => {
      this.#channels.delete(channel)
      release()
      isMade()
    })
    try {
      this.#answer(hello, admission, connectionId, secret)
      await within(this.#options.bindTimeout ?? defaultBindTimeout, admission.bind(channel, hello))
      if (group !== undefined) group.channel = channel
      channel.start()
      isMade()
    } catch (error) {
      channel.close()
      this.#given.log[levelOf(error)]('channel not bound', {
        channel: admission.name,
        err: error,
      })
    }
  }

  #answer(hello: ReceivedHello, admission: Admission, connectionId: string, secret: Buffer | undefined): void {
    const answer = encodeHelloAnswer(hello, {
      id: this.#options.id,
      connectionId,
      ...(secret === undefined ? {} : { secret }),
      ...(admission.headers === undefined ? {} : { headers: admission.headers }),
    })
    hello.connection.write(answer)
    // The peer was admitted; what comes now is bounded by the channels it may have.
    this.#slots.release(hello.connection)
  }

  #newId(): string {
    return this.#given.randomBytes(9).toString('base64url')
  }
}

function underlayFacts(hello: ReceivedHello, { reader }: FirstFrame) {
  return { connection: hello.connection, reader, type: hello.type, peerId: hello.id, headers: hello.headers }
}

/** Decisions are worth a line, noise is not, and anything else is a bug or a part of the process that does not work. */
function levelOf(error: unknown): 'debug' | 'info' | 'error' {
  if (error instanceof HelloRefusal) return 'info'
  return error instanceof ProtocolError || error instanceof ChannelError ? 'debug' : 'error'
}

/** With which class a connection is refused; undefined for those that end without a word. */
function classOf(error: unknown): RejectClass | undefined {
  if (error instanceof HelloRefusal) return error.rejectClass
  if (!(error instanceof ChannelError)) return undefined
  return error.code === 'TOO_MANY' ? 'busy' : error.code === 'GROUP_SECRET' ? 'not permitted' : undefined
}

async function within<T>(milliseconds: number, work: T | Promise<T>): Promise<T> {
  if (!(work instanceof Promise)) return work
  const { promise, reject } = Promise.withResolvers<never>()
  const alarm = setTimeout(() => reject(new ChannelError('HELLO_TIMEOUT')), milliseconds)
  return await Promise.race([work, promise]).finally(() => clearTimeout(alarm))
}

function timer(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
}
