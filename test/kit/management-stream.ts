/** A management stream as tools use it: requests with answers, and what the controller sends on its own. */
import { Channel, singlePlan, unannounced } from '@weft/wire'
import {
  type ManagementMessage,
  type ManagementMessageInit,
  type ManagementMessageName,
  managementMessages,
} from '@weft/wire/messages'
import { openFrameWebSocket } from '../../packages/wire/testing/frame-web-socket.ts'
import type { Json, Server } from './api-client.ts'
import { until } from './patience.ts'

export class TestStream implements AsyncDisposable {
  readonly channel: Channel
  readonly events: Json[] = []
  /** What the messages called their events, by the namespace that stands in them. */
  readonly kinds = new Map<string, string>()

  private constructor(channel: Channel) {
    this.channel = channel
    channel.handle(managementMessages.typeOf('event'), (frame) => {
      const { eventType, body } = managementMessages.decodeAs('event', frame)
      const event = JSON.parse(String(body)) as Json
      this.events.push(event)
      this.kinds.set(String(event['namespace']), eventType)
    })
  }

  /** Throws with the status when it is refused. */
  static async open({ url, ca }: Server, token: string | undefined): Promise<TestStream> {
    const headers: Record<string, string> = token === undefined ? {} : { 'zt-session': token }
    const opened = await openFrameWebSocket(`${url.replace('https:', 'wss:')}/fabric/v1/ws-api`, { ca, headers })
    if (typeof opened === 'number') throw new Error(`refused with ${opened}`)
    const channel = new Channel(unannounced(opened, 'controller'), { name: 'management', plan: singlePlan })
    const stream = new TestStream(channel)
    channel.start()
    return stream
  }

  async request<K extends ManagementMessageName>(name: K, fields: ManagementMessageInit<K>) {
    return managementMessages.decodeReply(name, await this.channel.request(managementMessages.encode(name, fields)))
  }

  /** Keeps what the controller sends of a kind. */
  collect<K extends ManagementMessageName>(name: K): ManagementMessage<K>[] {
    const found: ManagementMessage<K>[] = []
    this.channel.handle(managementMessages.typeOf(name), (frame) => {
      found.push(managementMessages.decodeAs(name, frame))
    })
    return found
  }

  async subscribe(...subscriptions: readonly Json[]) {
    const { message } = await this.request('streamEvents', { body: JSON.stringify({ format: 'json', subscriptions }) })
    return message
  }

  /** The first event that has these members, waited for. */
  event(wanted: Json): Promise<Json> {
    const isWanted = (event: Json) => Object.entries(wanted).every(([key, value]) => event[key] === value)
    return until(`an event ${JSON.stringify(wanted)}`, () => this.events.find(isWanted))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.channel[Symbol.asyncDispose]()
  }
}
