/**
 * A router as other routers see one: it is known to the controller, they dial it and it dials them. What comes over its
 * links it passes over. It comes and goes as a test says.
 */
import { randomUUID } from 'node:crypto'
import { type EnrolledRouter, encodeCertificates, encodePrivateKey, enrollRouter } from '@weft/pki'
import {
  type Channel,
  ChannelAcceptor,
  type Connection,
  controlPlan,
  dialChannel,
  HelloRefusal,
  linkPlan,
  TlsPort,
} from '@weft/wire'
import {
  type ControlMessageInit,
  capabilityMask,
  controlHello,
  controlMessages,
  linkHello,
  routerCapability,
} from '@weft/wire/messages'
import type { ApiClient } from './api-client.ts'

/** What it does with those who dial it. */
export type Welcome = 'takes' | 'refuses' | 'says nothing'

const VERSION = 'v2.1.0'

export class LinkPeer implements AsyncDisposable {
  readonly id: string
  welcome: Welcome = 'takes'
  readonly #enrolled: EnrolledRouter
  readonly #parts = new AsyncDisposableStack()
  readonly #acceptor: ChannelAcceptor
  readonly #silent = new Set<Connection>()
  readonly #dialled = new Set<Channel>()
  #address = ''
  #control: Channel | undefined

  private constructor(enrolled: EnrolledRouter) {
    this.id = enrolled.routerId
    this.#enrolled = enrolled
    this.#acceptor = this.#parts.use(
      new ChannelAcceptor({
        id: this.id,
        admit: ({ connection }) => {
          if (this.welcome === 'refuses') throw new HelloRefusal('not now')
          const plan = { ...linkPlan, underlays: {} }
          return { identity: connection.fingerprint!, name: 'link', plan, bind: passOver }
        },
      }),
    )
  }

  /** Makes the router's entity, enrolls it and listens. */
  static async start(admin: ApiClient, name: string): Promise<LinkPeer> {
    const id = await admin.create('edge-routers', { name })
    const { enrollmentJwt } = await admin.detail(`/edge-routers/${id}`)
    const peer = new LinkPeer(await enrollRouter(String(enrollmentJwt), { names: { ip: ['127.0.0.1'] } }))
    await peer.#listen()
    return peer
  }

  /** With which it dials. */
  get tls() {
    const { key, clientChain, authorities } = this.#enrolled
    const client = { certPem: encodeCertificates(clientChain), keyPem: encodePrivateKey(key) }
    return { caPem: encodeCertificates(authorities), client }
  }

  get isConnected(): boolean {
    return this.#control?.isClosed === false
  }

  /** Comes to the controller, which then tells the others of it. */
  async come(): Promise<void> {
    if (this.isConnected) return
    const listeners = [{ address: this.#address, protocol: 'tls', groups: ['default'], localBinding: '' }]
    const hello = controlHello.encode('hello', {
      version: [VERSION, 'peer', 'today', 'linux', 'amd64'].join('|'),
      capabilities: capabilityMask([routerCapability.multiChannel]),
      listeners: { listeners },
    })
    this.#control = await dialChannel({
      address: this.#enrolled.controllerAddresses[0]!,
      name: `ctrl of ${this.id}`,
      plan: controlPlan,
      protocols: ['ziti-ctrl'],
      tls: this.tls,
      hello: () => ({ id: this.id, headers: hello.headers }),
      bind: passOver,
    })
  }

  /** Leaves the controller; its links stay. */
  leave(): void {
    this.#control?.close()
  }

  /** Tells the controller something. */
  async tell<K extends Parameters<typeof controlMessages.encode>[0]>(name: K, fields: ControlMessageInit<K>) {
    await this.#control?.send(controlMessages.encode(name, fields))
  }

  /** Dials a link to another router. */
  async dial(port: number, linkId: string = randomUUID()): Promise<Channel> {
    const channel = await dialChannel({
      address: `tls:127.0.0.1:${port}`,
      name: `link of ${this.id}`,
      plan: linkPlan,
      protocols: ['ziti-link'],
      tls: this.tls,
      hello: () => ({
        id: linkId,
        headers: linkHello.encode('hello', { routerId: this.id, routerVersion: VERSION, iteration: 1 }).headers,
      }),
      bind: passOver,
    })
    this.#dialled.add(channel)
    void channel.closed.then(() => this.#dialled.delete(channel))
    return channel
  }

  /** Cuts all that it has to do with others. */
  vanish(): void {
    for (const channel of [...this.#dialled, ...this.#acceptor.channels]) {
      for (const { connection } of channel.underlays) connection.destroy()
    }
    for (const connection of this.#silent) connection.destroy()
    this.#silent.clear()
    this.leave()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.vanish()
    await this.#parts.disposeAsync()
  }

  async #listen(): Promise<void> {
    const { key, serverChain } = this.#enrolled
    const servers = [{ certPem: encodeCertificates(serverChain), keyPem: encodePrivateKey(key) }] as const
    const port = this.#parts.use(await TlsPort.open({ host: '127.0.0.1', port: 0, tls: { servers } }))
    port.registerChannels(['ziti-link'], (connection) => {
      if (this.welcome === 'says nothing') this.#silent.add(connection)
      else this.#acceptor.accept(connection)
    })
    this.#address = `tls:127.0.0.1:${port.address.port}`
  }
}

function passOver(channel: Channel): void {
  channel.handleRest(() => {})
}
