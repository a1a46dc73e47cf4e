/** Senders that wait, in order, for room in a queue. Their number, their bytes and their time are bounded. */
import { ChannelError } from './channel-error.ts'
import type { SendQueue } from './send-queue.ts'

export interface SendPatience {
  readonly timeoutMilliseconds: number
  /** The same as a moment of the monotonic clock: the message is not worth sending afterwards. */
  readonly deadline: number
  readonly signal?: AbortSignal
}

interface Waiting {
  readonly size: number
  readonly head: Buffer
  readonly body: Buffer | undefined
  readonly deadline: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  readonly release: () => void
}

export class WaitingRoom {
  readonly #queue: SendQueue
  readonly #limit: number
  readonly #waiting = new Set<Waiting>()
  #bytes = 0

  constructor(queue: SendQueue, limit: number) {
    this.#queue = queue
    this.#limit = limit
  }

  get size(): number {
    return this.#waiting.size
  }

  /**
   * Resolves when the frame is in the queue. As many bytes may wait as fit into the queue, and one frame of any size: a
   * peer that asks and does not read decides how many answers wait, and how long they are.
   */
  wait(head: Buffer, body: Buffer | undefined, patience: SendPatience): Promise<void> {
    const { timeoutMilliseconds, deadline, signal } = patience
    if (signal?.aborted === true) return Promise.reject(signal.reason)
    const size = head.length + (body?.length ?? 0)
    const isTooMuch = this.#waiting.size > 0 && this.#bytes + size > this.#queue.maxBytes
    if (isTooMuch || this.#waiting.size >= this.#limit)
      return Promise.reject(new ChannelError('QUEUE_FULL', this.#queue.name))
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (error: unknown) => {
      if (!this.#waiting.has(waiting)) return
      this.#left(waiting)
      reject(error)
    }
    const timer = setTimeout(() => leave(new ChannelError('SEND_TIMEOUT', this.#queue.name)), timeoutMilliseconds)
    const abort = () => leave(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    const release = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
    const waiting: Waiting = { size, head, body, deadline, resolve, reject, release }
    this.#waiting.add(waiting)
    this.#bytes += size
    this.#queue.waiting = this.#waiting.size
    return promise
  }

  /** There is room: lets in as many as fit. */
  admit(): void {
    for (const waiting of this.#waiting) {
      const { size, head, body, deadline } = waiting
      if (!this.#queue.hasRoom(size)) return
      this.#queue.push(head, 0, head.length, body, deadline)
      this.#left(waiting)
      waiting.resolve()
    }
  }

  failAll(makeError: () => unknown): void {
    for (const waiting of [...this.#waiting]) {
      this.#left(waiting)
      waiting.reject(makeError())
    }
  }

  #left(waiting: Waiting): void {
    this.#waiting.delete(waiting)
    this.#bytes -= waiting.size
    this.#queue.waiting = this.#waiting.size
    waiting.release()
  }
}
