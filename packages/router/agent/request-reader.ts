/** Reads exactly as many bytes of a socket as a request has, in time, so that what comes behind it is still there. */
import type { Socket } from 'node:net'
import { AgentRequestError } from './agent-protocol.ts'

const longestText = 1_024
const longestVarint = 10

export class RequestReader {
  readonly #socket: Socket
  readonly #until: number

  /** Of a socket that nobody has read from; the whole request must be there within so many milliseconds. */
  constructor(socket: Socket, milliseconds: number) {
    this.#socket = socket
    this.#until = performance.now() + milliseconds
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
      const events = ['readable', 'end', 'close', 'error'] as const
      const done = () => {
        clearTimeout(timer)
        for (const event of events) this.#socket.off(event, done)
        resolve()
      }
      const timer = setTimeout(done, left)
      for (const event of events) this.#socket.on(event, done)
    })
  }
}

function shortened(): AgentRequestError {
  return new AgentRequestError('the request ends in the middle')
}
