/**
 * Traces of single circuits, chosen by service and client: what this controller and routers say to each other about them,
 * and what routers report of the links that carry them.
 *
 * Routers trace channels, not circuits. So a router on the way of a traced circuit is asked for the circuit's links, and of
 * its records only those that name the circuit are passed on, unless somebody has asked for the channel as well.
 */
import type { SearchPattern } from '@weft/model'
import { type Channel, contentTypeAt } from '@weft/wire'
import { type ChannelTrace, MessageError, traceRecord } from '@weft/wire/messages'
import type { Circuit, CircuitEvent } from '../../fabric/circuit.ts'
import type { ConnectedRouters } from '../../fabric/connected-routers.ts'
import type { Logger } from '../../log/logger.ts'
import type { View } from '../../state/view.ts'
import type { ControlConnection } from '../control-connection.ts'
import type { ChannelTraces } from './channel-traces.ts'
import { type CircuitMention, circuitsIn, mentionsCircuits } from './circuit-messages.ts'
import { LinkWatches } from './link-watches.ts'

export interface CircuitTracesDeps {
  readonly circuits: {
    all(): Iterable<Circuit>
    follow(follower: (event: CircuitEvent) => void): () => void
  }
  readonly routers: ConnectedRouters
  readonly traces: ChannelTraces
  readonly view: View
  readonly log: Logger
}

/** Wishes that can be in force at one time; the oldest is forgotten. */
const MOST_WISHES = 100
/** Circuits that are traced at one time, with those that have just ended; the oldest is left. */
const MOST_CIRCUITS = 1_000

interface Wish {
  readonly service: SearchPattern
  readonly client: SearchPattern
  readonly isEnabled: boolean
}

interface PipeWish {
  readonly app: SearchPattern
  readonly pipe: SearchPattern
  readonly isEnabled: boolean
}

/** Whose circuit it is. */
type Owner = Pick<Circuit, 'serviceId' | 'clientId' | 'identityId'>

export class CircuitTraces implements Disposable {
  readonly #deps: CircuitTracesDeps
  readonly #links: LinkWatches
  readonly #parts = new DisposableStack()
  readonly #watched = new Map<Channel, Disposable>()
  /** Those that are gone stay for what is still said of them. */
  readonly #traced = new Set<string>()
  /** The last one that matches counts; so with the pipes. */
  #wishes: readonly Wish[] = []
  #pipes: readonly PipeWish[] = []

  constructor(deps: CircuitTracesDeps) {
    this.#deps = deps
    this.#links = new LinkWatches(deps)
    this.#parts.defer(deps.circuits.follow((event) => this.#changed(event)))
    this.#parts.defer(
      deps.routers.follow(({ type, routerId, router }) => {
        const { channel } = router.connection as ControlConnection
        if (type === 'disconnected') this.#release(channel)
        if (type !== 'connected') return
        if (this.#isOn) this.#watch(channel)
        this.#links.renew((id) => id === routerId)
      }),
    )
  }

