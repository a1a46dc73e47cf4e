/**
 * Real web servers and a client for the tests of this folder.
 *
 * The client writes what it is told, byte for byte, because most of what is tested is what a well-behaved client would
 * never send.
 */
import { once } from 'node:events'
import net from 'node:net'
import tls, { type ConnectionOptions, type TLSSocket } from 'node:tls'
import { CertificateAuthority, encodePrivateKey, generatePrivateKey, publicKeyOf } from '@weft/pki'
import { type LogFields, silentLogger } from '../../log/logger.ts'
import { ApiError } from '../../operation/api-error.ts'
import type { Caller } from '../../operation/caller.ts'
import type { Operation } from '../../operation/operation.ts'
import { createDemux } from './demux.ts'
import { createJsonApi, type JsonApiOptions } from './json-api.ts'
import { WebServer, type WebServerOptions } from './listen.ts'
import type { HttpLog } from './request-handler.ts'
import type { ServerCertificate } from './tls-listener.ts'

export const BASE = '/edge/management/v1'

const clock = { now: () => Date.now() }

export const testRoot = await CertificateAuthority.createRoot(
  { subject: { commonName: 'test root' }, trustDomain: 'test' },
  { clock },
)

/** A server certificate for hosts, signed by the root of the tests. */
export async function serverCertificate(...hosts: readonly string[]): Promise<ServerCertificate> {
  const key = await generatePrivateKey('P-256')
  const subject = { commonName: hosts[0] ?? 'nameless' }
  const { chainPem } = testRoot.issueServerCertificate({ subject, publicKey: publicKeyOf(key), hosts })
  return { certPem: chainPem, keyPem: encodePrivateKey(key) }
}

/** A client certificate by an intermediate authority, so that a chain goes over the wire. */
export async function clientCertificate(commonName: string) {
  const authority = await testRoot.createIntermediate({ subject: { commonName: 'test intermediate' } })
  const key = await generatePrivateKey('P-256')
  const issued = authority.issueClientCertificate({ subject: { commonName }, publicKey: publicKeyOf(key) })
  return { cert: issued.chainPem, key: encodePrivateKey(key), chain: issued.chain }
}

export const localCertificate = await serverCertificate('127.0.0.1', '::1', 'localhost')

/** Keeps what was logged. */
export function recordingLog(): HttpLog & { readonly lines: { level: string; text: string; fields: LogFields }[] } {
  const lines: { level: string; text: string; fields: LogFields }[] = []
  const add =
    (level: string) =>
    (text: string, fields: LogFields = {}) => {
      lines.push({ level, text, fields })
    }
  return { lines, debug: add('debug'), warn: add('warn'), error: add('error') }
}

export const admin: Caller = {
  kind: 'full',
  identityId: 'admin',
  identityName: 'Admin',
  isAdmin: true,
  grants: new Set(),
  sessionId: 'session',
}

const callers: Readonly<Record<string, Caller>> = {
  admin,
  user: { ...admin, isAdmin: false },
  partial: { ...admin, kind: 'partial' },
}

/** An API whose callers name themselves in `zt-session`: admin, user or partial. */
export function testApi(operations: readonly Operation[], options: Partial<JsonApiOptions> = {}) {
  return createJsonApi({
    base: BASE,
    operations,
    resolveCaller(call) {
      const caller = callers[call.header('zt-session') ?? '']
      if (caller === undefined) throw new ApiError('UNAUTHORIZED', { headers: { 'www-authenticate': 'test missing' } })
      return caller
    },
    allows: ({ isAdmin }) => isAdmin,
    log: silentLogger,
    instanceId: 'instance',
    ...options,
  })
}

/** Opens a TLS server on a free port of 127.0.0.1. */
export async function openWeb(options: Partial<WebServerOptions>): Promise<WebServer & { readonly port: number }> {
  const web = await WebServer.open({
    name: 'test',
    bindPoints: [{ interface: '127.0.0.1:0' }],
    handle: createDemux([]),
    tls: { servers: [localCertificate] },
    log: silentLogger,
    ...options,
  })
  return Object.assign(web, { port: web.listeners[0]?.address?.port ?? 0 })
}

