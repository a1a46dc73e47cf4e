/**
 * A whole controller for tests that ask it as clients do: its own PKI, a real store in a temporary folder, plain HTTP on
 * loopback, events in a file, the log in memory.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createPki, loadIdentitySection, loadSigningCertificate, type Pki } from '@weft/pki'
import { CLIENT_BASE, MANAGEMENT_BASE } from '../api/http/edge-paths.ts'
import { OIDC_BASE } from '../api/oidc/oidc-api.ts'
import { type Clock, systemClock } from '../clock.ts'
import { Controller, type ControllerDeps, type ControllerOptions } from '../controller.ts'
import type { Core } from '../core/core.ts'
import { Invitations } from '../enroll/invitations.ts'
import { defaultNetworkOptions } from '../fabric/network-options.ts'
import { createLogger } from '../log/logger.ts'
import type { Method } from '../operation/operation.ts'
import type { Change } from '../resource-kit/change.ts'

export interface Asked {
  readonly method?: Method
  /** Below the base of the management API. */
  readonly path: string
  readonly body?: unknown
  /** The token of the session that asks; absent: nobody does. */
  readonly token?: string | undefined
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
}

export interface Answered {
  readonly status: number
  readonly contentType: string
  readonly text: string
  /** The parsed body; undefined where it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any
  readonly headers: http.IncomingHttpHeaders
}

/** What a client shows in the handshake: a chain, leaf first, and the key of its leaf. */
export interface ClientCertificate {
  readonly cert: string
  readonly key: string
}

const HOUR = 3_600_000

export class TestController implements AsyncDisposable {
  readonly core: Core
  readonly pki: Pki
  /** The token of an administrator. */
  readonly admin: string
  /** Every line of the log so far. */
  readonly logged: readonly string[]
  readonly #controller: Controller
  readonly #deps: ControllerDeps
  readonly #options: ControllerOptions
  readonly #eventFile: string
  readonly #agent: http.Agent
  readonly #parts: AsyncDisposableStack

  private constructor(
    { pki, admin, logged }: Pick<TestController, 'pki' | 'admin' | 'logged'>,
    own: {
      controller: Controller
      deps: ControllerDeps
      options: ControllerOptions
      eventFile: string
      agent: http.Agent
      parts: AsyncDisposableStack
    },
  ) {
    this.core = own.controller.core
    this.pki = pki
    this.admin = admin
    this.logged = logged
    this.#controller = own.controller
    this.#deps = own.deps
    this.#options = own.options
    this.#eventFile = own.eventFile
    this.#agent = own.agent
    this.#parts = own.parts
  }

  /** With what is given in place of the usual. */
  static async start(
    given: Partial<ControllerOptions> = {},
    { clock = systemClock }: { readonly clock?: Clock } = {},
  ): Promise<TestController> {
    await using parts = new AsyncDisposableStack()
    const directory = await mkdtemp(join(tmpdir(), 'weft-controller-'))
    parts.defer(() => rm(directory, { recursive: true, force: true }))
    const logged: string[] = []
    const log = parts.use(createLogger({ stream: linesInto(logged) }, { level: 'trace', format: 'json' }))
    const eventFile = join(directory, 'events.json')
    const { pki, options: usual, invitations } = await prepare(directory, eventFile)
    const options = { ...usual, ...given }
    const onFailure = (error: unknown) => {
      throw error
    }
    const deps = { clock, log, invitations, onFailure }
    const controller = parts.use(await Controller.start(deps, options))
    const agent = newAgent(parts)
    const admin = await openSession(controller.core, { isAdmin: true })
    const own = { controller, deps, options, eventFile, agent, parts: parts.move() }
    return new TestController({ pki, admin, logged }, own)
  }

