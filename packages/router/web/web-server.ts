/**
 * One HTTP server of a router: a few small answers for monitors, on interfaces of its own.
 *
 * Connections are bounded in number and time, bodies are not read. A request is answered by the first API whose path it
 * is below, or else by the last one. Certificates can be renewed while it runs.
 */
import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createSecureContext, type SecureContext, type SecureContextOptions, type SecureVersion } from 'node:tls'
import type { Certificate, Identity } from '@weft/pki'
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
}

export interface WebServerDeps {
  readonly identity: Identity
  readonly log: WebLog
}

export interface WebLog {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
}

const mostConnections = 1_000
const maxHeaderSize = 16 * 1024

export class WebServer implements AsyncDisposable {
  readonly #options: WebServerOptions
  readonly #log: WebLog
  readonly #servers: Server[] = []
  #identity: Identity
  /** Made for the first client that asks for a name. */
  #contexts: readonly NamedContext[] | undefined

  private constructor(deps: WebServerDeps, options: WebServerOptions) {
    this.#options = options
    this.#log = deps.log
    this.#identity = deps.identity
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
    return this.#servers.map((server) => server.address() as AddressInfo)
  }

  /** Shown to new connections. */
  renew(identity: Identity): void {
    this.#identity = identity
    this.#contexts = undefined
    for (const server of this.#servers) {
      if (server instanceof HttpsServer) server.setSecureContext(this.#tls())
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closing = this.#servers.map(async (server) => {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    })
    await Promise.all(closing)
  }

  async #listen({ host, port, newAddress, isPlainHttp }: WebBindPoint): Promise<void> {
    const { readTimeout, idleTimeout, writeTimeout } = this.#options
    const limits = {
      maxHeaderSize,
      headersTimeout: readTimeout,
      requestTimeout: readTimeout,
      keepAliveTimeout: idleTimeout,
      connectionsCheckingInterval: Math.min(readTimeout, 1_000),
    }
    const answer = (request: IncomingMessage, response: ServerResponse) => this.#answer(request, response, newAddress)
    const server = isPlainHttp
      ? createHttpServer(limits, answer)
      : createHttpsServer(
          {
            ...limits,
            ...this.#tls(),
            handshakeTimeout: readTimeout,
            requestCert: true,
            rejectUnauthorized: false,
            ALPNProtocols: ['http/1.1'],
            SNICallback: (name, done) => done(null, this.#contextFor(name)),
          },
          answer,
        )
    server.maxConnections = mostConnections
    server.setTimeout(readTimeout + writeTimeout + idleTimeout)
    server.on('tlsClientError', (err) => this.#log.debug('TLS handshake failed', { server: this.#options.name, err }))
    server.listen(port, host)
    await once(server, 'listening')
    this.#servers.push(server)
    server.on('error', (err) => this.#log.warn('web server failed', { server: this.#options.name, err }))
  }

  #answer(request: IncomingMessage, response: ServerResponse, newAddress: string | undefined): void {
    const { pathname, searchParams } = readTarget(request.url ?? '')
    const { apis } = this.#options
    const api = apis.find(({ root }) => pathname.startsWith(root)) ?? apis.at(-1)!
    const { status, contentType, body } = this.#answerOf(api, request, searchParams)
    if (newAddress !== undefined) response.setHeader('ziti-ctrl-address', `https://${newAddress}`)
    response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) })
    response.end(request.method === 'HEAD' ? undefined : body)
  }

  #answerOf(api: WebApi, request: IncomingMessage, query: URLSearchParams): WebAnswer {
    try {
      return api.answer(request, query)
    } catch (err) {
      this.#log.warn('a request could not be answered', { server: this.#options.name, path: api.root, err })
      return { status: 500, contentType: 'text/plain', body: '' }
    }
  }

  #tls(): SecureContextOptions {
    const { minTlsVersion: minVersion, maxTlsVersion: maxVersion } = this.#options
    const [own] = this.#identity.servers
    return { minVersion, maxVersion, cert: own?.certPem, key: own?.keyPem }
  }

  /** The first certificate that covers the name a client asks for, or the first of all. */
  #contextFor(name: string): SecureContext | undefined {
    this.#contexts ??= this.#identity.servers.map(({ certificate, certPem, keyPem }) => ({
      certificate,
      context: createSecureContext({ ...this.#tls(), cert: certPem, key: keyPem }),
    }))
    const covers = ({ certificate }: NamedContext) => certificate.x509.checkHost(name) !== undefined
    return (this.#contexts.find(covers) ?? this.#contexts[0])?.context
  }
}

interface NamedContext {
  readonly certificate: Certificate
  readonly context: SecureContext
}

/** A target that is no path, as from a proxy's client, is below none. */
function readTarget(target: string): { readonly pathname: string; readonly searchParams: URLSearchParams } {
  const base = 'http://router'
  return URL.canParse(target, base) ? new URL(target, base) : { pathname: '', searchParams: new URLSearchParams() }
}
