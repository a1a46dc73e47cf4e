/** Whoever reads events as they happen: subscriptions as in the configuration, with options apart. */
import type { EventHandlerStats, EventReceiver } from '../../../../events/event-handler.ts'
import type { EventNamespace, StampedEvent } from '../../../../events/event-types.ts'
import { formatJson } from '../../../../events/json.ts'
import { formatPlain } from '../../../../events/plain.ts'
import { isProblem, readSubscription, type Subscription } from '../../../../events/subscription.ts'
import { eventQueue, type ManagementStream } from '../management-stream.ts'
import { defineStreamHandler } from '../stream-handler.ts'

const formats = { json: formatJson, plain: formatPlain }
const MOST_SUBSCRIPTIONS = 100

export const streamEvents = defineStreamHandler('streamEvents', async ({ message, frame, stream }, { events }) => {
  const answer = (success: boolean, body: string) => stream.reply(frame, 'result', { success, body })
  const wanted = readRequest(message.body)
  if (typeof wanted === 'string') {
    await answer(false, wanted)
    return
  }
  if (!stream.subscribe()) {
    await answer(false, 'too many subscriptions on one stream')
    return
  }
  await answer(true, 'success')
  stream.parts.use(events.join(new StreamedEvents(stream, wanted)))
})

interface Wanted {
  readonly format: keyof typeof formats
  readonly subscriptions: readonly Subscription[]
}

/** The request, or what is wrong with it. */
function readRequest(text: string): Wanted | string {
  let request: unknown
  try {
    request = JSON.parse(text)
  } catch (error) {
    return (error as Error).message
  }
  const { format, subscriptions } = (request ?? {}) as { readonly format?: unknown; readonly subscriptions?: unknown }
  if (typeof format !== 'string' || !Object.hasOwn(formats, format)) return `invalid format ['${String(format)}']`
  const list: unknown = subscriptions ?? []
  if (!Array.isArray(list) || list.length > MOST_SUBSCRIPTIONS) return 'wanted a list of subscriptions'
  const read: Subscription[] = []
  for (const item of list) {
    const { type, options } = (item ?? {}) as { readonly type?: unknown; readonly options?: object | null }
    if (typeof type !== 'string') return 'a subscription has no type'
    const result = readSubscription({ ...options, type })
    if (isProblem(result)) return `${type}: ${result.message}`
    read.push(result)
  }
  return { format: format as Wanted['format'], subscriptions: read }
}

class StreamedEvents implements EventReceiver {
  readonly subscriptions: readonly Subscription[]
  readonly #stream: ManagementStream
  readonly #format: Wanted['format']
  readonly #dropped = new Map<EventNamespace, number>()
  #written = 0

  constructor(stream: ManagementStream, { format, subscriptions }: Wanted) {
    this.#stream = stream
    this.#format = format
    this.subscriptions = subscriptions
  }

  get stats(): EventHandlerStats {
    const { channel } = this.#stream
    const queue = channel.queue(eventQueue.name)
    return {
      name: 'stream',
      queuedLines: queue.length,
      queuedBytes: queue.bytes,
      written: this.#written,
      writeErrors: 0,
      dropped: this.#dropped,
    }
  }

  offer(event: StampedEvent, subscription: Subscription): void {
    const { namespace } = event
    try {
      if (!subscription.accepts(event)) return
      const part = subscription.partOf?.(event) ?? event
      const body = Buffer.from(formats[this.#format](part, subscription.shownAs))
      if (this.#stream.offer('event', { eventType: kindOf(event), body })) this.#written++
      else this.#dropped.set(namespace, (this.#dropped.get(namespace) ?? 0) + 1)
    } catch (error) {
      this.#stream.fail('event could not be formatted', error)
    }
  }

  async close(): Promise<void> {
    this.#stream.channel.close()
  }
}

/** What the message calls its event: the namespace, but for two that had another name when they came to the stream. */
function kindOf(event: StampedEvent): string {
  if (event.namespace === 'entityChange') return 'entity.change'
  return event.namespace === 'usage' && event.version === 3 ? 'usage.v3' : event.namespace
}
