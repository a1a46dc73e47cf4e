/**
 * A link: what two routers say to each other goes over it. One channel of one or several connections; with routers before
 * 1.6.6 two channels, one for payloads and one for acknowledgements, which live and end together.
 */
import type { Channel, Underlay } from '@weft/wire'
import type { RouterLink } from '@weft/wire/messages'
import type { LinkMetrics } from '../metrics/link-metrics.ts'

export interface LinkFacts {
  readonly id: string
  readonly key: string
  /** The router at the other end, and its version. */
  readonly routerId: string
  readonly routerVersion: string
  /** Counts the dials of one link. */
  readonly iteration: number
  readonly isDialed: boolean
  readonly protocol: string
  /** Where it was dialled; empty for one that was accepted. */
  readonly dialAddress: string
}

/** What its connections are, and how often that has changed. */
export type LinkConnState = NonNullable<RouterLink['connState']>

/** The channels of a link, by the names that connections without a type have in reports. */
export type LinkChannels =
  | { readonly kind: 'grouped'; readonly channel: Channel }
  | { readonly kind: 'single'; readonly channel: Channel }
  | { readonly kind: 'split'; readonly payload: Channel; readonly ack: Channel }

export class Link {
  readonly facts: LinkFacts
  readonly channels: LinkChannels
  readonly metrics: LinkMetrics
  /** Resolves when it has ended; never rejects. */
  readonly closed: Promise<void>
  /** Links for the same key that had to give way to it. */
  rejections = 0
  /** Milliseconds since an arbitrary start. */
  readonly since: number
  #stateIteration = 1
  readonly #listeners: ((state: LinkConnState) => void)[] = []

  constructor(facts: LinkFacts, channels: LinkChannels, metrics: LinkMetrics, since: number) {
    this.facts = facts
    this.channels = channels
    this.metrics = metrics
    this.since = since
    for (const channel of this.#all()) channel.onUnderlayChange(() => this.#changed())
    this.closed = Promise.race(this.#all().map(({ closed }) => closed)).then(() => this.close())
  }

  get id(): string {
    return this.facts.id
  }

  get key(): string {
    return this.facts.key
  }

  get isClosed(): boolean {
    return this.#all().some(({ isClosed }) => isClosed)
  }

  get isSplit(): boolean {
    return this.channels.kind === 'split'
  }

  /** What carries payloads, and whose heartbeats measure the link. */
  get payloadChannel(): Channel {
    return this.channels.kind === 'split' ? this.channels.payload : this.channels.channel
  }

  get ackChannel(): Channel {
    return this.channels.kind === 'split' ? this.channels.ack : this.channels.channel
  }

  connState(): LinkConnState {
    return { stateIteration: this.#stateIteration, conns: this.#conns() }
  }

  /** Called after each change of its connections. */
  onChange(listener: (state: LinkConnState) => void): void {
    this.#listeners.push(listener)
  }

  close(): void {
    for (const channel of this.#all()) channel.close()
  }

  #all(): readonly Channel[] {
    return this.channels.kind === 'split' ? [this.channels.payload, this.channels.ack] : [this.channels.channel]
  }

  #conns() {
    const conn = (type: string) => (underlay: Underlay) => ({
      type: type || underlay.type,
      localAddr: underlay.connection.localAddress,
      remoteAddr: underlay.connection.remoteAddress,
    })
    const { channels } = this
    if (channels.kind === 'split') {
      return [...channels.payload.underlays.map(conn('payload')), ...channels.ack.underlays.map(conn('ack'))]
    }
    return channels.channel.underlays.map(conn(channels.kind === 'single' ? 'single' : ''))
  }

  #changed(): void {
    if (this.isClosed) return
    this.#stateIteration++
    const state = this.connState()
    // Without connections it is about to end, which is told by itself.
    if (state.conns.length === 0) return
    for (const listener of this.#listeners) listener(state)
  }
}

/** As a controller is told of it. */
export function routerLinkOf(link: Link): RouterLink {
  const { id, routerId, protocol, dialAddress, iteration } = link.facts
  return { id, destRouterId: routerId, linkProtocol: protocol, dialAddress, iteration, connState: link.connState() }
}
