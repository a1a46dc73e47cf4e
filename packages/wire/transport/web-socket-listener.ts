/**
 * Serves channels in websockets (`wss:` and `ws:`): upgrades at `/ws`, then a TLS session inside that asks for the
 * client's certificate. It takes its connections from a shared TLS port, or from a plain HTTP server of its own.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { surroundings, type WireLog } from '../channel/surroundings.ts'
import type { Connection } from './connection.ts'
import type { ProtocolHandler } from './tls-port.ts'
import { type NamedContext, type ServerMaterial, serverContexts } from './tls-settings.ts'
import { innerConnection, innerServer, innerTls, maxWebSocketMessage, webSocketPath } from './web-socket-stream.ts'

export interface WebSocketListenerOptions {
  /** For the session inside. */
  readonly tls: ServerMaterial
  /** Gets connections whose peer has shown a certificate; others are cut. */
  accept(connection: Connection): void
  /** Milliseconds, for the upgrade and for the session inside. */
  readonly handshakeTimeout?: number
  readonly pingInterval?: number
  readonly pongTimeout?: number
  readonly maxConnections?: number
}

const defaultHandshakeTimeout = 10_000
const defaultPingInterval = 54_000
const defaultPongTimeout = 60_000
const defaultMaxConnections = 10_000
const maxHeaderSize = 16 * 1024
/** What Go peers send. */
const pingText = 'browzerkeepalive'

export class WebSocketListener implements AsyncDisposable {
  readonly #options: WebSocketListenerOptions
  readonly #log: WireLog
  readonly #http: Server
  readonly #upgrades: WebSocketServer
  #context: NamedContext

  constructor(options: WebSocketListenerOptions, deps: { readonly log?: WireLog } = {}) {
    this.#options = options
    this.#log = surroundings(deps).log
    this.#context = serverContexts(options.tls)[0]
    const timeout = options.handshakeTimeout ?? defaultHandshakeTimeout
    this.#http = createServer({ maxHeaderSize, headersTimeout: timeout, requestTimeout: timeout }, (_, response) => {
      response.writeHead(404).end()
    })
    this.#upgrades = new WebSocketServer({
      noServer: true,
      maxPayload: maxWebSocketMessage,
      perMessageDeflate: false,
      path: webSocketPath,
    })
    this.#http.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head))
  }

  /** To be registered on a TLS port under `http/1.1`. */
  get handler(): ProtocolHandler {
    return { requiresCertificate: false, accept: (socket) => this.#http.emit('connection', socket) }
  }

  /** The HTTP server, for a listener that has a port to itself. */
  get server(): Server {
    return this.#http
  }

  /** Shows this inside new connections. */
  renew(material: ServerMaterial): void {
    this.#context = serverContexts(material)[0]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const webSocket of this.#upgrades.clients) webSocket.terminate()
    this.#upgrades.close()
    this.#http.closeAllConnections()
    if (!this.#http.listening) return
    await new Promise((resolve) => this.#http.close(resolve))
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const isFull = this.#upgrades.clients.size >= (this.#options.maxConnections ?? defaultMaxConnections)
    if (isFull || !this.#upgrades.shouldHandle(request)) {
      socket.end(`HTTP/1.1 ${isFull ? '503 Service Unavailable' : '404 Not Found'}\r\nConnection: close\r\n\r\n`)
      return
    }
    this.#upgrades.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', (err) => this.#log.debug('websocket failed', { err }))
      this.#secure(webSocket, request.socket).catch((err: unknown) => {
        this.#log.debug('session inside a websocket failed', { err, from: request.socket.remoteAddress })
        webSocket.terminate()
      })
    })
  }

  async #secure(webSocket: WebSocket, outer: Socket): Promise<void> {
    this.#keepAlive(webSocket)
    const { context } = this.#context
    const timeout = this.#options.handshakeTimeout ?? defaultHandshakeTimeout
    const secure = await innerTls(webSocket, (stream) => innerServer(stream, { secureContext: context }), timeout)
    const connection = innerConnection(secure, outer)
    if (connection.certificates.length === 0) connection.destroy()
    else this.#options.accept(connection)
  }

  #keepAlive(webSocket: WebSocket): void {
    const { pingInterval = defaultPingInterval, pongTimeout = defaultPongTimeout } = this.#options
    const silence = setTimeout(() => webSocket.terminate(), pingInterval + pongTimeout).unref()
    const pings = setInterval(() => webSocket.ping(pingText), pingInterval).unref()
    webSocket.on('pong', () => silence.refresh())
    webSocket.once('close', () => {
      clearTimeout(silence)
      clearInterval(pings)
    })
  }
}
