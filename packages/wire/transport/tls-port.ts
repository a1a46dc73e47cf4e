/**
 * One TCP port with TLS, shared by several protocols that clients tell apart by ALPN.
 *
 * A client that offers nothing gets the protocol registered under the empty name, or the only one there is. Of several
 * that fit, the last it named is taken, as by the Go peer. A protocol may have certificates of its own. Connections are
 * bounded in number and time before anything is known about who makes them; certificates can be renewed at any time and
 * count for new connections.
 */
import type { AddressInfo, Socket } from 'node:net'
import { createServer, type SecureContext, type Server, type TLSSocket } from 'node:tls'
import { surroundings, type WireLog } from '../channel/surroundings.ts'
import type { Connection } from './connection.ts'
import { beginTlsWithFirstBytes } from './first-bytes.ts'
import { HandshakeWindow, type HandshakeWindowOptions } from './handshake-window.ts'
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
  /** Lets in fewer while peers are not served in time. */
  readonly handshakeWindow?: HandshakeWindowOptions | undefined
  readonly maxConnections?: number
}

/** Who takes the connections of a protocol. */
export interface ProtocolHandler {
  /** Connections without a client certificate are cut. What it is worth, the handler judges. */
  readonly requiresCertificate: boolean
  /** What its clients are shown, where that is not what the port shows. */
  readonly tls?: Pick<ServerMaterial, 'servers'>
  accept(socket: TLSSocket): void
}

/** Disposing gives the protocols back. */
export interface PortRegistration extends Disposable {
  /** Shows these to new connections of its protocols; throws and changes nothing when they are unusable. */
  renew(material: Pick<ServerMaterial, 'servers'>): void
}

type Contexts = readonly [NamedContext, ...NamedContext[]]

interface Registered {
  readonly handler: ProtocolHandler
  contexts: Contexts | undefined
}

const defaultHandshakeTimeout = 5_000
const defaultMaxHandshakes = 1_024
const defaultMaxPerSource = 512
const defaultMaxConnections = 20_000

export class TlsPort implements AsyncDisposable {
  readonly #server: Server
  readonly #registered = new Map<string, Registered>()
  readonly #open = new Set<Socket>()
  readonly #log: WireLog
  /** What the protocol of a client demands that it is shown. */
  readonly #chosen = new WeakMap<TLSSocket, SecureContext>()
  #contexts: Contexts
  #address: AddressInfo | undefined

  private constructor(options: TlsPortOptions, log: WireLog) {
    this.#log = log
    this.#contexts = serverContexts(options.tls)
    const pending = new PendingSockets({
      total: options.maxHandshakes ?? defaultMaxHandshakes,
      perSource: options.maxHandshakesPerSource ?? defaultMaxPerSource,
      window: options.handshakeWindow && new HandshakeWindow(options.handshakeWindow),
    })
    const handshakeTimeout = options.handshakeTimeout ?? defaultHandshakeTimeout
    const port = this
    this.#server = createServer({
      ...this.#contexts[0].options,
      handshakeTimeout,
      requestCert: true,
      rejectUnauthorized: false,
      // With TLS 1.3 the protocol is asked for before the certificate, with TLS 1.2 after it.
      ALPNCallback(this: TLSSocket, { protocols, servername }) {
        return port.#chooseProtocol(this, protocols, servername)
      },
      SNICallback(this: TLSSocket, name, done) {
        done(null, port.#chosen.get(this) ?? contextFor(port.#shownFirst, name))
      },
    })
    beginTlsWithFirstBytes(this.#server, handshakeTimeout)
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
      pending.failed(err)
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

  /** The empty name is for clients that offer none. Throws `PROTOCOL_TAKEN`, or `BAD_IDENTITY`. */
  register(protocols: readonly string[], handler: ProtocolHandler): PortRegistration {
    const taken = protocols.find((protocol) => this.#registered.has(protocol))
    if (taken !== undefined) throw new TransportError('PROTOCOL_TAKEN', JSON.stringify(taken))
    const { tls } = handler
    const registered: Registered = { handler, contexts: tls === undefined ? undefined : serverContexts(tls) }
    for (const protocol of protocols) this.#registered.set(protocol, registered)
    this.#showFirst()
    return {
      renew: (material) => {
        registered.contexts = serverContexts(material)
        this.#showFirst()
      },
      [Symbol.dispose]: () => {
        for (const protocol of protocols) {
          if (this.#registered.get(protocol) === registered) this.#registered.delete(protocol)
        }
        this.#showFirst()
      },
    }
  }

  /** The usual handler: channels, from peers with certificates. */
  registerChannels(protocols: readonly string[], accept: (connection: Connection) => void): PortRegistration {
    return this.register(protocols, { requiresCertificate: true, accept: (socket) => accept(tlsConnection(socket)) })
  }

  /** Shows these to new connections; throws and changes nothing when they are unusable. */
  renew(material: ServerMaterial): void {
    this.#contexts = serverContexts(material)
    this.#showFirst()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#server.close(() => resolve())
    for (const socket of this.#open) socket.destroy()
    await promise
  }

  /** What a client sees that names no protocol, and so everyone until it is known which. */
  get #shownFirst(): Contexts {
    return this.#registeredFor(false)?.contexts ?? this.#contexts
  }

  #showFirst(): void {
    this.#server.setSecureContext(this.#shownFirst[0].options)
  }

  #chooseProtocol(socket: TLSSocket, offered: readonly string[], name: string | false): string | undefined {
    const protocol = offered.findLast((each) => this.#registered.has(each))
    const contexts = protocol === undefined ? undefined : (this.#registered.get(protocol)?.contexts ?? this.#contexts)
    if (contexts !== undefined && contexts !== this.#shownFirst) {
      const context = contextFor(contexts, name)
      this.#chosen.set(socket, context)
      socket.setKeyCert(context)
    }
    return protocol
  }

  #route(socket: TLSSocket): void {
    const handler = this.#registeredFor(socket.alpnProtocol)?.handler
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

  #registeredFor(protocol: string | false | null): Registered | undefined {
    if (typeof protocol === 'string') return this.#registered.get(protocol)
    const registered = this.#registered.get('')
    if (registered !== undefined) return registered
    const [only, another] = new Set(this.#registered.values())
    return another === undefined ? only : undefined
  }
}

/** The first that covers the name a client asks for, or the first of all. The platform says false for no name. */
function contextFor(contexts: Contexts, name: string | false): SecureContext {
  const [own, ...others] = contexts
  if (others.length === 0 || !name || own.leaf.checkHost(name) !== undefined) return own.context
  return (others.find(({ leaf }) => leaf.checkHost(name) !== undefined) ?? own).context
}
