/**
 * Traces of channels: one record for each message that goes over a channel whose name matches. Routers trace their own at the
 * controller's wish and send the records here; the controller traces its control channels itself.
 *
 * A traced channel is watched from outside, by its frames; what is in them is not shown, because tokens and keys are.
 */
import type { SearchPattern } from '@weft/model'
import { type Channel, contentTypeAt } from '@weft/wire'
import { type ChannelTrace, controlMessages, type TraceRecorder, traceRecord } from '@weft/wire/messages'
import type { Clock } from '../../clock.ts'
import type { ConnectedRouters } from '../../fabric/connected-routers.ts'
import { Followers } from '../../fabric/followers.ts'
import type { ControlConnection } from '../control-connection.ts'

export interface ChannelTracesDeps {
  readonly routers: ConnectedRouters
  readonly clock: Clock
}

/** Wishes that can be in force at one time; the oldest is forgotten. */
const MOST_WISHES = 100

interface Wish {
  readonly pattern: SearchPattern
  readonly isEnabled: boolean
}

/** Traces of traces would never end. */
const traceEventType = controlMessages.typeOf('traceEvent')

export class ChannelTraces implements Disposable {
  readonly #deps: ChannelTracesDeps
  /** How the controller's own channels are recorded. */
  readonly recorder: TraceRecorder
  readonly #followers = new Followers<ChannelTrace>()
  readonly #traced = new Map<Channel, Disposable>()
  readonly #unfollow: () => void
  /** The last one that matches a name counts. */
  #wishes: readonly Wish[] = []

  constructor(deps: ChannelTracesDeps, { controllerId }: { readonly controllerId: string }) {
    const { clock } = deps
    this.#deps = deps
    this.recorder = {
      ...{ identity: controllerId, protocol: 'ctrl' },
      nameOf: (type) => controlMessages.nameOf(type),
      now: () => clock.now(),
    }
    this.#unfollow = deps.routers.follow(({ type, router }) => {
      const { channel } = router.connection as ControlConnection
      if (type === 'connected') this.#watchIfWanted(channel)
      else if (type === 'disconnected') this.#release(channel)
    })
  }

  /** Who reads the records. */
  follow(follower: (trace: ChannelTrace) => void): () => void {
    return this.#followers.add(follower)
  }

  /** Whether everything that goes over a channel of the controller is told. */
  isTraced(channel: Channel): boolean {
    return this.#traced.has(channel)
  }

  /** A record that is to be told, of whoever's. */
  received(trace: ChannelTrace): void {
    this.#followers.tell(trace)
  }

  /** Traces the controller's own channels whose names match, or no longer; answers which these are at the moment. */
  toggle(pattern: SearchPattern, isEnabled: boolean): readonly { readonly name: string; readonly isMatch: boolean }[] {
    const others = this.#wishes.filter((wish) => wish.pattern.source !== pattern.source)
    this.#wishes = [...others, { pattern, isEnabled }].slice(-MOST_WISHES)
    return [...this.#deps.routers.all()].map(({ connection }) => {
      const { channel } = connection as ControlConnection
      const isMatch = pattern.occursIn(channel.name)
      if (isMatch && isEnabled) this.#watchIfWanted(channel)
      else if (isMatch) this.#release(channel)
      return { name: channel.name, isMatch }
    })
  }

  [Symbol.dispose](): void {
    this.#unfollow()
    for (const watch of this.#traced.values()) watch[Symbol.dispose]()
    this.#traced.clear()
  }

  #watchIfWanted(channel: Channel): void {
    const wish = this.#wishes.findLast(({ pattern }) => pattern.occursIn(channel.name))
    if (this.#traced.has(channel) || wish?.isEnabled !== true) return
    const watch = channel.observe({
      received: (buffer, start) => this.#record(channel, buffer, start, true),
      sent: (head, start) => this.#record(channel, head, start, false),
    })
    this.#traced.set(channel, watch)
  }

  #release(channel: Channel): void {
    this.#traced.get(channel)?.[Symbol.dispose]()
    this.#traced.delete(channel)
  }

  #record(channel: Channel, buffer: Buffer, start: number, isRx: boolean): void {
    if (contentTypeAt(buffer, start) === traceEventType) return
    this.#followers.tell(traceRecord(this.recorder, { channel, buffer, start, isRx }))
  }
}
