/** From the live facts to events. Nothing is made unless somebody wants it. */
import type { Clock } from '../../clock.ts'
import type { EventDispatcher } from '../../events/dispatcher.ts'
import type { TableRows } from '../../state/row.ts'
import type { RowChange, View } from '../../state/view.ts'
import type { Writer } from '../../state/writer.ts'
import type { CircuitEvent } from '../circuit.ts'
import type { PresenceEvent } from '../connected-routers.ts'
import type { FabricState } from '../fabric-state.ts'
import type { StatusEvent } from '../identity-connections.ts'
import { circuitEvent } from './circuit-events.ts'
import { linkEvent } from './link-events.ts'
import { ServiceCounters } from './service-counters.ts'
import { type TerminatorChange, terminatorEvents } from './terminator-events.ts'

export interface FabricEventFeedDeps {
  readonly dispatcher: EventDispatcher
  readonly state: FabricState
  readonly view: View
  readonly writer: Pick<Writer, 'follow'>
  readonly clock: Clock
}

const COUNTERS_MILLISECONDS = 1_000

const sdkEventTypes = { online: 'sdk-online', offline: 'sdk-offline', unknown: 'sdk-status-unknown' } as const

export class FabricEventFeed implements Disposable {
  readonly #deps: FabricEventFeedDeps
  readonly #counters: ServiceCounters
  readonly #unfollow: readonly (() => void)[]
  readonly #timer: NodeJS.Timeout

  constructor(deps: FabricEventFeedDeps) {
    this.#deps = deps
    this.#counters = new ServiceCounters(deps)
    const { state, writer, dispatcher } = deps
    this.#unfollow = [
      state.circuits.follow((event) => this.#circuit(event)),
      state.routers.follow((event) => this.#presence(event)),
      state.identities.follow((event) => this.#identity(event)),
      state.links.follow((live) => {
        const event = dispatcher.isWanted('link') ? linkEvent(live) : undefined
        if (event !== undefined) dispatcher.emit(event)
      }),
      writer.follow((commits) => {
        if (!dispatcher.isWanted('terminator')) return
        this.#tellTerminators(commits.flatMap(({ changes }) => changes.flatMap(terminatorChange)))
      }),
    ]
    this.#timer = setInterval(() => this.#tellCounters(), COUNTERS_MILLISECONDS)
    this.#timer.unref()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    for (const unfollow of this.#unfollow) unfollow()
  }

  #circuit(event: CircuitEvent): void {
    const { dispatcher, clock } = this.#deps
    if (dispatcher.isWanted('circuit')) dispatcher.emit(circuitEvent(event, clock.now()))
    if (!dispatcher.isWanted('service')) return
    this.#tellCounters()
    this.#counters.count(event)
  }

  #presence({ type, routerId }: PresenceEvent): void {
    if (type === 'changed') return
    const { dispatcher, view } = this.#deps
    const isOnline = type === 'connected'
    const event_type = isOnline ? 'router-online' : 'router-offline'
    if (dispatcher.isWanted('router')) {
      dispatcher.emit({ namespace: 'router', event_type, router_id: routerId, router_online: isOnline })
    }
    if (!dispatcher.isWanted('terminator')) return
    const hosted = [...view.find('terminators', 'routerId', routerId)]
    this.#tellTerminators(hosted.map((terminator) => ({ type: event_type, terminator })))
  }

  #identity({ identityId, status }: StatusEvent): void {
    const { dispatcher } = this.#deps
    if (!dispatcher.isWanted('sdk')) return
    dispatcher.emit({ namespace: 'sdk', event_type: sdkEventTypes[status], identity_id: identityId })
  }

  #tellTerminators(changes: readonly TerminatorChange[]): void {
    for (const event of terminatorEvents(this.#deps, changes)) this.#deps.dispatcher.emit(event)
  }

  #tellCounters(): void {
    for (const event of this.#counters.takeEnded()) this.#deps.dispatcher.emit(event)
  }
}

function terminatorChange({ table, before, after }: RowChange): readonly TerminatorChange[] {
  if (table !== 'terminators') return []
  const type = before === undefined ? 'created' : after === undefined ? 'deleted' : 'updated'
  return [{ type, terminator: (after ?? before) as TableRows['terminators'] }]
}
