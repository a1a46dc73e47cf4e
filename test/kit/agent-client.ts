/** What an operator's command line says to the local socket of a router: a few bytes, and then a channel. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { type Channel, dialChannel, type OutgoingMessage, readResult, singlePlan } from '@weft/wire'
import { agentMessages } from '@weft/wire/messages'

/** The mark of every request, the operation that asks for a channel, and the program that is meant. */
const opening = Buffer.from('010b0a0d0e0c0a0f0e0f00000d1502', 'hex')

export class AgentClient implements AsyncDisposable {
  readonly #channel: Channel
  readonly #parts: AsyncDisposableStack

  private constructor(channel: Channel, parts: AsyncDisposableStack) {
    this.#channel = channel
    this.#parts = parts
  }

  static async connect(path: string): Promise<AgentClient> {
    await using parts = new AsyncDisposableStack()
    // A channel is dialled where a port is; what stands between asks for it first.
    const between = createServer((socket) => {
      const inner = connect(path)
      inner.write(opening)
      socket.pipe(inner).pipe(socket)
      for (const end of [socket, inner]) end.on('error', () => {})
    }).listen(0, '127.0.0.1')
    parts.defer(() => void between.close())
    await once(between, 'listening')
    const channel = await dialChannel({
      address: `tcp:127.0.0.1:${(between.address() as AddressInfo).port}`,
      name: 'operator',
      plan: singlePlan,
      hello: () => ({ id: 'operator' }),
      bind() {},
    })
    parts.defer(() => channel.close())
    return new AgentClient(channel, parts.move())
  }

  /** What comes of an operation. */
  async ask(message: OutgoingMessage) {
    return readResult(await this.#channel.request(message, { timeoutMilliseconds: 30_000 }))
  }

  /** Values by name. */
  async inspect(...requestedValues: string[]): Promise<ReadonlyMap<string, string>> {
    const reply = await this.#channel.request(agentMessages.encode('inspect', { body: { requestedValues } }))
    const { body } = agentMessages.decodeAs('inspectResponse', reply)
    return new Map(body.values.map(({ name, value }) => [name, value]))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync()
  }
}
