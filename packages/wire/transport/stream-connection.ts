/** A connection over any duplex stream: sockets, TLS sockets, and the streams that websockets are turned into. */
import { createHash } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { Connection, ConnectionListener } from './connection.ts'
import { PiecewiseWriter } from './piecewise-writer.ts'

/** What is known of a stream besides its bytes. */
export interface StreamFacts {
  readonly localAddress: string
  readonly remoteAddress: string
  readonly certificates?: readonly Buffer[]
  readonly protocol?: string
}

const lingerTime = 1_000

export class StreamConnection implements Connection {
  readonly localAddress: string
  readonly remoteAddress: string
  readonly certificates: readonly Buffer[]
  readonly fingerprint: string | undefined
  readonly protocol: string
  readonly keepsBoundaries = false
  readonly #stream: Duplex
  #listener: ConnectionListener | undefined
  #pieces: PiecewiseWriter | undefined
  #error: Error | undefined
  /** What still comes after `close` is thrown away. */
  #isClosing = false
  #isClosed = false

  constructor(stream: Duplex, facts: StreamFacts) {
    this.#stream = stream
    this.localAddress = facts.localAddress
    this.remoteAddress = facts.remoteAddress
    this.certificates = facts.certificates ?? []
    this.protocol = facts.protocol ?? ''
    const leaf = this.certificates[0]
    this.fingerprint = leaf === undefined ? undefined : createHash('sha1').update(leaf).digest('hex')
    stream.pause()
    stream.on('data', (chunk: Buffer) => {
      if (!this.#isClosing) this.#listener?.onData(chunk)
    })
    stream.on('drain', () => {
      if (this.#pieces === undefined) this.#listener?.onDrain()
    })
    // The protocol has no half-closed state: a peer that has said its last word is gone.
    stream.on('end', () => stream.destroy())
    stream.on('error', (error: Error) => {
      this.#error ??= error
    })
    stream.on('close', () => this.#closed())
    if (stream.destroyed) queueMicrotask(() => this.#closed())
  }

  get isClosed(): boolean {
    return this.#isClosed || this.#stream.destroyed
  }

  attach(listener: ConnectionListener): void {
    this.#listener = listener
    if (this.#isClosed) queueMicrotask(() => listener.onClose(this.#error))
  }

  write(bytes: Buffer): boolean {
    return !this.isClosed && !this.#stream.writableEnded && (this.#pieces ?? this.#stream).write(bytes)
  }

  writeInPieces(bytes: number): void {
    this.#pieces = new PiecewiseWriter(this.#stream, bytes, () => this.#listener?.onDrain())
  }

  pause(): void {
    this.#stream.pause()
  }

  resume(): void {
    this.#stream.resume()
  }

  close(): void {
    if (this.isClosed || this.#isClosing) return
    this.#isClosing = true
    if (this.#pieces === undefined) this.#stream.end()
    else this.#pieces.end(() => this.#stream.end())
    // Without a reader the end of the peer's side would never be noticed.
    this.#stream.resume()
    setTimeout(() => this.#stream.destroy(), lingerTime).unref()
  }

  destroy(error?: Error): void {
    this.#error ??= error
    this.#stream.destroy()
  }

  #closed(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#listener?.onClose(this.#error)
  }
}
