/**
 * A controller under measurement, ours or another: where it is, who we are to it, and requests ready to be sent.
 */
import { type Endpoint, LoadConnection } from './load/connection.ts'

export interface ContenderOptions {
  readonly name: string
  /** `https://host:port`; the management API lies at its usual place below it. */
  readonly url: string
  readonly username: string
  readonly password: string
  /** The process that serves it, where it runs on this machine. */
  readonly pid?: number | undefined
  readonly isOurs: boolean
}

const BASE = '/edge/management/v1'
/** Paths of the Fabric API are named in full. */
const FABRIC = '/fabric/v1/'

export class Contender {
  readonly name: string
  readonly endpoint: Endpoint
  readonly pid: number | undefined
  readonly isOurs: boolean
  readonly #token: string

  private constructor({ name, pid, isOurs }: ContenderOptions, endpoint: Endpoint, token: string) {
    this.name = name
    this.isOurs = isOurs
    this.endpoint = endpoint
    this.pid = pid
    this.#token = token
  }

  /** Logs in. */
  static async open(options: ContenderOptions): Promise<Contender> {
    const { hostname, port } = new URL(options.url)
    const endpoint = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 443) }
    const nobody = new Contender(options, endpoint, '')
    const { username, password } = options
    const body = { username, password }
    const { data } = await nobody.call<{ token: string }>('POST', '/authenticate?method=password', body)
    return new Contender(options, endpoint, data.token)
  }

  /** The bytes of a request to the management API, body and all. */
  request(method: string, path: string, body?: string): string {
    const session = this.#token === '' ? '' : `zt-session: ${this.#token}\r\n`
    const target = path.startsWith(FABRIC) ? path : `${BASE}${path}`
    return this.#bytes(`${method} ${target}`, session, 'application/json', body)
  }

  /** The bytes of a request of nobody to any path. */
  anonymousRequest(method: string, path: string, body?: string, contentType = 'application/json'): string {
    return this.#bytes(`${method} ${path}`, '', contentType, body)
  }

  /** The bytes of a request of somebody else to any path. */
  requestOf(token: string, method: string, path: string, body?: string): string {
    return this.#bytes(`${method} ${path}`, `zt-session: ${token}\r\n`, 'application/json', body)
  }

  #bytes(target: string, session: string, contentType: string, body: string | undefined): string {
    const { host, port } = this.endpoint
    const head = `${target} HTTP/1.1\r\nhost: ${host}:${port}\r\n${session}accept: application/json\r\n`
    if (body === undefined) return `${head}\r\n`
    return `${head}content-type: ${contentType}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  }

  /** Asks once, on a connection of its own. Throws unless it succeeds. */
  async call<T>(method: string, path: string, body?: unknown): Promise<Envelope<T>> {
    using connection = await LoadConnection.open(this.endpoint, { keepsBody: true })
    return await this.callOn<T>(connection, method, path, body)
  }

  async callOn<T>(connection: LoadConnection, method: string, path: string, body?: unknown): Promise<Envelope<T>> {
    const request = this.request(method, path, body === undefined ? undefined : JSON.stringify(body))
    const { status, body: text } = await connection.ask(request)
    if (status < 200 || status > 299) throw new Error(`${this.name}: ${method} ${path}: ${status} ${text}`)
    return JSON.parse(text) as Envelope<T>
  }
}

export interface Envelope<T> {
  readonly data: T
  readonly meta: { readonly pagination?: { readonly totalCount: number } }
}
