/** Senders that wait, in order, for room in a queue. Their number and their time are bounded. */
import { ChannelError } from './channel-error.ts'
import type { SendQueue } from './send-queue.ts'

export interface SendPatience {
  readonly timeoutMilliseconds: number
  /** The same as a moment of the monotonic clock: the message is not worth sending afterwards. */
  readonly deadline: number
  readonly signal?: AbortSignal
}

interface Waiting {
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

  constructor(queue: SendQueue, limit: number) {
    this.#queue = queue
    this.#limit = limit
  }

  get size(): number {
    return this.#waiting.size
  }

  /** Resolves when the frame is in the queue. */
  wait(head: Buffer, body: Buffer | undefined, patience: SendPatience): Promise<void> {
    const { timeoutMilliseconds, deadline, signal } = patience
    if (signal?.aborted === true) return Promise.reject(signal.reason)
    if (this.#waiting.size >= this.#limit) return Promise.reject(new ChannelError('QUEUE_FULL', this.#queue.name))
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (error: unknown) => {
      if (!this.#waiting.delete(waiting)) return
      this.#queue.waiting = this.#waiting.size
      waiting.release()
      reject(error)
    }
    const timer = setTimeout(() => leave(new ChannelError('SEND_TIMEOUT', this.#queue.name)), timeoutMilliseconds)
    const abort = () => leave(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    const release = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
    const waiting: Waiting = { head, body, deadline, resolve, reject, release }
    this.#waiting.add(waiting)
    this.#queue.waiting = this.#waiting.size
    return promise
  }

  /** There is room: lets in as many as fit. */
  admit(): void {
    for (const waiting of this.#waiting) {
      const { head, body, deadline } = waiting
      if (!this.#queue.hasRoom(head.length + (body?.length ?? 0))) return
      this.#queue.push(head, 0, head.length, body, deadline)
      this.#waiting.delete(waiting)
      this.#queue.waiting = this.#waiting.size
      waiting.release()
      waiting.resolve()
    }
  }

  failAll(makeError: () => unknown): void {
    for (const waiting of this.#waiting) {
      waiting.release()
      waiting.reject(makeError())
    }
    this.#waiting.clear()
    this.#queue.waiting = 0
  }
}
