/**
 * One keep-alive connection that has at most one request outstanding. It reads into a buffer of its own, without the
 * machinery of streams.
 */
import { once } from 'node:events'
import tls, { type SecureContext } from 'node:tls'
import { ResponseReader } from './response-reader.ts'

export interface Endpoint {
  readonly host: string
  readonly port: number
}

export interface ConnectionOptions {
  readonly keepsBody: boolean
  /** Holds the certificate that the client presents. */
  readonly secureContext?: SecureContext | undefined
}

const READ_BUFFER = 65_536

export class LoadConnection implements Disposable {
  readonly #reader: ResponseReader
  #socket!: tls.TLSSocket
  #onResponse: ((status: number, body: string) => void) | undefined
  #onBroken: (error: Error) => void = () => {}

  private constructor(reader: ResponseReader) {
    this.#reader = reader
  }

  /** A connection with its handshake done. The certificate is not judged: only time is measured here. */
  static async open({ host, port }: Endpoint, options: ConnectionOptions): Promise<LoadConnection> {
    const { secureContext } = options
    const connection = new LoadConnection(new ResponseReader(options))
    const socket = tls.connect({
      host,
      port,
      ...(secureContext && { secureContext }),
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
      onread: {
        buffer: Buffer.allocUnsafe(READ_BUFFER),
        callback: (length: number, buffer: Buffer) => connection.#take(buffer.subarray(0, length)),
      },
    } as tls.ConnectionOptions)
    connection.#socket = socket
    await once(socket, 'secureConnect')
    socket.setNoDelay(true)
    socket.on('error', (error) => connection.#break(error))
    socket.on('close', () => connection.#break(new Error('the server closed a connection')))
    return connection
  }

  /** Sends a request; `onResponse` is called once. Nothing else may be outstanding. */
  send(request: Buffer | string, onResponse: (status: number, body: string) => void, onBroken: (e: Error) => void) {
    this.#onResponse = onResponse
    this.#onBroken = onBroken
    this.#socket.write(request)
  }

  /** Sends a request and waits for the response. */
  ask(request: Buffer | string): Promise<{ readonly status: number; readonly body: string }> {
    return new Promise((resolve, reject) => this.send(request, (status, body) => resolve({ status, body }), reject))
  }

  [Symbol.dispose](): void {
    this.#onResponse = undefined
    this.#socket.destroy()
  }

  #take(bytes: Buffer): boolean {
    try {
      if (!this.#reader.take(bytes)) return true
    } catch (error) {
      this.#break(error as Error)
      return true
    }
    const onResponse = this.#onResponse
    this.#onResponse = undefined
    onResponse?.(this.#reader.status, this.#reader.body)
    return true
  }

  #break(error: Error): void {
    if (this.#onResponse === undefined) return
    this.#onResponse = undefined
    this.#onBroken(error)
  }
}
