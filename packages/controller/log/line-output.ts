/**
 * Lines on their way to a stream that may be slow or stuck.
 *
 * The queue is the stream's own buffer. Its bound is in bytes; when it is full the newest line is dropped and counted,
 * because a log must never stop what it describes. A stream that failed is not written to again.
 */
import type { Writable } from 'node:stream'

export interface LineOutputOptions {
  /** How much may wait before lines are dropped. */
  readonly maxWaitingBytes?: number
}

const DEFAULT_MAX_WAITING_BYTES = 8 * 1_048_576

export class LineOutput {
  readonly #stream: Writable
  readonly #maxWaitingBytes: number
  readonly #onError = () => {
    this.#hasFailed = true
  }
  #hasFailed = false
  #dropped = 0
  #unwritten = 0
  #whenWritten: (() => void)[] = []

  constructor(stream: Writable, options: LineOutputOptions = {}) {
    this.#stream = stream
    this.#maxWaitingBytes = options.maxWaitingBytes ?? DEFAULT_MAX_WAITING_BYTES
    stream.on('error', this.#onError)
  }

  /** How many lines were not written because too much waited or the stream had failed. */
  get dropped(): number {
    return this.#dropped
  }

  /** Bytes that wait. */
  get waiting(): number {
    return this.#stream.writableLength
  }

  /** Takes a whole line or drops it; never waits, never throws. */
  write(line: string): void {
    const isFull = this.#stream.writableLength > 0 && this.#stream.writableLength + line.length > this.#maxWaitingBytes
    if (this.#hasFailed || isFull || !this.#stream.writable) {
      this.#dropped += 1
      return
    }
    this.#unwritten += 1
    this.#stream.write(line, (error) => {
      if (error) this.#dropped += 1
      this.#unwritten -= 1
      if (this.#unwritten === 0) for (const done of this.#whenWritten.splice(0)) done()
    })
  }

  /** Waits until everything taken so far is written, or the deadline has passed. Answers whether it was written. */
  async flush(deadlineMilliseconds: number): Promise<boolean> {
    if (this.#unwritten === 0) return true
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(resolve, deadlineMilliseconds, false)
    this.#whenWritten.push(() => resolve(true))
    const isWritten = await promise
    clearTimeout(timer)
    return isWritten
  }

  /** Lets go of the stream, which stays open: it belongs to whoever made it. */
  detach(): void {
    this.#hasFailed = true
    // A write that is still under way may fail later, and an error nobody listens to ends the process.
    if (this.#unwritten === 0) this.#stream.off('error', this.#onError)
  }
}
