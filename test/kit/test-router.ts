/**
 * A router as a controller sees one: it enrolls through the API, connects, says what a test tells it to say, and answers
 * what it is asked. Behind it there is nothing.
 */
import assert from 'node:assert/strict'
import { type EnrolledRouter, encodeCertificates, encodePrivateKey, enrollRouter } from '@weft/pki'
import { type Channel, controlPlan, dialChannel, type Message } from '@weft/wire'
import {
  type ControlMessage,
  type ControlMessageInit,
  type ControlMessageName,
  capabilityMask,
  controlHello,
  controlMessages,
  routerCapability,
} from '@weft/wire/messages'
import type { ApiClient } from './api-client.ts'

export interface TestRouterOptions {
  readonly isTunnelerEnabled?: boolean
  readonly roleAttributes?: readonly string[]
}

/** What a connection of it is like. */
export interface ConnectOptions {
  readonly version?: string
  readonly hostname?: string
  /** Where SDKs dial it: `tls://host:port`, by protocol. */
  readonly protocols?: Readonly<Record<string, { readonly hostname: string; readonly port: number }>>
  /** Where other routers dial it. */
  readonly linkAddress?: string
  /** What it says of its inside, by name. */
  readonly inspections?: Readonly<Record<string, unknown>>
  /** Which of the terminators that are stored it hosts; without it all. */
  readonly hosts?: (terminatorId: string) => boolean
  /** How its copy of the data model differs; without it, not at all. */
  readonly modelDifferences?: ControlMessageInit<'validateDataStateResponse'>['body']['diffs']
  /** Whether it takes routes; without it each succeeds. */
  readonly onRoute?: (route: ControlMessage<'route'>['body']) => RouteAnswer
}

export type RouteAnswer = { readonly error?: undefined } | { readonly error: string; readonly code: number }

const REVISION = 'a1b2c3d4'
const BUILD_DATE = '2026-01-02T03:04:05Z'

export class TestRouter {
  readonly id: string
  readonly name: string
  readonly #enrolled: EnrolledRouter

  private constructor(name: string, enrolled: EnrolledRouter) {
    this.id = enrolled.routerId
    this.name = name
    this.#enrolled = enrolled
  }

  /** Makes the router's entity and enrolls it with its invitation. */
  static async enroll(admin: ApiClient, name: string, options: TestRouterOptions = {}): Promise<TestRouter> {
    const id = await admin.create('edge-routers', { name, isTunnelerEnabled: false, ...options })
    const { enrollmentJwt } = (await admin.detail(`/edge-routers/${id}`)) as { enrollmentJwt: string }
    const names = { dns: ['localhost'], ip: ['127.0.0.1'] }
    return new TestRouter(name, await enrollRouter(enrollmentJwt, { names }))
  }

  /** A connection as the controller told it where to connect. Resolves when the hello is answered. */
  async connect(options: ConnectOptions = {}): Promise<ConnectedTestRouter> {
    const { key, clientChain, authorities, controllerAddresses } = this.#enrolled
    const [address] = controllerAddresses
    assert.ok(address, 'the invitation says where controllers are')
    let connected: ConnectedTestRouter | undefined
    await dialChannel({
      address,
      name: `ctrl of ${this.name}`,
      plan: controlPlan,
      protocols: ['ziti-ctrl'],
      tls: {
        caPem: encodeCertificates(authorities),
        client: { certPem: encodeCertificates(clientChain), keyPem: encodePrivateKey(key) },
      },
      hello: () => ({ id: this.id, headers: helloHeaders(options) }),
      bind: (channel) => {
        connected = new ConnectedTestRouter(this, channel, options)
      },
    })
    return connected!
  }
}

export class ConnectedTestRouter implements AsyncDisposable {
  readonly router: TestRouter
  readonly channel: Channel
  /** Routes that it was told to take, and circuits that it was told to forget, in order. */
  readonly routes: ControlMessage<'route'>['body'][] = []
  readonly unroutes: ControlMessage<'unroute'>['body'][] = []
  /** Channels that it was told to trace, or no longer, in order. */
  readonly toggled: ControlMessage<'togglePipeTraces'>['body'][] = []
  readonly #options: ConnectOptions

