/**
 * A running web server: all bind points of one `web` entry of the configuration, with one handler behind them.
 *
 * Bind points stand on their own: one that cannot be opened is reported with its reason and leaves the others serving.
 * Every connection is bounded in time and memory before anything is known about who made it.
 */
import http from 'node:http'
import type https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { isLoopbackHost } from '@weft/model/config-file'
import { HandshakeWindow, type HandshakeWindowOptions, PendingSockets, parseHostPort } from '@weft/wire'
import { answerClientError, answerTooManyHeaders, answerTwoHosts, hasTwoHosts } from './client-error.ts'
import { explainListenError, ListenError } from './listen-error.ts'
import { type HttpLog, type RequestHandler, readTarget } from './request-handler.ts'
import { createTlsServer, TlsChoices, type TlsMaterial } from './tls-listener.ts'
import { refuseBadUpgrade, type UpgradeHandler } from './upgrade.ts'
import { defaultWebLimits, httpOptions, silenceTimeout, type WebLimits } from './web-limits.ts'

export interface BindPoint {
  /** Where to listen, `host:port`. */
  readonly interface: string
  /** Where clients should go from now on, `host:port`; they are told with every answer. */
  readonly newAddress?: string
}

export interface WebServerOptions {
  readonly name: string
  readonly bindPoints: readonly BindPoint[]
  readonly handle: RequestHandler
  /** Without it the server speaks plain HTTP, which it does on loopback addresses only. */
  readonly tls?: TlsMaterial
  readonly limits?: Partial<WebLimits>
  readonly log: HttpLog
  /** Takes connections that ask for another protocol, such as a websocket. */
  readonly upgrades?: UpgradeHandler
}

/** What became of a bind point: the address it listens on, or why it does not. */
export type ListenerResult =
  | { readonly bindPoint: BindPoint; readonly address: AddressInfo; readonly error?: undefined }
  | { readonly bindPoint: BindPoint; readonly address?: undefined; readonly error: ListenError }

type Server = http.Server | https.Server
type HostPort = NonNullable<ReturnType<typeof parseHostPort>>

interface Connections {
  /** All of them, as the system sees them: below TLS. */
  readonly open: Set<Socket>
  /** Those that speak HTTP and have not asked for anything yet. The platform does not count them as idle. */
  readonly silent: Set<Socket>
}

/** Connections that the system may hold until they are accepted: a crowd comes faster than that. The system may hold fewer. */
const BACKLOG = 4_096
const CLOSE_DEADLINE = 1_500
const CLOSE_STEP = 20

export class WebServer implements AsyncDisposable {
  /** One result for each bind point, in their order. */
  readonly listeners: readonly ListenerResult[]
  readonly #servers: readonly Server[]
  readonly #connections: Connections
  readonly #choices: TlsChoices | undefined
  #closing: Promise<void> | undefined

  private constructor(
    listeners: readonly ListenerResult[],
    servers: readonly Server[],
    connections: Connections,
    choices: TlsChoices | undefined,
  ) {
    this.listeners = listeners
    this.#servers = servers
    this.#connections = connections
    this.#choices = choices
  }

  /** Opens every bind point that can be opened. Throws only when the certificates are unusable. */
  static async open(options: WebServerOptions): Promise<WebServer> {
    const choices = options.tls === undefined ? undefined : new TlsChoices(options.tls)
    const limits = { ...defaultWebLimits, ...options.limits }
    const connections: Connections = { open: new Set(), silent: new Set() }
    const servers: Server[] = []
    const listeners: ListenerResult[] = []
    for (const bindPoint of options.bindPoints) {
      try {
        const address = wantedAddress(bindPoint, choices)
        const server = createServer(options, bindPoint, limits, choices, connections)
        listeners.push({ bindPoint, address: await listen(server, bindPoint.interface, address) })
        server.on('error', (err) => options.log.error('web listener failed', { err, server: options.name }))
        servers.push(server)
      } catch (error) {
        if (!(error instanceof ListenError)) throw error
        options.log.error('bind point could not be opened', { err: error, server: options.name })
        listeners.push({ bindPoint, error })
      }
    }
    return new WebServer(listeners, servers, connections, choices)
  }

  /**
   * Gives TLS connections whose ALPN name is `protocol` to `accept`; false where there is no TLS. The server ends them when
   * it closes.
   */
  take(protocol: string, accept: (socket: TLSSocket) => void): boolean {
    this.#choices?.take(protocol, accept)
    return this.#choices !== undefined
  }

