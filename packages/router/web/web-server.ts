/**
 * One HTTP server of a router: a few small answers for monitors. Links and clients may be at the same port, and monitors
 * are those who ask for HTTP or for nothing.
 *
 * Connections are bounded in number and time, bodies are not read. A request is answered by the first API whose path it
 * is below, or else by the last one.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { SecureVersion } from 'node:tls'
import type { Identity } from '@weft/pki'
import type { PortRegistration } from '@weft/wire'
import type { TlsPorts } from '../transport/tls-ports.ts'
import { packedBody } from './packed-body.ts'
import type { WebAnswer, WebApi } from './web-api.ts'

export interface WebBindPoint {
  readonly host: string
  readonly port: number
  /** What clients are told to use from now on, as `host:port`. */
  readonly newAddress: string | undefined
  readonly isPlainHttp: boolean
}

export interface WebServerOptions {
  readonly name: string
  readonly bindPoints: readonly WebBindPoint[]
  /** At least one; the last answers what no other does. */
  readonly apis: readonly WebApi[]
  /** Milliseconds; likewise those below. */
  readonly readTimeout: number
  readonly idleTimeout: number
  readonly writeTimeout: number
  readonly minTlsVersion: SecureVersion
  readonly maxTlsVersion: SecureVersion
  /** Certificates of its own; what the port shows when undefined. */
  readonly identity: Identity | undefined
}

export interface WebServerDeps {
  readonly ports: TlsPorts
  readonly log: WebLog
}

export interface WebLog {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
}

const protocols = ['http/1.1', '']
const mostConnections = 1_000
const maxHeaderSize = 16 * 1024

export class WebServer implements AsyncDisposable {
  readonly #options: WebServerOptions
  readonly #deps: WebServerDeps
  readonly #addresses: AddressInfo[] = []
  readonly #registrations: PortRegistration[] = []
  readonly #open = new Set<Socket>()
  readonly #parts = new AsyncDisposableStack()

  private constructor(deps: WebServerDeps, options: WebServerOptions) {
    this.#options = options
    this.#deps = deps
  }

  /** Rejects, with nothing left open, when one of its interfaces cannot be listened on. */
  static async start(deps: WebServerDeps, options: WebServerOptions): Promise<WebServer> {
    const server = new WebServer(deps, options)
    try {
      for (const bindPoint of options.bindPoints) await server.#listen(bindPoint)
      return server
    } catch (error) {
      await server[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Where it listens, one for each bind point. */
  get addresses(): readonly AddressInfo[] {
    return this.#addresses
  }

  /** Other certificates of its own, for new connections. */
  renew({ servers }: Identity): void {
    for (const registration of this.#registrations) registration.renew({ servers })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync()
  }

  async #listen(bindPoint: WebBindPoint): Promise<void> {
    const server = this.#parts.adopt(this.#httpServer(bindPoint.newAddress), async (each) => {
      const closed = each.listening ? once(each, 'close') : undefined
      each.close()
      for (const socket of this.#open) socket.destroy()
      await closed
    })
    if (!bindPoint.isPlainHttp) {
      await this.#share(bindPoint, server)
      return
    }
    server.on('connection', (socket) => this.#admit(socket))
    // As many as may be served can come at once.
    server.listen({ host: bindPoint.host, port: bindPoint.port, backlog: mostConnections })
    await once(server, 'listening')
    server.on('error', (err) => this.#deps.log.warn('web server failed', { server: this.#options.name, err }))
    this.#addresses.push(server.address() as AddressInfo)
  }

  async #share(place: WebBindPoint, server: Server): Promise<void> {
    const { minTlsVersion: minVersion, maxTlsVersion: maxVersion, identity } = this.#options
    const { port } = this.#parts.use(await this.#deps.ports.use(place, { minVersion, maxVersion }))
    // Somebody else listens; it still has to watch the time of its connections, which it begins to when it listens.
    server.emit('listening')
    this.#registrations.push(
      this.#parts.use(
        port.register(protocols, {
          requiresCertificate: false,
          ...(identity === undefined ? {} : { tls: { servers: identity.servers } }),
          accept: (socket) => {
            if (this.#admit(socket)) server.emit('connection', socket)
          },
        }),
      ),
    )
    this.#addresses.push(port.address)
  }

  /** False for one too many. */
  #admit(socket: Socket): boolean {
    if (this.#open.size >= mostConnections) {
      this.#deps.log.debug('connection turned away, too many are open', { server: this.#options.name })
      // Nobody else is told of what becomes of it.
      socket.on('error', () => {}).destroy()
      return false
    }
    this.#open.add(socket)
    socket.once('close', () => this.#open.delete(socket))
    return true
  }

  #httpServer(newAddress: string | undefined): Server {
    const { readTimeout, idleTimeout, writeTimeout } = this.#options
    const limits = {
      maxHeaderSize,
      headersTimeout: readTimeout,
      requestTimeout: readTimeout,
      keepAliveTimeout: idleTimeout,
      connectionsCheckingInterval: Math.min(readTimeout, 1_000),
    }
    const server = createServer(limits, (request, response) => this.#answer(request, response, newAddress))
    server.setTimeout(readTimeout + writeTimeout + idleTimeout)
    return server
  }

  #answer(request: IncomingMessage, response: ServerResponse, newAddress: string | undefined): void {
    const { pathname, searchParams } = readTarget(request.url ?? '')
    const { apis } = this.#options
    const api = apis.find(({ root }) => pathname.startsWith(root)) ?? apis.at(-1)!
    const { status, contentType, body } = this.#answerOf(api, request, searchParams)
    if (newAddress !== undefined) response.setHeader('ziti-ctrl-address', `https://${newAddress}`)
    const { bytes, headers } = packedBody(body, request.headers['accept-encoding'])
    response.writeHead(status, { 'content-type': contentType, ...headers, 'content-length': bytes.length })
    response.end(request.method === 'HEAD' ? undefined : bytes)
  }

  #answerOf(api: WebApi, request: IncomingMessage, query: URLSearchParams): WebAnswer {
    try {
      return api.answer(request, query)
    } catch (err) {
      this.#deps.log.warn('a request could not be answered', { server: this.#options.name, path: api.root, err })
      return { status: 500, contentType: 'text/plain', body: '' }
    }
  }
}

/** A target that is no path, as from a proxy's client, is below none. */
function readTarget(target: string): { readonly pathname: string; readonly searchParams: URLSearchParams } {
  const base = 'http://router'
  return URL.canParse(target, base) ? new URL(target, base) : { pathname: '', searchParams: new URLSearchParams() }
}