  constructor(router: TestRouter, channel: Channel, options: ConnectOptions) {
    this.router = router
    this.channel = channel
    this.#options = options
    this.#answer('serverHello', (frame) => this.#greeted(frame))
    this.#answer('inspectRequest', (frame, { body }) => this.#inspected(frame, body.requestedValues))
    this.#answer('validateTerminatorsV2', (frame, { body }) => this.#validated(frame, body.terminators))
    this.#answer('validateDataState', (frame) => {
      const diffs = options.modelDifferences ?? []
      return this.#reply(frame, 'validateDataStateResponse', { body: { diffs } })
    })
    this.#answer('route', (frame, { body }) => this.#routed(frame, body))
    this.#answer('unroute', (_, { body }) => void this.unroutes.push(body))
    this.#answer('togglePipeTraces', (frame, { body }) => {
      this.toggled.push(body)
      return this.#reply(frame, 'result', { success: true, body: '' })
    })
    channel.handleRest(() => {})
  }

  get id(): string {
    return this.router.id
  }

  async send<K extends ControlMessageName>(name: K, fields: ControlMessageInit<K>): Promise<void> {
    await this.channel.send(controlMessages.encode(name, fields))
  }

  async request<K extends ControlMessageName>(name: K, fields: ControlMessageInit<K>) {
    return controlMessages.decodeReply(name, await this.channel.request(controlMessages.encode(name, fields)))
  }

  /** Says that it has dialled a link. */
  async reportLink(linkId: string, destRouterId: string, iteration = 1): Promise<void> {
    const conns = [{ type: 'link.default', localAddr: 'tcp:127.0.0.1:1', remoteAddr: 'tcp:127.0.0.1:2' }]
    const link = {
      id: linkId,
      destRouterId,
      linkProtocol: 'tls',
      dialAddress: 'tls:127.0.0.1:2',
      iteration,
      connState: { stateIteration: 1, conns },
    }
    await this.send('routerLinks', { body: { links: [link] } })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.channel[Symbol.asyncDispose]()
  }

  #answer<K extends ControlMessageName>(name: K, run: (frame: Message, message: ControlMessage<K>) => unknown): void {
    this.channel.handle(controlMessages.typeOf(name), async (frame) => {
      await run(frame, controlMessages.decodeAs(name, frame))
    })
  }

  async #reply<K extends ControlMessageName>(request: Message, name: K, fields: ControlMessageInit<K>): Promise<void> {
    await this.channel.reply(request, controlMessages.encode(name, fields))
  }

  #greeted(frame: Message): Promise<void> {
    const { version = 'v2.1.0', hostname = 'test-router', protocols = {} } = this.#options
    const listeners = Object.entries(protocols).map(([protocol, { hostname, port }]) => {
      const address = { protocol, hostname, port, value: `${protocol}:${hostname}:${port}` }
      return { address, advertise: address }
    })
    return this.#reply(frame, 'clientHello', { hasDataModel: false, body: { version, hostname, listeners } })
  }

  #inspected(frame: Message, requestedValues: readonly string[]): Promise<void> {
    const { inspections = {} } = this.#options
    const values = requestedValues
      .filter((name) => Object.hasOwn(inspections, name))
      .map((name) => {
        const value = inspections[name]
        return { name, value: typeof value === 'string' ? value : JSON.stringify(value) }
      })
    return this.#reply(frame, 'inspectResponse', { body: { success: true, values } })
  }

  #validated(
    frame: Message,
    terminators: ControlMessage<'validateTerminatorsV2'>['body']['terminators'],
  ): Promise<void> {
    const { hosts = () => true } = this.#options
    const states = terminators.map(({ id, marker }) => {
      return [id, { valid: hosts(id), reason: 'UnknownTerminator', marker }] as const
    })
    return this.#reply(frame, 'validateTerminatorsV2Response', { body: { states: new Map(states) } })
  }

  async #routed(frame: Message, route: ControlMessage<'route'>['body']): Promise<void> {
    this.routes.push(route)
    const answer = this.#options.onRoute?.(route) ?? {}
    const { circuitId, attempt } = route
    if (answer.error === undefined) await this.#reply(frame, 'routeResult', { attempt, success: true, body: circuitId })
    else
      await this.#reply(frame, 'routeResult', { attempt, error: answer.error, errorCode: answer.code, body: circuitId })
  }
}

function helloHeaders({ version = 'v2.1.0', linkAddress }: ConnectOptions) {
  const listeners = linkAddress && [{ address: linkAddress, protocol: 'tls', groups: ['default'], localBinding: '' }]
  return controlHello.encode('hello', {
    version: [version, REVISION, BUILD_DATE, 'linux', 'amd64'].join('|'),
    capabilities: capabilityMask([routerCapability.multiChannel]),
    ...(listeners && { listeners: { listeners } }),
  }).headers
}
