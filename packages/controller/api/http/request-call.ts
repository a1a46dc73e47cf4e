/**
 * The request as handlers see it. Everything that costs something (query, request id, certificates) is made when it is
 * first asked for: most requests ask for none of it.
 */
import type { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import { formatHostPort } from '@weft/wire'
import { type Caller, nobody } from '../../operation/caller.ts'
import type { Call, Method } from '../../operation/operation.ts'
import type { RequestTarget } from './request-handler.ts'
import { cleanPath } from './route-table.ts'

/** Clients present a leaf and a few intermediates; what comes after is not looked at. */
const MOST_CERTIFICATES = 16

/** `caller` and `body` are filled in by the order of checks, before the handler runs. */
export class RequestCall implements Call<unknown> {
  readonly params: Readonly<Record<string, string>>
  caller: Caller = nobody
  body: unknown = undefined
  readonly #request: IncomingMessage
  readonly #base: string
  readonly #target: RequestTarget
  readonly #newRequestId: () => string
  #requestId: string | undefined
  #query: URLSearchParams | undefined

  constructor(
    request: IncomingMessage,
    base: string,
    target: RequestTarget,
    params: Readonly<Record<string, string>>,
    newRequestId: () => string,
  ) {
    this.params = params
    this.#request = request
    this.#base = base
    this.#target = target
    this.#newRequestId = newRequestId
  }

  get requestId(): string {
    this.#requestId ??= this.#newRequestId()
    return this.#requestId
  }

  get method(): Method {
    return this.#request.method as Method
  }

  get path(): string {
    return cleanPath(cleanPath(this.#target.path).slice(this.#base.length))
  }

  /** True when there may be parameters; asking is cheaper than parsing. */
  get hasQuery(): boolean {
    return this.#target.search !== ''
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.#target.search)
    return this.#query
  }

  get remoteAddress(): string {
    const address = this.#request.socket.remoteAddress ?? ''
    return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
  }

  get remoteEnd(): string {
    return formatHostPort(this.remoteAddress, this.#request.socket.remotePort ?? 0)
  }

  get host(): string {
    return this.#request.headers.host ?? ''
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name]
    return typeof value === 'string' ? value : value?.join(', ')
  }

  headerLines(name: string): readonly string[] {
    const lines: string[] = []
    const raw = this.#request.rawHeaders
    for (let i = 0; i + 1 < raw.length; i += 2) {
      if ((raw[i] as string).toLowerCase() === name) lines.push(raw[i + 1] as string)
    }
    return lines
  }

  clientCertificates(): readonly Buffer[] {
    const { socket } = this.#request
    const found: Buffer[] = []
    if (!(socket instanceof TLSSocket)) return found
    // Followed from one to the next, these are the certificates in the order of the handshake, and only those: the older
    // `getPeerCertificate` sorts them by issuer and adds what it finds among the server's own.
    let next: X509Certificate | undefined = socket.getPeerX509Certificate()
    while (next !== undefined && found.length < MOST_CERTIFICATES) {
      found.push(next.raw)
      next = next.issuerCertificate
    }
    return found
  }
}
