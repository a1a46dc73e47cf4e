/**
 * A simulated router of a running controller that comes and goes in every way in which routers do, and keeps a copy of the
 * data model while it is there.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeCertificates, encodePrivateKey, enrollRouter } from '@weft/pki'
import { dial } from '@weft/wire'
import { changeSet } from '@weft/wire/messages'
import { Replica } from '../../packages/controller/control/data-model/replica.ts'
import { SimulatedRouter, type SimulatedRouterOptions } from '../../packages/wire/testing/simulated-router.ts'
import type { ApiClient } from './api-client.ts'

const STALL_MILLISECONDS = 100
const HELLO_MILLISECONDS = 5_000
const ASK_AGAIN_MILLISECONDS = 1_000

export class FlappingRouter implements AsyncDisposable {
  readonly id: string
  readonly #options: SimulatedRouterOptions
  #live: SimulatedRouter | undefined
  #copy = new Replica()
  /** What was wrong with what came of the data model. */
  #problem: unknown

  private constructor(options: SimulatedRouterOptions) {
    this.id = options.routerId
    this.#options = options
  }

  static async enroll(admin: ApiClient, name: string): Promise<FlappingRouter> {
    const id = await admin.create('edge-routers', { name })
    const { enrollmentJwt } = await admin.detail(`/edge-routers/${id}`)
    const { key, clientChain, authorities, controllerAddresses } = await enrollRouter(String(enrollmentJwt))
    const client = { certPem: encodeCertificates(clientChain), keyPem: encodePrivateKey(key) }
    const tls = { client, caPem: encodeCertificates(authorities) }
    const address = controllerAddresses[0]!
    const timeoutMilliseconds = HELLO_MILLISECONDS
    return new FlappingRouter({ routerId: id, address, tls, hasUrgentConnection: true, timeoutMilliseconds })
  }

  /** Undefined while it is gone. */
  get live(): SimulatedRouter | undefined {
    return this.#live?.channel.isClosed ? undefined : this.#live
  }

  /** What it knows of the data model. Throws what went wrong with it. */
  copy(): Replica {
    if (this.#problem !== undefined) throw this.#problem
    return this.#copy
  }

  /** Comes, unless it is there. A controller that has not noticed yet that it is gone refuses it. */
  async come(): Promise<void> {
    if (this.live !== undefined) return
    const copy = new Replica()
    const live = await SimulatedRouter.connect(this.#options, {
      state: (body) => this.#take(() => copy.takeState(body)),
      changeSet: (body) => this.#take(() => this.#change(copy, body)),
    })
    this.#live = live
    this.#copy = copy
    // The model itself may be under way on a connection that is lost.
    const asking = setInterval(() => live.subscribe(), ASK_AGAIN_MILLISECONDS)
    await live.ready().finally(() => clearInterval(asking))
  }

  /** Closes its channel. */
  async leave(): Promise<void> {
    await this.live?.[Symbol.asyncDispose]()
  }

  /** Loses all connections at one blow. */
  vanish(): void {
    for (const { connection } of this.live?.channel.underlays ?? []) connection.destroy()
  }

  /** Loses one of its connections, and makes it again. */
  loseOne(nth: number): void {
    const underlays = this.live?.channel.underlays ?? []
    if (underlays.length > 1) underlays[nth % underlays.length]!.connection.destroy()
  }

  /** Reads nothing for a while. */
  async stall(): Promise<void> {
    const channel = this.live?.channel
    channel?.pauseReading()
    await sleep(STALL_MILLISECONDS)
    channel?.resumeReading()
  }

  /** Makes a connection and gives it up before a word is said. */
  async hangUp(): Promise<void> {
    const connection = await dial(this.#options.address, { tls: this.#options.tls, protocols: ['ziti-ctrl'] })
    connection.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave()
  }

  /** What was under way on a connection that is lost does not arrive: then it asks for everything. */
  #change(copy: Replica, body: Buffer): void {
    const { isSynthetic, index, previousIndex } = changeSet.decode(body)
    if (isSynthetic || previousIndex === copy.index) copy.takeChangeSet(body)
    else if (index > copy.index) this.#live?.subscribe()
  }

  #take(apply: () => void): void {
    try {
      apply()
    } catch (error) {
      this.#problem ??= error
    }
  }
}
