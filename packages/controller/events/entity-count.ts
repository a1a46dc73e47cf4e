/** The timers behind entityCount events: each subscription at its own interval, the first count soon after the start. */
import type { EventDispatcher, Route } from './dispatcher.ts'
import type { EventReceiver } from './event-handler.ts'
import type { EntityCountEvent } from './event-types.ts'

export interface EntityCountDeps {
  readonly dispatcher: EventDispatcher
  /** How many entities of each type there are, by the peers' names. */
  readonly counts: () => Readonly<Record<string, number>>
}

const FIRST_MILLISECONDS = 1_000

export class EntityCountTimers implements Disposable {
  readonly #timers = new Set<NodeJS.Timeout>()

  /** Starts a timer for every subscription there is at this moment, or for those of one receiver. */
  static start(deps: EntityCountDeps, receiver?: EventReceiver): EntityCountTimers {
    const running = new EntityCountTimers()
    for (const route of deps.dispatcher.routes('entityCount')) {
      if (receiver === undefined || route.handler === receiver) running.#run(deps, route)
    }
    return running
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }

  #run(deps: EntityCountDeps, route: Route): void {
    const tell = () => deps.dispatcher.emitTo(route, countEvent(deps.counts))
    const first = setTimeout(() => {
      this.#timers.delete(first)
      this.#timers.add(setInterval(tell, route.subscription.interval).unref())
      tell()
    }, FIRST_MILLISECONDS).unref()
    this.#timers.add(first)
  }
}

function countEvent(counts: EntityCountDeps['counts']): EntityCountEvent {
  try {
    const sorted = Object.entries(counts()).sort(([a], [b]) => (a < b ? -1 : 1))
    return { namespace: 'entityCount', counts: Object.fromEntries(sorted) }
  } catch (error) {
    return { namespace: 'entityCount', counts: null, error: String(error) }
  }
}
