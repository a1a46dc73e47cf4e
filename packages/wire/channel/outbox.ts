/**
 * The sending half of a channel up to its connections: numbers messages, encodes them, and keeps them in the queues of
 * the plan until a connection takes them.
 *
 * When a queue is full, `offer` refuses and `wait` waits, in order and with a bound on how many do. A message that is
 * taken after its deadline is left out.
 */
import { channelHeader } from '../frame/channel-headers.ts'
import type { FrameLimits } from '../frame/frame-limits.ts'
import { Headers } from '../frame/headers.ts'
import { writeSequence } from '../frame/layout.ts'
import { encodeFrame, encodeFrameHead, type OutgoingMessage } from '../frame/message.ts'
import { ProtocolError } from '../frame/protocol-error.ts'
import { ChannelError } from './channel-error.ts'
import type { ChannelPlan } from './channel-plan.ts'
import { SendQueue } from './send-queue.ts'
import { type SendPatience, WaitingRoom } from './waiting-room.ts'

/** Bodies from this size on are not copied behind their head. */
const bodyApart = 4 * 1024

export class Outbox {
  readonly queues: readonly SendQueue[]
  readonly #rooms: ReadonlyMap<SendQueue, WaitingRoom>
  readonly #defaultQueue: string
  readonly #limits: FrameLimits
  #sequence = 0

  constructor(plan: ChannelPlan, maxWaiting: number) {
    this.#defaultQueue = plan.defaultQueue
    this.#limits = plan.limits
    this.queues = plan.queues.map(({ name, messages, bytes }) => new SendQueue(name, messages, bytes))
    this.#rooms = new Map(this.queues.map((queue) => [queue, new WaitingRoom(queue, maxWaiting)]))
  }

  queue(name: string = this.#defaultQueue): SendQueue {
    const queue = this.queues.find((candidate) => candidate.name === name)
    if (queue === undefined) throw new ChannelError('NO_SUCH_QUEUE', name)
    return queue
  }

  /** From 1 on; the numbers wrap as those of an int32 do. */
  nextSequence(): number {
    this.#sequence = (this.#sequence + 1) | 0
    return this.#sequence
  }

  offer(queue: SendQueue, message: OutgoingMessage): boolean {
    const { head, body } = this.#encode(message, this.nextSequence())
    return queue.push(head, 0, head.length, body, 0)
  }

  offerFrame(queue: SendQueue, buffer: Buffer, start: number, end: number): boolean {
    writeSequence(buffer, start, this.nextSequence())
    return queue.push(buffer, start, end, undefined, 0)
  }

  /** Resolves when the message is in its queue. */
  async wait(queue: SendQueue, message: OutgoingMessage, sequence: number, patience: SendPatience): Promise<void> {
    const { head, body } = this.#encode(message, sequence)
    const room = this.#rooms.get(queue)!
    // Nobody overtakes those who wait already.
    if (room.size === 0 && queue.push(head, 0, head.length, body, patience.deadline)) return
    await room.wait(head, body, patience)
  }

  /** A frame was taken from this queue. */
  hasRoom(queue: SendQueue): void {
    this.#rooms.get(queue)!.admit()
    queue.tellRoom()
  }

  close(makeError: () => unknown): void {
    for (const room of this.#rooms.values()) room.failAll(makeError)
    for (const queue of this.queues) queue.clear()
  }

  #encode(message: OutgoingMessage, sequence: number): { head: Buffer; body: Buffer | undefined } {
    const { contentType, headers = noHeaders, body = nothing } = message
    if (body.length > this.#limits.body || headers.byteLength > this.#limits.headers) {
      throw new ChannelError('MESSAGE_TOO_LARGE', `type ${contentType}, ${body.length} bytes`)
    }
    checkReplyFor(headers)
    if (body.length < bodyApart) return { head: encodeFrame(contentType, headers, body, sequence), body: undefined }
    return { head: encodeFrameHead(contentType, headers, body.length, sequence), body }
  }
}

/** A reply-for of another length stops a Go peer, so it never leaves this process. */
function checkReplyFor(headers: Headers): void {
  const length = headers.get(channelHeader.replyFor)?.length ?? 4
  if (length !== 4) throw new ProtocolError('BAD_MESSAGE', 'the reply-for header has to have four bytes')
}

const noHeaders = new Headers()
const nothing = Buffer.alloc(0)