export interface WireAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly bytes: Buffer
}

export interface Asked {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** One connection that sends bytes and reads answers. */
export class WireClient implements AsyncDisposable {
  readonly socket: net.Socket
  #arrived: Buffer = Buffer.alloc(0)
  #isEnded = false
  #wake = () => {}

  constructor(socket: net.Socket) {
    this.socket = socket
    socket.on('data', (piece: Buffer) => {
      this.#arrived = Buffer.concat([this.#arrived, piece])
      this.#wake()
    })
    // A reset is one of the ways in which a server ends a connection; 'close' follows.
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#isEnded = true
      this.#wake()
    })
    socket.on('end', () => {
      this.#isEnded = true
      this.#wake()
    })
  }

  static async connect(port: number, options: ConnectionOptions = {}): Promise<WireClient> {
    const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options })
    const client = new WireClient(socket)
    await once(socket, 'secureConnect')
    return client
  }

  static async connectPlain(port: number, host = '127.0.0.1'): Promise<WireClient> {
    const socket = net.connect({ port, host })
    await once(socket, 'connect')
    return new WireClient(socket)
  }

  get tls(): TLSSocket {
    return this.socket as TLSSocket
  }

  send(text: string | Buffer): void {
    this.socket.write(text)
  }

  /** Reads one answer; rejects when the connection ends before it is complete. */
  async answer(isBodiless = false): Promise<WireAnswer> {
    for (;;) {
      const found = this.#takeAnswer(isBodiless)
      if (found !== undefined) return found
      if (this.#isEnded) throw new Error(`connection ended after ${JSON.stringify(this.#arrived.toString('latin1'))}`)
      await this.#more()
    }
  }

  /** Waits until the server ends the connection; answers what came before and was not read. */
  async rest(): Promise<string> {
    while (!this.#isEnded) await this.#more()
    return this.#arrived.toString('latin1')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy()
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #takeAnswer(isBodiless: boolean): WireAnswer | undefined {
    const end = this.#arrived.indexOf('\r\n\r\n')
    if (end < 0) return undefined
    const [first = '', ...lines] = this.#arrived.subarray(0, end).toString('latin1').split('\r\n')
    const headers: Record<string, string> = {}
    for (const line of lines) {
      const colon = line.indexOf(': ')
      const name = line.slice(0, colon).toLowerCase()
      headers[name] = name in headers ? `${headers[name]}\n${line.slice(colon + 2)}` : line.slice(colon + 2)
    }
    const status = Number(first.split(' ')[1])
    const length = isBodiless || status < 200 ? 0 : Number(headers['content-length'] ?? 0)
    const start = end + 4
    if (this.#arrived.length < start + length) return undefined
    const bytes = this.#arrived.subarray(start, start + length)
    this.#arrived = this.#arrived.subarray(start + length)
    return { status, headers, body: bytes.toString('utf8'), bytes }
  }
}

/** The text of a request, with a content length when there is a body. */
export function requestBytes({ method = 'GET', path, headers = {}, body }: Asked): Buffer {
  const all: Record<string, string> = { host: 'localhost', ...headers }
  if (body !== undefined && !('transfer-encoding' in all)) all['content-length'] ??= String(Buffer.byteLength(body))
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n`), Buffer.from(body ?? '')])
}

/** One request on a connection of its own. */
export async function ask(port: number, asked: Asked, options: ConnectionOptions = {}): Promise<WireAnswer> {
  await using client = await WireClient.connect(port, options)
  client.send(requestBytes(asked))
  return await client.answer(asked.method === 'HEAD')
}

/** The members of an error envelope that matter. */
export function errorOf(answer: WireAnswer): {
  code: string
  message: string
  cause?: Record<string, unknown>
  requestId: string
} {
  return JSON.parse(answer.body).error
}
