/** A router that listens for controllers: what they say in their hello is kept, and so is each channel. */
import assert from 'node:assert/strict'
import { encodePrivateKey, signCertificateRequest } from '@weft/pki'
import { type Channel, ChannelAcceptor, controlPlan, type ReceivedHello, TlsPort } from '@weft/wire'
import {
  type ControlMessageName,
  capabilityMask,
  controlHello,
  controlMessages,
  routerCapability,
} from '@weft/wire/messages'
import { newKey } from './enrolling.ts'
import { idOf } from './password-user.ts'
import type { TestController } from './test-controller.ts'
import type { EnrolledRouter } from './test-router.ts'

/** A router with the certificate by which it listens. */
export interface ListeningIdentity extends EnrolledRouter {
  readonly serverCert: string
}

let count = 0

export async function createRouter(controller: TestController, values: object = {}): Promise<string> {
  const body = { name: `listening router ${++count} ${Date.now()}`, ...values }
  return idOf(await controller.askAdmin('POST', '/edge-routers', body))
}

/** Enrolls it, for the first time or again. */
export async function enrollListening(controller: TestController, id: string): Promise<ListeningIdentity> {
  const { json } = await controller.askAdmin('GET', `/edge-routers/${id}`)
  const key = newKey()
  const csr = (ip: readonly string[]) =>
    signCertificateRequest({ subject: { commonName: id }, key, names: { ip, dns: [] } })
  const enrolled = await controller.askClient({
    method: 'POST',
    path: `/enroll?method=erott&token=${json.data.enrollmentToken}`,
    body: { certCsr: csr([]), serverCertCsr: csr(['127.0.0.1']) },
  })
  assert.equal(enrolled.status, 200, enrolled.text)
  const { cert, serverCert } = enrolled.json.data
  return { id, cert, serverCert, key: encodePrivateKey(key) }
}

export interface ListeningRouterOptions {
  readonly port?: number
  /** What it says it is; by default what it is. */
  readonly id?: string
  /** Groups by the address at which it says that controllers reach it; without it, nothing is said. */
  readonly advertised?: Readonly<Record<string, readonly string[]>>
  /** Happens before the hello is answered. */
  readonly admitting?: (hello: ReceivedHello) => Promise<void>
}

export class ListeningRouter implements AsyncDisposable {
  readonly address: string
  readonly port: number
  readonly hellos: ReceivedHello[]
  readonly channels: Channel[]
  /** The names of everything it was told. */
  readonly heard: ControlMessageName[]
  readonly #parts: AsyncDisposableStack

  private constructor(
    port: number,
    kept: Pick<ListeningRouter, 'hellos' | 'channels' | 'heard'>,
    parts: AsyncDisposableStack,
  ) {
    this.port = port
    this.address = `tls:127.0.0.1:${port}`
    this.hellos = kept.hellos
    this.channels = kept.channels
    this.heard = kept.heard
    this.#parts = parts
  }

  static async listen(router: ListeningIdentity, options: ListeningRouterOptions = {}): Promise<ListeningRouter> {
    await using parts = new AsyncDisposableStack()
    const { admitting = async () => {}, advertised, id = router.id } = options
    const kept = { hellos: [] as ReceivedHello[], channels: [] as Channel[], heard: [] as ControlMessageName[] }
    const listeners = advertised && Object.entries(advertised).map(([address, groups]) => ({ address, groups }))
    const { headers } = controlHello.encode('hello', {
      version: 'v2.1.0|abc|today|linux|amd64',
      capabilities: capabilityMask(Object.values(routerCapability)),
      ...(listeners && { ctrlChanListeners: { listeners } }),
    })
    const acceptor = parts.use(
      new ChannelAcceptor({
        id,
        async admit(hello) {
          kept.hellos.push(hello)
          await admitting(hello)
          return { identity: 'controller', name: 'test router', plan: controlPlan, headers, bind: keep }
        },
      }),
    )
    const keep = (channel: Channel) => {
      kept.channels.push(channel)
      channel.handleRest(({ contentType }) => {
        const name = controlMessages.nameOf(contentType)
        if (name !== undefined) kept.heard.push(name)
      })
    }
    const tls = { servers: [{ certPem: router.serverCert, keyPem: router.key }] }
    const port = parts.use(await TlsPort.open({ host: '127.0.0.1', port: options.port ?? 0, tls }))
    port.registerChannels(['ziti-ctrl'], (connection) => acceptor.accept(connection))
    return new ListeningRouter(port.address.port, kept, parts.move())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync()
  }
}
