/**
 * One TCP port with TLS, shared by several protocols that clients tell apart by ALPN.
 *
 * A client that offers nothing gets the protocol registered under the empty name, or the only one there is. Of several
 * that fit, the last it named is taken, as by the Go peer. Connections are bounded in number and time before anything
 * is known about who makes them; certificates can be renewed at any time and count for new connections.
 */
import type { AddressInfo, Socket } from 'node:net'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import { surroundings, type WireLog } from '../channel/surroundings.ts'
import type { Connection } from './connection.ts'
import { listenOn } from './listen-on.ts'
import { PendingSockets } from './pending-sockets.ts'
import { tlsConnection, tune } from './socket-connection.ts'
import { type NamedContext, type ServerMaterial, serverContexts } from './tls-settings.ts'
import { TransportError } from './transport-error.ts'

export interface TlsPortOptions {
  /** Empty for every address of the machine. */
  readonly host: string
  /** Zero for any free one. */
  readonly port: number
  readonly tls: ServerMaterial
  readonly handshakeTimeout?: number
  /** Handshakes that may be under way, altogether and for one source address. */
  readonly maxHandshakes?: number
  readonly maxHandshakesPerSource?: number
  readonly maxConnections?: number
}

/** Who takes the connections of a protocol. */
export interface ProtocolHandler {
  /** Connections without a client certificate are cut. What it is worth, the handler judges. */
  readonly requiresCertificate: boolean
  accept(socket: TLSSocket): void
}

const defaultHandshakeTimeout = 5_000
const defaultMaxHandshakes = 1_024
const defaultMaxPerSource = 512
const defaultMaxConnections = 20_000

export class TlsPort implements AsyncDisposable {
  readonly #server: Server
  readonly #handlers = new Map<string, ProtocolHandler>()
  readonly #open = new Set<Socket>()
  readonly #log: WireLog
  #contexts: readonly [NamedContext, ...NamedContext[]]
  #address: AddressInfo | undefined

  private constructor(options: TlsPortOptions, log: WireLog) {
    this.#log = log
    this.#contexts = serverContexts(options.tls)
    const pending = new PendingSockets(
      options.maxHandshakes ?? defaultMaxHandshakes,
      options.maxHandshakesPerSource ?? defaultMaxPerSource,
    )
    this.#server = createServer({
      ...this.#contexts[0].options,
      handshakeTimeout: options.handshakeTimeout ?? defaultHandshakeTimeout,
      requestCert: true,
      rejectUnauthorized: false,
      ALPNCallback: ({ protocols }) => protocols.findLast((protocol) => this.#handlers.has(protocol)),
      SNICallback: (name, done) => done(null, this.#contextFor(name)),
    })
    this.#server.maxConnections = options.maxConnections ?? defaultMaxConnections
    this.#server.on('connection', (socket) => {
      if (!pending.admit(socket)) {
        this.#log.debug('connection turned away, too many handshakes', { from: socket.remoteAddress })
        return
      }
      tune(socket)
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
    })
    this.#server.on('secureConnection', (socket) => {
      pending.done(socket)
      this.#route(socket)
    })
    this.#server.on('tlsClientError', (err, socket) => {
      this.#log.debug('TLS handshake failed', { err, from: socket.remoteAddress })
      // The platform reports a handshake that took too long and leaves its connection open.
      socket.destroy()
    })
  }

  /** Rejects with `LISTEN_FAILED`, or `BAD_IDENTITY`. */
  static async open(options: TlsPortOptions, deps: { readonly log?: WireLog } = {}): Promise<TlsPort> {
    const port = new TlsPort(options, surroundings(deps).log)
    port.#address = await listenOn(port.#server, options.host, options.port)
    port.#server.on('error', (err) => port.#log.error('TLS listener failed', { err }))
    return port
  }

  get address(): AddressInfo {
    return this.#address!
  }

  /** The empty name is for clients that offer none. Throws `PROTOCOL_TAKEN`. Disposing gives the names back. */
  register(protocols: readonly string[], handler: ProtocolHandler): Disposable {
    const taken = protocols.find((protocol) => this.#handlers.has(protocol))
    if (taken !== undefined) throw new TransportError('PROTOCOL_TAKEN', JSON.stringify(taken))
    for (const protocol of protocols) this.#handlers.set(protocol, handler)
    return {
      [Symbol.dispose]: () => {
        for (const protocol of protocols) {
          if (this.#handlers.get(protocol) === handler) this.#handlers.delete(protocol)
        }
      },
    }
  }

  /** The usual handler: channels, from peers with certificates. */
  registerChannels(protocols: readonly string[], accept: (connection: Connection) => void): Disposable {
    return this.register(protocols, { requiresCertificate: true, accept: (socket) => accept(tlsConnection(socket)) })
  }

  /** Shows these to new connections; throws and changes nothing when they are unusable. */
  renew(material: ServerMaterial): void {
    this.#contexts = serverContexts(material)
    this.#server.setSecureContext(this.#contexts[0].options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    for (const socket of this.#open) socket.destroy()
    await promise
  }

  #route(socket: TLSSocket): void {
    const handler = this.#handlerFor(socket.alpnProtocol)
    const isRefused = handler?.requiresCertificate === true && socket.getPeerX509Certificate() === undefined
    if (handler === undefined || isRefused) {
      this.#log.debug('connection cut', {
        from: socket.remoteAddress,
        why: isRefused ? 'no certificate' : 'no protocol',
      })
      // Errors of a connection nobody has taken interest no one.
      socket.on('error', () => {})
      socket.destroy()
    } else handler.accept(socket)
  }

  #handlerFor(protocol: string | false | null): ProtocolHandler | undefined {
    if (typeof protocol === 'string') return this.#handlers.get(protocol)
    const handler = this.#handlers.get('')
    if (handler !== undefined) return handler
    const [only, another] = new Set(this.#handlers.values())
    return another === undefined ? only : undefined
  }

  #contextFor(name: string) {
    const [own, ...others] = this.#contexts
    if (others.length === 0 || own.leaf.checkHost(name) !== undefined) return own.context
    return (others.find(({ leaf }) => leaf.checkHost(name) !== undefined) ?? own).context
  }
}
