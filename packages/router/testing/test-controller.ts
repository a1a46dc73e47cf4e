/** A connection with a controller of which a test plays the part: what it is told is kept, and it says what it is told to. */
import { type Channel, controlPlan, type Message, type WireLog } from '@weft/wire'
import { type ControlMessageInit, type ControlMessageName, controlMessages } from '@weft/wire/messages'
import { ControllerConnection } from '../control/controller-connection.ts'
import { channelPair } from './channel-pair.ts'
import { eventually } from './eventually.ts'

const silent: WireLog = { debug() {}, info() {}, warn() {}, error() {} }

type Told = ReturnType<typeof controlMessages.decode>

export class TestController implements AsyncDisposable {
  /** As the router sees it. */
  readonly connection: ControllerConnection
  /** What the router has said, in order. */
  readonly told: Told[] = []
  readonly #channel: Channel
  readonly #end: () => Promise<void>

  private constructor(connection: ControllerConnection, channel: Channel, end: () => Promise<void>) {
    this.connection = connection
    this.#channel = channel
    this.#end = end
  }

  static async connect(controllerId = 'ctrl1', log: WireLog = silent): Promise<TestController> {
    const received: Message[] = []
    let controller: TestController | undefined
    const take = (message: Message) => {
      if (controller === undefined) received.push(message)
      else controller.told.push(controlMessages.decode(message, 'router'))
    }
    const bindFar = (channel: Channel) => channel.handleRest(take)
    const { near, far, ...pair } = await channelPair({ plan: controlPlan, bindFar })
    const facts = { channel: near, controllerId, version: 'v2.1.0', capabilities: 0n, address: 'tcp:127.0.0.1:1', log }
    const connection = new ControllerConnection(facts, { requestTimeout: 5_000, unresponsiveAfter: 5_000 })
    controller = new TestController(connection, far, async () => pair[Symbol.asyncDispose]())
    for (const message of received) take(message)
    return controller
  }

  /** Waits for so many messages and takes them away. */
  async takes(count: number): Promise<readonly Told[]> {
    await eventually(() => this.told.length >= count, `${count} messages have come`)
    return this.told.splice(0, count)
  }

  async says<K extends ControlMessageName>(name: K, fields: ControlMessageInit<K>): Promise<void> {
    await this.#channel.send(controlMessages.encode(name, fields))
  }

  /** What the router answers. */
  async asks<K extends ControlMessageName>(name: K, fields: ControlMessageInit<K>) {
    const reply = await this.#channel.request(controlMessages.encode(name, fields))
    return controlMessages.decodeReply(name, reply)
  }

  /** Says what no controller would. */
  async mutters(contentType: number, body: Buffer): Promise<void> {
    await this.#channel.send({ contentType, body })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end()
  }
}
