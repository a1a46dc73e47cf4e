/**
 * A whole controller for tests that ask it as clients do: its own PKI, a real store in a temporary folder, plain HTTP on
 * loopback, events in a file, the log in memory.
 */
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createPki, loadIdentitySection, type Pki } from '@weft/pki'
import { MANAGEMENT_BASE } from '../api/http/edge-paths.ts'
import type { Method } from '../api/operation.ts'
import { systemClock } from '../clock.ts'
import { Controller, type ControllerOptions } from '../controller.ts'
import type { Core } from '../core.ts'
import { Invitations } from '../invitations.ts'
import { createLogger } from '../log/logger.ts'
import type { Change } from '../resource-kit/change.ts'

export interface Asked {
  readonly method?: Method
  /** Below the base of the management API. */
  readonly path: string
  readonly body?: unknown
  /** The token of the session that asks; absent: nobody does. */
  readonly token?: string | undefined
  readonly contentType?: string
}

export interface Answered {
  readonly status: number
  readonly text: string
  /** The parsed body; undefined where it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any
}

const HOUR = 3_600_000

export class TestController implements AsyncDisposable {
  readonly core: Core
  readonly pki: Pki
  /** The token of an administrator. */
  readonly admin: string
  readonly logged: readonly string[]
  readonly #port: number
  readonly #agent: http.Agent
  readonly #eventFile: string
  readonly #parts: AsyncDisposableStack

  private constructor(
    parts: Pick<TestController, 'core' | 'pki' | 'admin' | 'logged'>,
    own: { port: number; agent: http.Agent; eventFile: string; parts: AsyncDisposableStack },
  ) {
    this.core = parts.core
    this.pki = parts.pki
    this.admin = parts.admin
    this.logged = parts.logged
    this.#port = own.port
    this.#agent = own.agent
    this.#eventFile = own.eventFile
    this.#parts = own.parts
  }

  static async start(): Promise<TestController> {
    await using parts = new AsyncDisposableStack()
    const directory = await mkdtemp(join(tmpdir(), 'weft-controller-'))
    parts.defer(() => rm(directory, { recursive: true, force: true }))
    const logged: string[] = []
    const log = parts.use(createLogger({ stream: linesInto(logged) }, { level: 'trace', format: 'json' }))
    const eventFile = join(directory, 'events.json')
    const { pki, options, invitations } = await prepare(directory, eventFile)
    const onFailure = (error: unknown) => {
      throw error
    }
    const controller = parts.use(await Controller.start({ clock: systemClock, log, invitations, onFailure }, options))
    const agent = new http.Agent({ keepAlive: true, maxSockets: 16 })
    parts.defer(() => agent.destroy())
    const { core } = controller
    const admin = await openSession(core, { isAdmin: true })
    const port = controller.web.listeners[0]?.address?.port ?? 0
    return new TestController({ core, pki, admin, logged }, { port, agent, eventFile, parts: parts.move() })
  }

  /** Asks the management API over HTTP. */
  async ask({ method = 'GET', path, body, token, contentType = 'application/json' }: Asked): Promise<Answered> {
    const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
    const request = http.request({
      host: '127.0.0.1',
      port: this.#port,
      agent: this.#agent,
      method,
      path: encodeURI(`${MANAGEMENT_BASE}${path}`),
      headers: {
        ...(token === undefined ? {} : { 'zt-session': token }),
        ...(payload === undefined
          ? {}
          : { 'content-type': contentType, 'content-length': String(Buffer.byteLength(payload)) }),
      },
    })
    request.end(payload)
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    const answer = await text(response)
    const isJson = response.headers['content-type']?.includes('json') ?? false
    return { status: response.statusCode ?? 0, text: answer, json: isJson ? JSON.parse(answer) : undefined }
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

  /** Ends the controller and answers everything it has said in events. */
  async stop(): Promise<string> {
    const parts = this.#parts.move()
    // The folder goes last: the file is read in between.
    let events = ''
    await using _rest = parts
    await this.core.kit.writeAsController(() => {})
    events = await readFile(this.#eventFile, 'utf8')
    return events
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts[Symbol.asyncDispose]()
  }
}
