/**
 * What the router knows of one link that it wants: to whom, how far it got, and when to try again. Told what happens and
 * the time; does nothing by itself.
 */
import type { LinkListener } from '@weft/wire/messages'
import type { LinkDialerConfig } from '../config/link-config.ts'
import type { Link } from './link.ts'
import { nextLinkDelay } from './link-backoff.ts'

/** In the words of the peers' tools. */
export type LinkStatus =
  | 'pending'
  | 'dialing'
  | 'queueFailed'
  | 'dialFailed'
  | 'linkFailed'
  | 'destRemoved'
  | 'established'

/** A link that lived shorter was no success: the next dial waits as after a failure. */
const minStable = 5_000
/** Added where the dial worked and the link was of no use, so that two routers do not go on in step. */
const uselessDelay = { least: 1_000, most: 4_000 }

export class LinkState {
  /** Fixed for as long as the link is wanted; controllers know the link by it. */
  readonly id: string
  readonly key: string
  listener: LinkListener
  dialer: LinkDialerConfig
  status: LinkStatus = 'pending'
  /** The number of the last dial. */
  iteration = 0
  connectedCount = 0
  retryDelay = 0
  /** When the next dial is due, by the monotonic clock. */
  nextDial: number
  link: Link | undefined
  readonly #random: () => number

  constructor(
    facts: { readonly id: string; readonly key: string; readonly listener: LinkListener; dialer: LinkDialerConfig },
    now: number,
    random: () => number,
  ) {
    this.id = facts.id
    this.key = facts.key
    this.listener = facts.listener
    this.dialer = facts.dialer
    this.nextDial = now
    this.#random = random
  }

  get isWanting(): boolean {
    return this.status !== 'established' && this.status !== 'dialing' && this.status !== 'destRemoved'
  }

  isDue(now: number): boolean {
    return this.isWanting && this.nextDial <= now
  }

  dialing(): void {
    this.status = 'dialing'
    this.iteration++
  }

  established(link: Link): void {
    this.status = 'established'
    this.connectedCount++
    this.retryDelay = 0
    this.link = link
  }

  failed(why: 'queueFailed' | 'dialFailed', isHealthy: boolean, now: number): void {
    this.status = why
    this.#wait(isHealthy, now)
  }

  /** The dial worked, and the link ended before it was of any use. */
  useless(isHealthy: boolean, now: number): void {
    this.failed('dialFailed', isHealthy, now)
    const { least, most } = uselessDelay
    this.nextDial += least + this.#random() * (most - least)
  }

  /** A link that has served is dialled again at once. */
  lost(lifetime: number, isHealthy: boolean, now: number): void {
    this.status = 'linkFailed'
    this.link = undefined
    if (lifetime < minStable) this.#wait(isHealthy, now)
    else this.dialNow(now)
  }

  dialNow(now: number): void {
    this.retryDelay = 0
    this.nextDial = now
  }

  removed(): void {
    this.status = 'destRemoved'
    this.link = undefined
  }

  #wait(isHealthy: boolean, now: number): void {
    const { healthyDialBackoff, unhealthyDialBackoff } = this.dialer
    this.retryDelay = nextLinkDelay(
      this.retryDelay,
      isHealthy ? healthyDialBackoff : unhealthyDialBackoff,
      this.#random,
    )
    this.nextDial = now + this.retryDelay
  }
}
