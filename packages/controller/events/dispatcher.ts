/**
 * From whoever has something to tell to whoever subscribed.
 *
 * `emit` is called on the way of every request and by the writer's followers, so it only looks up who wants the
 * namespace, formats and queues; with no subscriber it costs a map look-up. What a slow or failing sink cannot take is
 * dropped at its own queue and counted there.
 */
import { type Clock, timestamp } from '../clock.ts'
import type { Logger } from '../log/logger.ts'
import { EventHandler, type EventHandlerSpec, type EventHandlerStats, type EventReceiver } from './event-handler.ts'
import type { ControllerEvent, EventNamespace, StampedEvent } from './event-types.ts'
import type { Subscription } from './subscription.ts'

export interface EventDispatcherDeps {
  readonly clock: Clock
  readonly log: Logger
}

export interface EventDispatcherOptions {
  /** The controller that says it: `event_src_id`. */
  readonly controllerId: string
  /** How long the end may take when sinks are slow. */
  readonly flushMilliseconds?: number
}

/** Who wants a namespace, and under which conditions. */
export interface Route {
  readonly handler: EventReceiver
  readonly subscription: Subscription
}

const FLUSH_MILLISECONDS = 1_000

export class EventDispatcher implements AsyncDisposable {
  readonly #deps: EventDispatcherDeps
  readonly #options: EventDispatcherOptions
  readonly #handlers = new Set<EventReceiver>()
  #routes = new Map<EventNamespace, readonly Route[]>()
  #isClosed = false

  constructor(deps: EventDispatcherDeps, options: EventDispatcherOptions) {
    this.#deps = deps
    this.#options = options
  }

  get stats(): readonly EventHandlerStats[] {
    return [...this.#handlers].map((handler) => handler.stats)
  }

  /** Whether anybody listens: asked before an event is costly to make. */
  isWanted(namespace: EventNamespace): boolean {
    return this.#routes.has(namespace)
  }

  /** Tells everybody who subscribed. Never waits, never throws. */
  emit(event: ControllerEvent): void {
    const routes = this.#routes.get(event.namespace)
    if (routes === undefined) return
    const stamped = this.#stamp(event)
    for (const { handler, subscription } of routes) handler.offer(stamped, subscription)
  }

  /** Tells one subscriber: for events that each subscription gets at its own pace. */
  emitTo(route: Route, event: ControllerEvent): void {
    route.handler.offer(this.#stamp(event), route.subscription)
  }

  /** Who wants a namespace at this moment. */
  routes(namespace: EventNamespace): readonly Route[] {
    return this.#routes.get(namespace) ?? []
  }

  /** Adds a handler; ending what it answers removes it again, after its queue is written or the deadline has passed. */
  attach(spec: EventHandlerSpec): AsyncDisposable {
    return this.join(new EventHandler({ log: this.#deps.log }, spec))
  }

  /** Adds a receiver of another kind. */
  join(receiver: EventReceiver): AsyncDisposable {
    if (this.#isClosed) throw new Error('the event dispatcher is closed')
    this.#handlers.add(receiver)
    this.#rebuildRoutes()
    return { [Symbol.asyncDispose]: () => this.#detach(receiver) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#handlers].map((handler) => handler.close(this.#flushMilliseconds)))
  }

  get #flushMilliseconds(): number {
    return this.#options.flushMilliseconds ?? FLUSH_MILLISECONDS
  }

  async #detach(handler: EventReceiver): Promise<void> {
    if (!this.#handlers.delete(handler)) return
    this.#rebuildRoutes()
    await handler.close(this.#flushMilliseconds)
  }

  #stamp(event: ControllerEvent): StampedEvent {
    const now = timestamp(this.#deps.clock.now())
    return { timestamp: now, ...event, event_src_id: this.#options.controllerId } as StampedEvent
  }

  #rebuildRoutes(): void {
    const routes = new Map<EventNamespace, Route[]>()
    for (const handler of this.#handlers) {
      for (const subscription of handler.subscriptions) {
        const route = { handler, subscription }
        const list = routes.get(subscription.namespace)
        if (list === undefined) routes.set(subscription.namespace, [route])
        else list.push(route)
      }
    }
    this.#routes = routes
  }
}
