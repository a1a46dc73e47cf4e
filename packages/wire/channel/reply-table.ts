/** Requests that wait for their replies, by sequence. Bounded in number and each in time. */
import type { Message } from '../frame/message.ts'
import { ChannelError } from './channel-error.ts'

interface Waiter {
  readonly resolve: (reply: Message) => void
  readonly reject: (error: unknown) => void
  readonly timer: NodeJS.Timeout
  readonly release: () => void
}

export class ReplyTable {
  readonly #limit: number
  readonly #waiters = new Map<number, Waiter>()

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#waiters.size
  }

  /**
   * The promise settles with the reply, or when the time is over, the signal fires or the table closes. Throws when the
   * request should not even be sent.
   */
  expect(sequence: number, timeoutMilliseconds: number, signal?: AbortSignal): Promise<Message> {
    signal?.throwIfAborted()
    if (this.#waiters.size >= this.#limit) {
      throw new ChannelError('TOO_MANY_REQUESTS', `${this.#limit} are waiting`)
    }
    const { promise, resolve, reject } = Promise.withResolvers<Message>()
    const abort = () => this.fail(sequence, signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    const timer = setTimeout(() => {
      this.fail(sequence, new ChannelError('TIMEOUT', `${timeoutMilliseconds} ms`))
    }, timeoutMilliseconds)
    const release = () => signal?.removeEventListener('abort', abort)
    this.#waiters.set(sequence, { resolve, reject, timer, release })
    return promise
  }

  has(sequence: number): boolean {
    return this.#waiters.has(sequence)
  }

  deliver(sequence: number, reply: Message): void {
    this.#take(sequence)?.resolve(reply)
  }

  fail(sequence: number, error: unknown): void {
    this.#take(sequence)?.reject(error)
  }

  failAll(makeError: () => unknown): void {
    for (const sequence of [...this.#waiters.keys()]) this.fail(sequence, makeError())
  }

  #take(sequence: number): Waiter | undefined {
    const waiter = this.#waiters.get(sequence)
    if (waiter === undefined) return undefined
    this.#waiters.delete(sequence)
    clearTimeout(waiter.timer)
    waiter.release()
    return waiter
  }
}
