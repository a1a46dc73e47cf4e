/**
 * A channel straight over a websocket: one frame per binary message, no hello, no TLS inside. The controller's management
 * stream is one; who is at the other end was settled by the HTTP request.
 */
import type { WebSocket } from 'ws'
import { bodyLengthAt, fixedLength, headersLengthAt } from '../frame/layout.ts'
import { ProtocolError } from '../frame/protocol-error.ts'
import type { Connection, ConnectionListener } from './connection.ts'

export interface WebSocketFacts {
  readonly localAddress: string
  readonly remoteAddress: string
  readonly certificates?: readonly Buffer[]
}

/** More bytes than this waiting to be sent stop the writer, until they are gone. */
const highWaterMark = 64 * 1024
const lingerTime = 1_000

export class WebSocketConnection implements Connection {
  readonly localAddress: string
  readonly remoteAddress: string
  readonly certificates: readonly Buffer[]
  readonly fingerprint = undefined
  readonly protocol = ''
  readonly keepsBoundaries = true
  readonly #webSocket: WebSocket
  #listener: ConnectionListener | undefined
  #error: Error | undefined
  #isFull = false
  #isClosed = false

  /** The websocket has to be open. Set `maxPayload` where it is made: larger messages end it. */
  constructor(webSocket: WebSocket, facts: WebSocketFacts) {
    this.#webSocket = webSocket
    this.localAddress = facts.localAddress
    this.remoteAddress = facts.remoteAddress
    this.certificates = facts.certificates ?? []
    webSocket.pause()
    webSocket.on('message', (data, isBinary) => this.#received(data as Buffer, isBinary))
    webSocket.on('error', (error) => {
      this.#error ??= error
    })
    webSocket.on('close', () => {
      this.#isClosed = true
      this.#listener?.onClose(this.#error)
    })
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  attach(listener: ConnectionListener): void {
    this.#listener = listener
    if (this.#isClosed) queueMicrotask(() => listener.onClose(this.#error))
  }

  write(bytes: Buffer): boolean {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return false
    this.#webSocket.send(bytes, { binary: true }, () => this.#sent())
    this.#isFull = this.#webSocket.bufferedAmount > highWaterMark
    return !this.#isFull
  }

  /** A message is one frame: it cannot be divided. */
  writeInPieces(): void {}

  pause(): void {
    this.#webSocket.pause()
  }

  resume(): void {
    this.#webSocket.resume()
  }

  close(): void {
    if (this.#isClosed) return
    this.#webSocket.close()
    this.#webSocket.resume()
    setTimeout(() => this.#webSocket.terminate(), lingerTime).unref()
  }

  destroy(error?: Error): void {
    this.#error ??= error
    this.#webSocket.terminate()
  }

  #received(data: Buffer, isBinary: boolean): void {
    if (!isBinary) this.destroy(new Error('a text message on a channel'))
    else if (!isOneFrame(data)) this.destroy(new ProtocolError('TRUNCATED', 'a message is not one frame'))
    else this.#listener?.onData(data)
  }

  #sent(): void {
    if (!this.#isFull || this.#webSocket.bufferedAmount > highWaterMark) return
    this.#isFull = false
    this.#listener?.onDrain()
  }
}

/** What it says and whether it may be so long is for the reader; here only whether anything is missing or left over. */
function isOneFrame(data: Buffer): boolean {
  return data.length >= fixedLength && data.length === fixedLength + headersLengthAt(data, 0) + bodyLengthAt(data, 0)
}
