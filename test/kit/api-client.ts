/** The API over HTTPS, as a client uses it: connections that stay open, the certificate checked, every answer read whole. */
import assert from 'node:assert/strict'
import { type IncomingHttpHeaders, request as plainRequest } from 'node:http'
import { Agent, type RequestOptions, request as tlsRequest } from 'node:https'
import { text as readText } from 'node:stream/consumers'
import { createSecureContext, type SecureContext } from 'node:tls'
import { admin } from './controller-process.ts'

export type Json = Record<string, unknown>

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body, parsed; undefined when it is not JSON. */
  readonly body: { data?: unknown; error?: Refusal; meta?: Json } | undefined
}

export interface Refusal {
  readonly code: string
  readonly message: string
  readonly requestId: string
  readonly cause?: {
    readonly field?: string
    readonly reason?: string
    readonly message?: string
    readonly value?: string
  }
}

export interface Server {
  readonly url: string
  readonly ca: string
}

export interface ClientOptions {
  readonly token?: string
  /** The path before every path that a request names. */
  readonly base?: string
  readonly connections?: number
  /** Milliseconds without a byte after which a request fails. */
  readonly timeout?: number
  /** What the client presents on its connections. */
  readonly certificate?: ClientCertificate
}

/** A certificate and its key, PEM. */
export interface ClientCertificate {
  readonly cert: string
  readonly key: string
}

interface Failure extends NodeJS.ErrnoException {
  readonly wasReused?: boolean
}

export const managementApi = '/edge/management/v1'

export class ApiClient implements Disposable {
  readonly token: string | undefined
  readonly #server: Server
  readonly #base: string
  readonly #timeout: number
  readonly #agent: Agent
  readonly #secureContext: SecureContext

  constructor(server: Server, options: ClientOptions = {}) {
    const { token, base = managementApi, connections = 16, timeout = 30_000, certificate } = options
    this.#server = server
    this.token = token
    this.#base = base
    this.#timeout = timeout
    // Reading the certificates anew for each connection would cost more than the connection.
    this.#secureContext = createSecureContext({ ca: server.ca, ...certificate })
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, secureContext: this.#secureContext })
  }

  static async login(
    server: Server,
    credentials: { readonly username: string; readonly password: string } = admin,
    options: ClientOptions = {},
  ): Promise<ApiClient> {
    using anonymous = new ApiClient(server, options)
    const reply = await anonymous.post('/authenticate?method=password', credentials)
    assert.equal(reply.status, 200, reply.text)
    return new ApiClient(server, { ...options, token: String(reply.headers['zt-session']) })
  }

  /** Sends a request. One on a connection that the other side was just closing is sent again. */
  async request(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    const url = new URL(this.#base + path, this.#server.url)
    const isText = typeof body === 'string' || Buffer.isBuffer(body)
    const bytes = body === undefined ? undefined : isText ? body : JSON.stringify(body)
    const all = {
      ...(this.token !== undefined && { 'zt-session': this.token }),
      ...(bytes !== undefined && {
        'content-type': 'application/json',
        'content-length': `${Buffer.byteLength(bytes)}`,
      }),
      ...headers,
    }
    return this.#send(url, { method, headers: all }, bytes).catch((error: Failure) => {
      if (!error.wasReused || error.code !== 'ECONNRESET') throw error
      const agent = url.protocol === 'https:' && new Agent({ secureContext: this.#secureContext })
      return this.#send(url, { method, headers: all, agent }, bytes)
    })
  }

  #send(url: URL, options: RequestOptions, bytes: string | Buffer | undefined): Promise<Reply> {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    const request =
      url.protocol === 'http:' ? plainRequest(url, options) : tlsRequest(url, { agent: this.#agent, ...options })
    const what = `${options.method} ${url.pathname}`
    request.setTimeout(this.#timeout, () => request.destroy(new Error(`${what} was not answered`)))
    request.on('error', (error) => reject(Object.assign(error, { wasReused: request.reusedSocket })))
    request.on('response', (response) => {
      readText(response).then((text) => {
        resolve({ status: response.statusCode!, headers: response.headers, text, body: parsed(text) })
      }, reject)
    })
    request.end(bytes)
    return promise
  }

  get(path: string): Promise<Reply> {
    return this.request('GET', path)
  }

  post(path: string, body?: unknown): Promise<Reply> {
    return this.request('POST', path, body)
  }

  put(path: string, body: unknown): Promise<Reply> {
    return this.request('PUT', path, body)
  }

  patch(path: string, body: unknown): Promise<Reply> {
    return this.request('PATCH', path, body)
  }

  delete(path: string, body?: unknown): Promise<Reply> {
    return this.request('DELETE', path, body)
  }

  /** Creates an entity, which must succeed, and answers its id. */
  async create(collection: string, body: Json): Promise<string> {
    const reply = await this.post(`/${collection}`, body)
    assert.equal(reply.status, 201, `POST /${collection}: ${reply.text}`)
    return (reply.body!.data as { id: string }).id
  }

  /** The entity, which must be there. */
  async detail(path: string): Promise<Json> {
    const reply = await this.get(path)
    assert.equal(reply.status, 200, `GET ${path}: ${reply.text}`)
    return reply.body!.data as Json
  }

  /** Everything that a list holds. */
  async list(path: string, filter = 'true'): Promise<Json[]> {
    const query = `filter=${encodeURIComponent(`${filter} limit none`)}`
    const reply = await this.get(`${path}${path.includes('?') ? '&' : '?'}${query}`)
    assert.equal(reply.status, 200, `GET ${path}: ${reply.text.slice(0, 500)}`)
    return reply.body!.data as Json[]
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}

/** Asserts a refusal: its status, and the code of the error envelope. */
export function assertRefused({ status, text, body }: Reply, wantedStatus: number, code: string): Refusal {
  assert.equal(status, wantedStatus, text.slice(0, 500))
  assert.equal(body?.error?.code, code, text.slice(0, 500))
  return body!.error!
}

function parsed(text: string): Reply['body'] {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
