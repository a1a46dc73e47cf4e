/** A plain TCP port for channels without TLS: tests and local tools. No peer on it has a certificate. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Connection } from './connection.ts'
import { listenOn } from './listen-on.ts'
import { tcpConnection } from './socket-connection.ts'

const maxConnections = 1_024

export class TcpPort implements AsyncDisposable {
  readonly #server: Server
  readonly #open = new Set<Socket>()
  readonly address: AddressInfo

  private constructor(server: Server, open: Set<Socket>, address: AddressInfo) {
    this.#server = server
    this.#open = open
    this.address = address
  }

  static async open(host: string, port: number, accept: (connection: Connection) => void): Promise<TcpPort> {
    const open = new Set<Socket>()
    const server = createServer((socket) => {
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      accept(tcpConnection(socket))
    })
    server.maxConnections = maxConnections
    const address = await listenOn(server, host, port)
    // Failures of single accepts, such as too many open files, leave the port open.
    server.on('error', () => {})
    return new TcpPort(server, open, address)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    for (const socket of this.#open) socket.destroy()
    await promise
  }
}