  /** Traces circuits whose service and client match, by id or name, or no longer; answers which these are at the moment. */
  toggle(service: SearchPattern, client: SearchPattern, isEnabled: boolean): readonly string[] {
    const others = this.#wishes.filter(
      (wish) => wish.service.source !== service.source || wish.client.source !== client.source,
    )
    this.#wishes = [...others, { service, client, isEnabled }].slice(-MOST_WISHES)
    this.#watchOrRelease()
    const changed: string[] = []
    for (const circuit of this.#deps.circuits.all()) {
      const isWanted = this.#isWanted(circuit)
      if (isWanted !== this.#traced.has(circuit.id)) changed.push(circuit.id)
      if (isWanted) this.#trace(circuit)
      else this.#leave(circuit.id)
    }
    if (!this.#isOn) this.#traced.clear()
    return changed
  }

  /** Somebody has asked for channels of routers, or no longer. */
  pipesToggled(app: SearchPattern, pipe: SearchPattern, isEnabled: boolean): void {
    const others = this.#pipes.filter((wish) => wish.app.source !== app.source || wish.pipe.source !== pipe.source)
    this.#pipes = [...others, { app, pipe, isEnabled }].slice(-MOST_WISHES)
    if (!isEnabled) this.#links.renew((routerId) => app.occursIn(routerId))
  }

  /** A record that a router has sent, in its own name. */
  received(trace: ChannelTrace): void {
    const { identity, channel } = trace
    if (!this.#links.has(identity, channel) || this.#isPipeWanted(identity, channel) || this.#isOfTraced(trace)) {
      this.#deps.traces.received(trace)
    }
  }

  [Symbol.dispose](): void {
    this.#parts.dispose()
    for (const watch of this.#watched.values()) watch[Symbol.dispose]()
    this.#watched.clear()
  }

  get #isOn(): boolean {
    return this.#wishes.some(({ isEnabled }) => isEnabled)
  }

  #isWanted({ serviceId, clientId, identityId }: Owner): boolean {
    const { view } = this.#deps
    const services = [serviceId, view.get('services', serviceId)?.name ?? '']
    const identity = identityId === undefined ? [] : [identityId, view.get('identities', identityId)?.name ?? '']
    const occurs = (pattern: SearchPattern, names: readonly string[]) => names.some((name) => pattern.occursIn(name))
    const wish = this.#wishes.findLast(
      ({ service, client }) => occurs(service, services) && occurs(client, [clientId, ...identity]),
    )
    return wish?.isEnabled ?? false
  }

  #changed(event: CircuitEvent): void {
    if (event.type === 'failed' || !this.#isOn) return
    const { circuit } = event
    if (event.type === 'deleted') this.#links.set(circuit.id, undefined)
    else if (this.#traced.has(circuit.id) || this.#isWanted(circuit)) this.#trace(circuit)
  }

  #trace({ id, path }: Circuit): void {
    this.#remember(id)
    this.#links.set(id, path)
  }

  #remember(circuitId: string): void {
    this.#traced.add(circuitId)
    if (this.#traced.size <= MOST_CIRCUITS) return
    const [oldest] = this.#traced
    this.#leave(oldest!)
  }

  #leave(circuitId: string): void {
    if (this.#traced.delete(circuitId)) this.#links.set(circuitId, undefined)
  }

  #watchOrRelease(): void {
    if (!this.#isOn) for (const channel of [...this.#watched.keys()]) this.#release(channel)
    else for (const { connection } of this.#deps.routers.all()) this.#watch((connection as ControlConnection).channel)
  }

  #watch(channel: Channel): void {
    if (this.#watched.has(channel)) return
    const watch = channel.observe({
      received: (buffer, start, end) => this.#passed(channel, true, buffer, start, end, undefined),
      sent: (head, start, end, body) => this.#passed(channel, false, head, start, end, body),
    })
    this.#watched.set(channel, watch)
  }

  #release(channel: Channel): void {
    this.#watched.get(channel)?.[Symbol.dispose]()
    this.#watched.delete(channel)
  }

  #passed(channel: Channel, isRx: boolean, buffer: Buffer, start: number, end: number, body: Buffer | undefined): void {
    const { traces } = this.#deps
    if (!mentionsCircuits(contentTypeAt(buffer, start)) || traces.isTraced(channel)) return
    const ids = this.#mentioned(buffer, start, end, body)
    if (ids.length === 0) return
    const shown = { circuitId: ids.join(' ') }
    traces.received(traceRecord(traces.recorder, { channel, buffer, start, isRx }, shown))
  }

  /** The circuits in a frame that are traced. Of one that is being made, the routes that go out say whose it is. */
  #mentioned(head: Buffer, start: number, end: number, body: Buffer | undefined): readonly string[] {
    let mentions: readonly CircuitMention[]
    try {
      mentions = circuitsIn(head, start, end, body)
    } catch (error) {
      // Whoever handles the message says what is wrong with it.
      if (error instanceof MessageError) return []
      throw error
    }
    for (const { circuitId, tags } of mentions) {
      if (tags === undefined || this.#traced.has(circuitId)) continue
      const owner = { serviceId: tags.get('serviceId') ?? '', clientId: '', identityId: tags.get('clientId') }
      if (this.#isWanted(owner)) this.#remember(circuitId)
    }
    return mentions.map(({ circuitId }) => circuitId).filter((id) => this.#traced.has(id))
  }

  #isPipeWanted(routerId: string, channel: string): boolean {
    const wish = this.#pipes.findLast(({ app, pipe }) => app.occursIn(routerId) && pipe.occursIn(channel))
    return wish?.isEnabled ?? false
  }

  #isOfTraced({ decode }: ChannelTrace): boolean {
    try {
      const { circuitId } = JSON.parse(decode.toString()) as { readonly circuitId?: unknown }
      return typeof circuitId === 'string' && this.#traced.has(circuitId)
    } catch {
      // A router that cannot say what a message is does not say whose it is either.
      return false
    }
  }
}
