/**
 * The TLS side of a web server: which certificate a client gets, and which protocol it may speak.
 *
 * A client certificate is asked for and never judged here: whoever authenticates by it looks at it later. One port is
 * shared by several protocols, told apart by ALPN; a client that names none speaks HTTP.
 */
import { constants, X509Certificate } from 'node:crypto'
import type { ServerOptions } from 'node:http'
import https from 'node:https'
import tls, { type SecureContext, type SecureVersion, type TLSSocket } from 'node:tls'
import { beginTlsWithFirstBytes } from '@weft/wire'

/** A certificate chain, leaf first, and the key of its leaf. */
export interface ServerCertificate {
  readonly certPem: string
  readonly keyPem: string
}

export interface TlsMaterial {
  /** The first is what clients get, unless they ask for a name that it does not cover and another one does. */
  readonly servers: readonly ServerCertificate[]
  /** CAs named to clients as a hint which certificate to present. */
  readonly caPem?: string
  readonly minVersion?: SecureVersion
  readonly maxVersion?: SecureVersion
}

const HTTP = 'http/1.1'

interface NamedContext {
  readonly leaf: X509Certificate
  readonly options: tls.SecureContextOptions
  readonly context: SecureContext
}

/** The parts of TLS that can change while a server runs. */
export class TlsChoices {
  readonly #takers = new Map<string, (socket: TLSSocket) => void>()
  #own: NamedContext
  #alternatives: readonly NamedContext[]

  /** Throws when there is no certificate, or one that does not parse or does not fit its key. */
  constructor(material: TlsMaterial) {
    const [own, ...alternatives] = material.servers.map((server) => namedContext(server, material))
    if (own === undefined) throw new Error('a TLS server needs a certificate')
    this.#own = own
    this.#alternatives = alternatives
  }

  get contextOptions(): tls.SecureContextOptions {
    return this.#own.options
  }

  /** Takes over certificates from newer choices; protocols stay. */
  renew(newer: TlsChoices): void {
    this.#own = newer.#own
    this.#alternatives = newer.#alternatives
  }

  /** Gives connections that speak `protocol` to `accept` instead of HTTP. */
  take(protocol: string, accept: (socket: TLSSocket) => void): void {
    this.#takers.set(protocol, accept)
  }

  takerOf(socket: TLSSocket): ((socket: TLSSocket) => void) | undefined {
    return typeof socket.alpnProtocol === 'string' ? this.#takers.get(socket.alpnProtocol) : undefined
  }

  /** The protocol for a client that offers these; undefined ends the handshake. */
  protocolFor(offered: readonly string[]): string | undefined {
    return offered.find((protocol) => this.#takers.has(protocol)) ?? offered.find((protocol) => protocol === HTTP)
  }

  /** The context for a server name; undefined means the server's own. */
  contextFor(serverName: string): SecureContext | undefined {
    if (this.#alternatives.length === 0 || this.#own.leaf.checkHost(serverName) !== undefined) return undefined
    return this.#alternatives.find(({ leaf }) => leaf.checkHost(serverName) !== undefined)?.context
  }
}

/** An HTTPS server that is not listening yet. */
export function createTlsServer(choices: TlsChoices, http: ServerOptions, handshakeTimeout: number): https.Server {
  const server = https.createServer({
    ...http,
    ...choices.contextOptions,
    handshakeTimeout,
    requestCert: true,
    rejectUnauthorized: false,
    ALPNCallback: ({ protocols }) => choices.protocolFor(protocols),
    SNICallback: (name, done) => done(null, choices.contextFor(name)),
  })
  beginTlsWithFirstBytes(server, handshakeTimeout)
  const [speakHttp] = server.listeners('secureConnection')
  server.removeAllListeners('secureConnection')
  server.on('secureConnection', (socket) => {
    const taker = choices.takerOf(socket)
    if (taker === undefined) speakHttp?.call(server, socket)
    else taker(socket)
  })
  return server
}

function namedContext({ certPem, keyPem }: ServerCertificate, material: TlsMaterial): NamedContext {
  const { caPem, minVersion = 'TLSv1.2', maxVersion = 'TLSv1.3' } = material
  const options: tls.SecureContextOptions = {
    key: keyPem,
    cert: certPem,
    ...(caPem === undefined ? {} : { ca: caPem }),
    minVersion,
    maxVersion,
    // A resumed session remembers the client's leaf but not the intermediates presented with it, and authentication by
    // certificate needs both. So every connection makes a full handshake.
    secureOptions: constants.SSL_OP_NO_TICKET,
  }
  return { leaf: new X509Certificate(certPem), options, context: tls.createSecureContext(options) }
}
