/**
 * One handler: subscriptions, a format, a bounded queue and the sink it drains into.
 *
 * Offering an event never waits and never throws: it is formatted and queued, or dropped and counted. The drain runs by
 * itself; when the sink fails, what it did not take stays queued and is tried again, slower each time.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../log/logger.ts'
import type { EventNamespace, StampedEvent } from './event-types.ts'
import { LineQueue, type QueueLimits } from './line-queue.ts'
import type { EventSink } from './sink.ts'
import type { Subscription } from './subscription.ts'

/** Whoever subscribes. */
export interface EventReceiver {
  readonly subscriptions: readonly Subscription[]
  readonly stats: EventHandlerStats
  /** Takes an event if the subscription wants it; never waits, never throws. */
  offer(event: StampedEvent, subscription: Subscription): void
  /** Takes no further events; gives up at the deadline. */
  close(deadlineMilliseconds: number): Promise<void>
}

/** Turns an event into one line without its end, under the namespace the subscription uses. */
export type EventFormat = (event: StampedEvent, namespace: string) => string

export interface EventHandlerSpec {
  readonly name: string
  readonly subscriptions: readonly Subscription[]
  readonly format: EventFormat
  readonly sink: EventSink
  readonly limits?: Partial<QueueLimits>
}

/** What a handler has done so far. */
export interface EventHandlerStats {
  readonly name: string
  readonly queuedLines: number
  readonly queuedBytes: number
  readonly written: number
  readonly writeErrors: number
  /** Events that were not written, by namespace. */
  readonly dropped: ReadonlyMap<EventNamespace, number>
}

/** Room for the events of several full batches of the writer, which come all at once. */
export const defaultQueueLimits: QueueLimits = { maxLines: 20_000, maxBytes: 16 * 1_048_576 }

/** Large enough for few system calls, small enough for an even flow. */
const BATCH_BYTES = 256 * 1024
const RETRY_MILLISECONDS = { first: 250, longest: 10_000 }
/** What a sink may take to give up and let go once it is told to. */
const RELEASE_MILLISECONDS = 200

export class EventHandler implements EventReceiver {
  readonly name: string
  readonly subscriptions: readonly Subscription[]
  readonly #spec: EventHandlerSpec
  readonly #log: Logger
  readonly #queue: LineQueue
  readonly #dropped = new Map<EventNamespace, number>()
  readonly #stop = new AbortController()
  #draining: Promise<void> | undefined
  #written = 0
  #writeErrors = 0
  #isClosed = false
  /** Losses and failures are logged when they begin and when they end, not once per event. */
  #isDropping = false
  #isFailing = false

  constructor(deps: { readonly log: Logger }, spec: EventHandlerSpec) {
    this.name = spec.name
    this.subscriptions = spec.subscriptions
    this.#spec = spec
    this.#log = deps.log.child({ component: 'events', handler: spec.name })
    this.#queue = new LineQueue({ ...defaultQueueLimits, ...spec.limits })
  }

  get stats(): EventHandlerStats {
    return {
      name: this.name,
      queuedLines: this.#queue.length,
      queuedBytes: this.#queue.bytes,
      written: this.#written,
      writeErrors: this.#writeErrors,
      dropped: new Map(this.#dropped),
    }
  }

  offer(event: StampedEvent, subscription: Subscription): void {
    try {
      if (!subscription.accepts(event)) return
      if (this.#isClosed || this.#queue.isFull) {
        this.#drop(event.namespace)
        return
      }
      const part = subscription.partOf?.(event) ?? event
      const text = `${this.#spec.format(part, subscription.shownAs)}\n`
      const isQueued = this.#queue.push({ namespace: event.namespace, text, bytes: Buffer.byteLength(text) })
      if (isQueued) this.#draining ??= this.#drain()
      else this.#drop(event.namespace)
    } catch (error) {
      this.#drop(event.namespace)
      this.#log.error('event could not be formatted', { namespace: event.namespace, err: error })
    }
  }

  /** Refuses further events, writes what waits, and lets go of the sink; gives up at the deadline. */
  async close(deadlineMilliseconds: number): Promise<void> {
    this.#isClosed = true
    const isDrained = await within(deadlineMilliseconds, this.#draining)
    this.#stop.abort()
    const isReleased = await within(RELEASE_MILLISECONDS, this.#release())
    for (const { namespace } of this.#queue.peek(Number.POSITIVE_INFINITY)) this.#drop(namespace)
    this.#queue.drop(this.#queue.length)
    if (!isDrained || !isReleased) this.#log.warn('event sink did not finish in time', { isDrained, isReleased })
  }

  async #release(): Promise<void> {
    try {
      await this.#draining
      await this.#spec.sink[Symbol.asyncDispose]()
    } catch (error) {
      this.#log.warn('event sink did not close cleanly', { err: error })
    }
  }

  async #drain(): Promise<void> {
    // Whatever is emitted in this turn shares the first write.
    await nextTurn()
    let pause = RETRY_MILLISECONDS.first
    while (this.#queue.length > 0 && !this.#stop.signal.aborted) {
      const batch = this.#queue.peek(BATCH_BYTES)
      const { written, error } = await this.#spec.sink.write(
        batch.map((line) => line.text),
        this.#stop.signal,
      )
      this.#queue.drop(written)
      this.#written += written
      if (error === undefined) {
        this.#recovered()
        pause = RETRY_MILLISECONDS.first
      } else {
        this.#failed(error)
        await this.#rest(pause)
        pause = Math.min(pause * 2, RETRY_MILLISECONDS.longest)
      }
    }
    this.#draining = undefined
  }

  async #rest(milliseconds: number): Promise<void> {
    if (this.#stop.signal.aborted) return
    try {
      await sleep(milliseconds, undefined, { signal: this.#stop.signal, ref: false })
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error
    }
  }

  #drop(namespace: EventNamespace): void {
    this.#dropped.set(namespace, (this.#dropped.get(namespace) ?? 0) + 1)
    if (this.#isDropping) return
    this.#isDropping = true
    this.#log.warn('events are dropped', { namespace, waiting: this.#queue.length, waitingBytes: this.#queue.bytes })
  }

  #failed(error: Error): void {
    this.#writeErrors += 1
    if (this.#isFailing || this.#stop.signal.aborted) return
    this.#isFailing = true
    this.#log.error('events cannot be written', { err: error })
  }

  #recovered(): void {
    if (!this.#isFailing && !this.#isDropping) return
    this.#isFailing = false
    this.#isDropping = false
    const dropped = this.#dropped.values().reduce((sum, count) => sum + count, 0)
    this.#log.info('events are written again', { droppedSoFar: dropped, writeErrors: this.#writeErrors })
  }
}

/** Waits for a promise, but not longer than a time; answers whether it was done by then. */
async function within(milliseconds: number, promise: Promise<void> | undefined): Promise<boolean> {
  const late = new AbortController()
  const timeout = sleep(milliseconds, false, { signal: late.signal }).catch(() => false)
  const isDone = await Promise.race([Promise.resolve(promise).then(() => true), timeout])
  late.abort()
  return isDone
}
