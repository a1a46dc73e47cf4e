/** Reads exactly as many bytes of a socket as a request has, in time, so that what comes behind it is still there. */
import type { Socket } from 'node:net'
import { AgentRequestError } from './agent-protocol.ts'

const longestText = 1_024
const longestVarint = 10

const events = ['readable', 'end', 'close', 'error'] as const

export class RequestReader implements Disposable {
  readonly #socket: Socket
  readonly #until: number
  // Listeners stay for as long as there is something to read: one that is added again is called for what is there
  // already, and a request that comes in parts would keep the process busy.
  readonly #wake = () => this.#waiting?.()
  #waiting: (() => void) | undefined

  /** Of a socket that nobody has read from; the whole request must be there within so many milliseconds. */
  constructor(socket: Socket, milliseconds: number) {
    this.#socket = socket
    this.#until = performance.now() + milliseconds
    for (const event of events) socket.on(event, this.#wake)
  }

  /** Lets someone else read on. */
  [Symbol.dispose](): void {
    for (const event of events) this.#socket.off(event, this.#wake)
  }

  /** Rejects when the socket, or the time, ends before. */
  async bytes(count: number): Promise<Buffer> {
    if (count === 0) return Buffer.alloc(0)
    for (;;) {
      const found: Buffer | null = this.#socket.read(count)
      if (found?.length === count) return found
      if (found !== null || this.#socket.readableEnded || this.#socket.destroyed) throw shortened()
      await this.#more()
    }
  }

  async byte(): Promise<number> {
    return (await this.bytes(1))[0]!
  }

  /** A signed number in zigzag form, seven bits a byte. */
  async varint(): Promise<number> {
    let value = 0n
    for (let at = 0n; at < longestVarint; at++) {
      const next = await this.byte()
      value |= BigInt(next & 0x7f) << (7n * at)
      if (next < 0x80) return Number((value >> 1n) ^ -(value & 1n))
    }
    throw new AgentRequestError('a number that is too long')
  }

  /** A text with its length before it. */
  async text(): Promise<string> {
    const length = await this.varint()
    if (length < 0 || length > longestText) throw new AgentRequestError(`wanted a text of at most ${longestText} bytes`)
    return (await this.bytes(length)).toString('utf8')
  }

  #more(): Promise<void> {
    const left = this.#until - performance.now()
    if (left <= 0) throw new AgentRequestError('the request took too long')
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, left)
      this.#waiting = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

function shortened(): AgentRequestError {
  return new AgentRequestError('the request ends in the middle')
}
