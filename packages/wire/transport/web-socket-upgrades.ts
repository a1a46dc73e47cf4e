/**
 * Websockets on somebody else's HTTP server, each a connection whose messages are frames. Who may have one is settled before
 * `accept` is called.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { type WebSocket, WebSocketServer } from 'ws'
import { WebSocketConnection } from './web-socket-connection.ts'

export interface WebSocketUpgradesOptions {
  /** Bytes of one message; a larger one ends its connection. */
  readonly maxMessage: number
  readonly maxConnections: number
  /** Milliseconds between two pings, and how long after the last sign of life a connection is given up. */
  readonly pingInterval?: number
  readonly silenceLimit?: number
}

const defaultPingInterval = 30_000
const defaultSilenceLimit = 90_000

export class WebSocketUpgrades implements Disposable {
  readonly #options: WebSocketUpgradesOptions
  readonly #server: WebSocketServer

  constructor(options: WebSocketUpgradesOptions) {
    this.#options = options
    const { maxMessage: maxPayload } = options
    this.#server = new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false })
  }

  get isFull(): boolean {
    return this.#server.clients.size >= this.#options.maxConnections
  }

  /** Answers the handshake; a bad one is refused, and then nobody is called. */
  accept(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    take: (connection: WebSocketConnection) => void,
  ): void {
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      this.#keepAlive(webSocket)
      const { socket: outer } = request
      const certificate = outer instanceof TLSSocket ? outer.getPeerX509Certificate()?.raw : undefined
      const facts = {
        localAddress: `${outer.localAddress}:${outer.localPort}`,
        remoteAddress: `${outer.remoteAddress}:${outer.remotePort}`,
        certificates: certificate === undefined ? [] : [certificate],
      }
      take(new WebSocketConnection(webSocket, facts))
    })
  }

  [Symbol.dispose](): void {
    for (const webSocket of this.#server.clients) webSocket.terminate()
    this.#server.close()
  }

  #keepAlive(webSocket: WebSocket): void {
    const { pingInterval = defaultPingInterval, silenceLimit = defaultSilenceLimit } = this.#options
    const silence = setTimeout(() => webSocket.terminate(), silenceLimit).unref()
    const pings = setInterval(() => webSocket.ping(), pingInterval).unref()
    for (const sign of ['pong', 'ping', 'message'] as const) webSocket.on(sign, () => silence.refresh())
    webSocket.once('close', () => {
      clearTimeout(silence)
      clearInterval(pings)
    })
  }
}