  /** Uses new certificates for new connections; throws and changes nothing when they are unusable. */
  renewTls(material: TlsMaterial): void {
    if (this.#choices === undefined) return
    this.#choices.renew(new TlsChoices(material))
    for (const server of this.#servers) (server as https.Server).setSecureContext(this.#choices.contextOptions)
  }

  /** Stops accepting, lets requests that are being handled finish until the deadline, then cuts what is left. */
  close(deadline = CLOSE_DEADLINE): Promise<void> {
    this.#closing ??= this.#close(deadline)
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(deadline: number): Promise<void> {
    const areClosed = this.#servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())))
    for (const socket of this.#connections.silent) socket.destroy()
    const step = setInterval(() => {
      for (const server of this.#servers) server.closeIdleConnections()
    }, CLOSE_STEP)
    const cut = setTimeout(() => {
      for (const socket of this.#connections.open) socket.destroy()
    }, deadline)
    await Promise.all(areClosed)
    clearInterval(step)
    clearTimeout(cut)
  }
}

function wantedAddress(bindPoint: BindPoint, choices: TlsChoices | undefined): HostPort {
  const address = parseHostPort(bindPoint.interface)
  if (address === undefined) throw new ListenError('BAD_ADDRESS', bindPoint.interface, 'wanted host:port')
  if (choices === undefined && !isLoopbackHost(address.host)) {
    const why = 'plain HTTP is served on loopback addresses only'
    throw new ListenError('PLAIN_HTTP_NOT_LOOPBACK', bindPoint.interface, why)
  }
  return address
}

function createServer(
  options: WebServerOptions,
  bindPoint: BindPoint,
  limits: WebLimits,
  choices: TlsChoices | undefined,
  connections: Connections,
): Server {
  const isUpgrade = (request: http.IncomingMessage) => options.upgrades?.isWanted(request) ?? false
  const settings = { ...httpOptions(limits), shouldUpgradeCallback: isUpgrade }
  const server =
    choices === undefined ? http.createServer(settings) : createTlsServer(choices, settings, limits.handshakeTimeout)
  const onRequest = requestListener(options, bindPoint, limits, connections.silent)
  server.on('request', onRequest)
  // The body's reader tells the client to continue, once nothing speaks against the request.
  server.on('checkContinue', onRequest)
  const { upgrades } = options
  if (upgrades !== undefined) {
    server.on('upgrade', (request: http.IncomingMessage, socket: Socket, head: Buffer) => {
      connections.silent.delete(socket)
      const isBad = request.rawHeaders.length > 2 * limits.maxHeaders || hasTwoHosts(request.rawHeaders)
      if (isBad || !upgrades.isWanted(request)) refuseBadUpgrade(socket)
      else upgrades.accept(request, socket, head)
    })
  }
  server.on('clientError', answerClientError)
  server.on('tlsClientError', (err) => options.log.debug('TLS handshake failed', { err, server: options.name }))
  if (choices !== undefined && limits.handshakeWindow !== undefined) limitHandshakes(server, limits.handshakeWindow)
  server.on('drop', (dropped) => options.log.debug('connection turned away, too many are open', { ...dropped }))
  server.on('connection', (socket) => remember(connections.open, socket))
  server.on(choices === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    if (choices?.takerOf(socket as TLSSocket) === undefined) remember(connections.silent, socket)
  })
  server.maxConnections = limits.maxConnections
  // One more than allowed is kept, so that it can be noticed.
  server.maxHeadersCount = limits.maxHeaders + 1
  server.timeout = silenceTimeout(limits)
  return server
}

function limitHandshakes(server: Server, options: HandshakeWindowOptions): void {
  const { maxSize } = options
  const pending = new PendingSockets({ total: maxSize, perSource: maxSize, window: new HandshakeWindow(options) })
  server.on('connection', (socket) => pending.admit(socket))
  server.on('secureConnection', (socket: Socket) => pending.done(socket))
  server.on('tlsClientError', (error) => pending.failed(error))
}

function remember(sockets: Set<Socket>, socket: Socket): void {
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
}

/**
 * Requests of one connection are handled one after another: a client that sends many at once and reads none of the answers
 * would otherwise have all of them made, and kept. Until its turn comes a response has no socket.
 */
function requestListener(
  { handle, log, name }: WebServerOptions,
  { newAddress }: BindPoint,
  { maxHeaders }: WebLimits,
  silent: Set<Socket>,
) {
  const run = (request: http.IncomingMessage, response: http.ServerResponse) => {
    try {
      if (newAddress !== undefined) response.setHeader('ziti-ctrl-address', `https://${newAddress}`)
      if (request.rawHeaders.length > 2 * maxHeaders) answerTooManyHeaders(response)
      else if (hasTwoHosts(request.rawHeaders)) answerTwoHosts(response)
      else handle(request, response, readTarget(request.url as string))
    } catch (err) {
      log.error('request handler failed', { err, server: name, method: request.method })
      response.destroy()
    }
  }
  return (request: http.IncomingMessage, response: http.ServerResponse) => {
    silent.delete(request.socket)
    if (response.socket !== null) run(request, response)
    // The platform is not done with the response while it tells that it has a socket.
    else response.once('socket', () => queueMicrotask(() => run(request, response)))
  }
}

function listen(server: Server, shown: string, { host, port }: HostPort): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      explainListenError(shown, port, error).then(reject, reject)
    }
    server.once('error', onError)
    server.listen({ port, backlog: BACKLOG, ...(host === '' ? {} : { host }) }, () => {
      server.off('error', onError)
      resolve(server.address() as AddressInfo)
    })
  })
}
