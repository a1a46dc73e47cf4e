/**
 * The little HTTPS that enrolling takes: look at a server's certificate, and talk to a server that is recognised.
 *
 * The usual check of chain and host name has nothing to go by before the trust bundle is there. The token vouches for
 * the server's key instead. Whoever is enrolled has the authorities of the network, and the usual check is made. Either
 * is done before the first byte of a request is sent. Redirects are not followed, and answers and waiting are bounded.
 */
import type { KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request as startRequest } from 'node:http'
import { isIP } from 'node:net'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { Certificate } from '../certificates.ts'
import { EnrollError } from './enroll-error.ts'

/** One request, and how its server is recognised: by the key it holds, or by the authorities above its certificate. */
export type PinnedRequest = HttpsRequest & ({ readonly serverKey: KeyObject } | { readonly authorities: string })

/** What is asked. */
export interface HttpsRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Presented in the handshake. */
  readonly clientCertificate?: { readonly certPem: string; readonly keyPem: string }
  readonly signal?: AbortSignal | undefined
}

/** A complete answer. */
export interface PinnedAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** What enrolling needs of the network. */
export interface EnrollmentTransport {
  /** The certificate that the server presents, believed in nothing. */
  fetchLeaf(url: URL, options: { readonly signal?: AbortSignal | undefined }): Promise<Certificate>
  /** Refuses with `SERVER_CHANGED` or `SERVER_UNTRUSTED`, before it sends anything, a server that is not recognised. */
  request(request: PinnedRequest): Promise<PinnedAnswer>
}

const maxAnswerBytes = 2 * 1024 * 1024

/** A connection per request; each must be over, answer included, within `timeout` milliseconds. */
export class HttpsTransport implements EnrollmentTransport {
  readonly #timeout: number

  constructor({ timeout = 30_000 }: { readonly timeout?: number } = {}) {
    this.#timeout = timeout
  }

  async fetchLeaf(url: URL, { signal }: { readonly signal?: AbortSignal | undefined }): Promise<Certificate> {
    return this.#within(url, signal, async (deadline) => {
      const socket = await dial(url, {}, deadline)
      try {
        return leafOf(socket, url)
      } finally {
        socket.destroy()
      }
    })
  }

  async request(request: PinnedRequest): Promise<PinnedAnswer> {
    return this.#within(request.url, request.signal, async (deadline) => {
      const { clientCertificate } = request
      const ca = 'authorities' in request ? request.authorities : undefined
      const socket = await dial(
        request.url,
        { ca, cert: clientCertificate?.certPem, key: clientCertificate?.keyPem },
        deadline,
      )
      try {
        recognise(socket, request)
        return await exchange(socket, request, deadline)
      } finally {
        socket.destroy()
      }
    })
  }

  async #within<T>(url: URL, signal: AbortSignal | undefined, work: (deadline: AbortSignal) => Promise<T>): Promise<T> {
    const timeout = AbortSignal.timeout(this.#timeout)
    try {
      return await work(signal === undefined ? timeout : AbortSignal.any([signal, timeout]))
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      if (cause instanceof EnrollError) throw cause
      const detail = timeout.aborted ? `no answer within ${this.#timeout / 1000} s` : (cause as Error).message
      throw new EnrollError('UNREACHABLE', `${url.host}, ${detail}`, { cause })
    }
  }
}

async function dial(
  url: URL,
  material: Pick<ConnectionOptions, 'ca' | 'cert' | 'key'>,
  signal: AbortSignal,
): Promise<TLSSocket> {
  signal.throwIfAborted()
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const socket = connect({
    host,
    port: Number(url.port || 443),
    servername: isIP(host) ? '' : host,
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    // Judged by `recognise`, which tells a stranger from a broken line.
    rejectUnauthorized: false,
    ...material,
  })
  try {
    await once(socket, 'secureConnect', { signal })
  } catch (error) {
    socket.on('error', ignored)
    socket.destroy()
    throw error
  }
  // From here on whoever uses the socket is told of its errors as well.
  socket.on('error', ignored)
  return socket
}

function ignored(): void {}

function recognise(socket: TLSSocket, request: PinnedRequest): void {
  const { host } = request.url
  if ('authorities' in request) {
    if (!socket.authorized) throw new EnrollError('SERVER_UNTRUSTED', `${host}, ${socket.authorizationError}`)
  } else if (!leafOf(socket, request.url).publicKey.equals(request.serverKey)) {
    throw new EnrollError('SERVER_CHANGED', host)
  }
}

function leafOf(socket: TLSSocket, url: URL): Certificate {
  const presented = socket.getPeerX509Certificate()
  if (presented === undefined) throw new EnrollError('UNREACHABLE', `${url.host} presents no certificate`)
  return Certificate.fromDer(presented.raw)
}

async function exchange(socket: TLSSocket, request: PinnedRequest, signal: AbortSignal): Promise<PinnedAnswer> {
  const { method, url, headers, body = '' } = request
  const length = method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {}
  const outgoing = startRequest({
    method,
    path: url.pathname + url.search,
    headers: { host: url.host, connection: 'close', ...length, ...headers },
    createConnection: () => socket,
    signal,
  })
  outgoing.end(body)
  const [answer] = (await once(outgoing, 'response', { signal })) as [IncomingMessage]
  outgoing.on('error', ignored)
  const parts: Buffer[] = []
  let size = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    size += part.length
    if (size > maxAnswerBytes) throw new EnrollError('BAD_ANSWER', `it is larger than ${maxAnswerBytes} bytes`)
    parts.push(part)
  }
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts) }
}