  /** Asks the management API over HTTP. */
  ask(asked: Asked): Promise<Answered> {
    const { agent, port } = { agent: this.#agent, port: this.#port('plain') }
    return answered(http.request({ host: '127.0.0.1', port, agent, ...requestOptions(asked, MANAGEMENT_BASE) }), asked)
  }

  /** Asks the client API over TLS, by a connection of its own. */
  askClient(asked: Asked, certificate?: ClientCertificate): Promise<Answered> {
    const { caPem: ca } = this.#options.identity
    const tls = { host: '127.0.0.1', port: this.#port('tls'), agent: false, ca, ...certificate } as const
    return answered(https.request({ ...tls, ...requestOptions(asked, CLIENT_BASE) }), asked)
  }

  /** Where the client API and the provider listen and routers connect, for connections that a test makes itself. */
  get clientAddress(): { readonly host: string; readonly port: number; readonly ca: string } {
    return { host: '127.0.0.1', port: this.#port('tls') ?? 0, ca: this.#options.identity.caPem }
  }

  /** Asks the OIDC provider over TLS, under the address that clients are told. */
  askOidc(asked: Asked, certificate?: ClientCertificate): Promise<Answered> {
    const { identity, apiAddress } = this.#options
    // The Host of a request may be any; which server this is follows from the CA alone.
    const server = { host: '127.0.0.1', port: this.#port('tls'), checkServerIdentity: () => undefined }
    const tls = { agent: false, ca: identity.caPem, ...certificate } as const
    const named = { ...asked, headers: { host: apiAddress, ...asked.headers } }
    return answered(https.request({ ...server, ...tls, ...requestOptions(named, OIDC_BASE) }), asked)
  }

  /** What the controller counts, as a scraper reads it. */
  async metrics(): Promise<string> {
    const place = { host: '127.0.0.1', port: this.#port('plain'), agent: this.#agent, path: '/metrics' }
    return (await answered(http.request(place), { path: '' })).text
  }

  #port(server: string): number | undefined {
    return this.#controller.web.listeners.find((listener) => listener.server === server)?.address?.port
  }

  /** Asks as the administrator. */
  askAdmin(method: Method, path: string, body?: unknown): Promise<Answered> {
    return this.ask({ method, path, body, token: this.admin })
  }

  /** Changes the state as the controller itself does, past the API and its bodies. */
  write<T>(mutate: (change: Change) => T): Promise<T> {
    return this.core.kit.writeAsController(mutate)
  }

  /** The token of a new identity that holds these grants. */
  login(grants: readonly string[]): Promise<string> {
    return openSession(this.core, { permissions: grants })
  }

  /** The token of a new session of an identity. */
  loginAs(identityId: string): Promise<string> {
    return this.write((change) => newSession(change, identityId))
  }

  /** Ends the controller; answers everything it has told in events. */
  async stop(): Promise<string> {
    await this.#controller[Symbol.asyncDispose]()
    return await readFile(this.#eventFile, 'utf8')
  }

  /**
   * Ends the controller, and answers another one on what it has left: the same store, the same certificates. Only while
   * this one is not disposed of, which takes that away.
   */
  async restarted(): Promise<TestController> {
    await this.#controller[Symbol.asyncDispose]()
    await using parts = new AsyncDisposableStack()
    const controller = parts.use(await Controller.start(this.#deps, this.#options))
    const agent = newAgent(parts)
    const own = { deps: this.#deps, options: this.#options, eventFile: this.#eventFile }
    return new TestController(this, { controller, agent, ...own, parts: parts.move() })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts[Symbol.asyncDispose]()
  }
}

function newAgent(parts: AsyncDisposableStack): http.Agent {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 })
  parts.defer(() => agent.destroy())
  return agent
}

function requestOptions({ method = 'GET', path, body, token, contentType, headers }: Asked, base: string) {
  const type = contentType ?? (body === undefined ? undefined : 'application/json')
  return {
    method,
    path: base + path,
    headers: {
      ...headers,
      ...(token === undefined ? {} : { 'zt-session': token }),
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(textOf(body))) }),
    },
  }
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

async function answered(request: http.ClientRequest, { body }: Asked): Promise<Answered> {
  request.end(body === undefined ? undefined : textOf(body))
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  const answer = await text(response)
  const contentType = response.headers['content-type'] ?? ''
  const json = contentType.includes('json') && answer !== '' ? JSON.parse(answer) : undefined
  return { status: response.statusCode ?? 0, text: answer, json, contentType, headers: response.headers }
}

function linesInto(lines: string[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString('utf8'))
      done()
    },
  })
}

function openSession(core: Core, values: Readonly<Record<string, unknown>>): Promise<string> {
  return core.kit.writeAsController((change) => {
    const name = `caller ${randomUUID()}`
    return newSession(change, change.create('identities', { name, ...values }, { idKind: 'short' }).id)
  })
}

function newSession(change: Change, identityId: string): string {
  const token = randomUUID()
  change.create('apiSessions', { token, identityId, lastActivityAt: change.now }, { idKind: 'cuid' })
  return token
}

async function prepare(directory: string, eventFile: string) {
  const clock = systemClock
  const controllerId = 'controller'
  const hosts = ['127.0.0.1']
  const pki = await createPki({ directory: join(directory, 'pki'), trustDomain: 'weft', controllerId, hosts, clock })
  const { clientChain, clientKey, serverChain, serverKey, caBundle } = pki.files
  const { identity, problems } = await loadIdentitySection(
    { cert: clientChain, key: clientKey, server_cert: serverChain, server_key: serverKey, ca: caBundle },
    { baseDirectory: directory, clock },
  )
  if (identity === undefined) throw new Error(JSON.stringify(problems))
  const { intermediateCert: cert, intermediateKey: key } = pki.files
  const { signing } = await loadSigningCertificate(
    { cert, key },
    { baseDirectory: directory, clock, caBundle: identity.caBundle },
  )
  const apiAddress = '127.0.0.1:1280'
  const ctrlAddress = 'tls:127.0.0.1:6262'
  const invitations = new Invitations({
    identity,
    apiAddress,
    controllerAddresses: [ctrlAddress],
    identityDuration: HOUR,
    routerDuration: 2 * HOUR,
  })
  const options: ControllerOptions = {
    controllerId,
    identity,
    signing: signing!,
    trustDomain: 'weft',
    databaseFile: join(directory, 'controller.db'),
    apiAddress,
    // Routers come to the port of the client API.
    ctrlListener: 'tls:127.0.0.1:0',
    ctrlAddress,
    web: [
      {
        name: 'plain',
        bindPoints: [{ interface: '127.0.0.1:0', address: apiAddress, isPlainHttp: true }],
        apis: [{ binding: 'edge-management' }, { binding: 'metrics' }],
        minVersion: 'TLSv1.2',
        maxVersion: 'TLSv1.3',
        limits: {},
      },
      {
        name: 'tls',
        bindPoints: [{ interface: '127.0.0.1:0', address: apiAddress }],
        apis: [{ binding: 'edge-client' }, { binding: 'edge-oidc' }],
        minVersion: 'TLSv1.2',
        maxVersion: 'TLSv1.3',
        limits: {},
      },
    ],
    sessions: { sessionTimeout: HOUR, activityInterval: HOUR, activityBatch: 100 },
    events: {
      file: {
        subscriptions: [{ type: 'entityChange' }, { type: 'edge.apiSessions' }, { type: 'authentication' }],
        handler: { type: 'file', format: 'json', path: eventFile, bufferSize: 100_000 },
      },
    },
    journal: { maxAge: 24 * HOUR, maxBytes: Number.MAX_SAFE_INTEGER },
    totpIssuer: 'weft',
    loginWindow: { enabled: true, minSize: 5, maxSize: 250 },
    network: defaultNetworkOptions,
    tokenLives: { access: HOUR / 2, id: HOUR / 2, refresh: 24 * HOUR },
    jwksFetch: {
      blockPrivateAddresses: false,
      deniedIPs: [],
      allowedIPs: [],
      deniedHostnames: [],
      allowedHostnames: [],
      timeout: 5_000,
      maxRedirects: 5,
    },
    secretsKeyFile: join(directory, 'secrets.key'),
  }
  return { pki, options, invitations }
}
