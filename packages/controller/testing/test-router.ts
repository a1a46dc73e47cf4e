/**
 * A router as its controller sees it: it has enrolled, holds a control channel open, answers what it must and remembers what
 * it was told. What it says besides, and how it misbehaves, is the test's.
 */
import assert from 'node:assert/strict'
import { encodePrivateKey } from '@weft/pki'
import { type Channel, controlPlan, dialChannel, type GroupDialOptions, type Headers, type Message } from '@weft/wire'
import {
  type ControlMessage,
  type ControlMessageInit,
  type ControlMessageName,
  capabilityMask,
  controlHello,
  controlMessages,
  routerCapability,
} from '@weft/wire/messages'
import { newCsr, newKey } from './enrolling.ts'
import { idOf } from './password-user.ts'
import type { ClientCertificate, TestController } from './test-controller.ts'

export type RouterCollection = 'edge-routers' | 'transit-routers'

/** Who a router is, and by what it proves it. */
export interface EnrolledRouter extends ClientCertificate {
  readonly id: string
}

let count = 0

export async function enrollRouter(
  controller: TestController,
  {
    collection = 'edge-routers',
    ...values
  }: { readonly collection?: RouterCollection; readonly [value: string]: unknown } = {},
): Promise<EnrolledRouter> {
  const body = { name: `router ${++count} ${Date.now()}`, ...values }
  const id = idOf(await controller.askAdmin('POST', `/${collection}`, body))
  const { json } = await controller.askAdmin('GET', `/${collection}/${id}`)
  const key = newKey()
  const method = collection === 'edge-routers' ? 'erott' : 'trott'
  const enrolled = await controller.askClient({
    method: 'POST',
    path: `/enroll?method=${method}&token=${json.data.enrollmentToken}`,
    body: { certCsr: newCsr(id, key), serverCertCsr: newCsr(id, key) },
  })
  assert.equal(enrolled.status, 200, enrolled.text)
  return { id, cert: enrolled.json.data.cert, key: encodePrivateKey(key) }
}

export interface TestRouterOptions {
  /** What it says it is; by default what it is. */
  readonly id?: string
  readonly version?: string
  /** What its hello says besides, in place of what a current one says. */
  readonly headers?: Headers
  readonly group?: GroupDialOptions
  /** Whether it answers neither the greeting of an edge router nor routes; it does unless said otherwise. */
  readonly isSilent?: boolean
}

type Wanted<K extends ControlMessageName> = (message: ControlMessage<K>) => boolean

const PATIENCE_MILLISECONDS = 10_000

export class TestRouter implements AsyncDisposable {
  readonly id: string
  readonly channel: Channel
  /** Every message so far, by name, in order. */
  readonly received: { readonly name: ControlMessageName; readonly frame: Message }[]
  readonly #waiting: Set<() => void>

  private constructor(id: string, channel: Channel, received: TestRouter['received'], waiting: Set<() => void>) {
    this.id = id
    this.channel = channel
    this.received = received
    this.#waiting = waiting
  }

  static async connect(
    controller: TestController,
    router: EnrolledRouter,
    {
      id = router.id,
      version = 'v2.1.0|abc|today|linux|amd64',
      headers,
      group,
      isSilent = false,
    }: TestRouterOptions = {},
  ): Promise<TestRouter> {
    const { host, port, ca } = controller.clientAddress
    const received: TestRouter['received'] = []
    const waiting = new Set<() => void>()
    const capabilities = capabilityMask(Object.values(routerCapability))
    const channel = await dialChannel({
      name: `test router ${id}`,
      address: `tls:${host}:${port}`,
      protocols: ['ziti-ctrl'],
      tls: { client: { certPem: router.cert, keyPem: router.key }, caPem: ca },
      plan: { ...controlPlan, minUnderlays: 1 },
      hello: () => ({ id, headers: headers ?? controlHello.encode('hello', { version, capabilities }).headers }),
      ...(group !== undefined && { group }),
      bind(channel) {
        channel.handleRest((frame) => {
          const name = controlMessages.nameOf(frame.contentType)
          if (name === undefined) return
          received.push({ name, frame })
          if (name === 'serverHello' && !isSilent) greet(channel, frame)
          if (name === 'route' && !isSilent) routed(channel, frame)
          for (const look of waiting) look()
        })
      },
    })
    return new TestRouter(id, channel, received, waiting)
  }

  /** The names of everything it was told, in order. */
  get heard(): readonly ControlMessageName[] {
    return this.received.map(({ name }) => name)
  }

  all<K extends ControlMessageName>(name: K): readonly ControlMessage<K>[] {
    return this.received
      .filter((message) => message.name === name)
      .map(({ frame }) => controlMessages.decodeAs(name, frame))
  }

  async send<K extends ControlMessageName>(name: K, fields: ControlMessageInit<K>): Promise<void> {
    await this.channel.send(controlMessages.encode(name, fields))
  }

  async ask<K extends ControlMessageName>(name: K, fields: ControlMessageInit<K>) {
    const options = { timeoutMilliseconds: PATIENCE_MILLISECONDS }
    return controlMessages.decodeReply(name, await this.channel.request(controlMessages.encode(name, fields), options))
  }

  /** Answers the newest message of a name. */
  async answer<K extends ControlMessageName>(
    asked: ControlMessageName,
    name: K,
    fields: ControlMessageInit<K>,
  ): Promise<void> {
    const { frame } = this.received.findLast((message) => message.name === asked)!
    await this.channel.reply(frame, controlMessages.encode(name, fields))
  }

  /** The first message of the name that is as wanted, come or to come. */
  async hears<K extends ControlMessageName>(name: K, wanted: Wanted<K> = () => true): Promise<ControlMessage<K>> {
    const { promise, resolve, reject } = Promise.withResolvers<ControlMessage<K>>()
    const look = () => {
      const found = this.all(name).find(wanted)
      if (found !== undefined) resolve(found)
    }
    const tooLate = () => reject(new Error(`${this.id} was not told ${name}, but ${this.heard.join(', ')}`))
    const timer = setTimeout(tooLate, PATIENCE_MILLISECONDS)
    this.#waiting.add(look)
    look()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(look)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.channel[Symbol.asyncDispose]()
  }
}

function greet(channel: Channel, frame: Message): void {
  const advertise = { value: 'tls:127.0.0.1:3022', protocol: 'tls', hostname: '127.0.0.1', port: 3022 }
  const body = { version: 'v2.1.0', hostname: 'here', listeners: [{ advertise }] }
  void channel.reply(frame, controlMessages.encode('clientHello', { hasDataModel: true, body })).catch(() => {})
}

function routed(channel: Channel, frame: Message): void {
  const { circuitId, attempt } = controlMessages.decodeAs('route', frame).body
  const result = controlMessages.encode('routeResult', { attempt, success: true, body: circuitId })
  void channel.reply(frame, result).catch(() => {})
}
