/**
 * The dialing side of a grouped channel: keeps as many connections of each type as are desired, one dial at a time.
 *
 * After the loss of all of them the next comes as the first of a new group, under a new id: the listener has forgotten the
 * old one. It brings the old secret, and the listener takes that over.
 */
import type { Channel } from '../channel/channel.ts'
import { type Surroundings, surroundings } from '../channel/surroundings.ts'
import type { Underlay } from '../channel/underlay.ts'
import type { GroupPlace } from '../hello/hello.ts'
import { DialPolicy, type DialPolicyOptions } from './dial-policy.ts'

export interface GroupKeeperOptions {
  /** How many connections of each type there should be. */
  readonly desired: Readonly<Record<string, number>>
  readonly policy: DialPolicyOptions
  /** Before the first look. Milliseconds. */
  readonly startupDelay: number
  /** Makes a connection and its hello; settles soon when the signal fires. */
  dial(type: string, place: GroupPlace, signal: AbortSignal): Promise<Underlay>
}

/** Ends with its channel. */
export class GroupKeeper {
  readonly #channel: Channel
  readonly #options: GroupKeeperOptions
  readonly #surroundings: Surroundings
  readonly #policy: DialPolicy
  readonly #abort = new AbortController()
  #desired: Readonly<Record<string, number>>
  #connectionId: string
  #restarts = 0
  #isRunning = false
  #wakeUp: () => void = () => {}
  #endSleep: () => void = () => {}

  constructor(channel: Channel, options: GroupKeeperOptions, given: Partial<Surroundings> = {}) {
    this.#channel = channel
    this.#options = options
    this.#desired = options.desired
    this.#surroundings = surroundings(given)
    this.#policy = new DialPolicy(options.policy)
    this.#connectionId = channel.id
  }

  /** Does nothing for a channel whose peer did not agree to a group. */
  start(): void {
    if (this.#isRunning || this.#channel.first.secret === undefined) return
    this.#isRunning = true
    const { clock, log } = this.#surroundings
    this.#channel.onUnderlayChange((change) => {
      if (change.kind === 'removed') this.#policy.lost(change.milliseconds, clock.monotonic())
      this.#wakeUp()
    })
    this.#channel.closed.then(() => {
      this.#abort.abort()
      this.#endSleep()
      this.#wakeUp()
    })
    this.#run().catch((err: unknown) =>
      log.error('the keeper of a channel failed', { err, channel: this.#channel.name }),
    )
  }

  /** Other numbers from now on, such as when the peer tells what it is capable of. Never closes what there is. */
  setDesired(desired: Readonly<Record<string, number>>): void {
    this.#desired = desired
    this.#wakeUp()
  }

  async #run(): Promise<void> {
    await this.#sleep(this.#options.startupDelay)
    while (!this.#channel.isClosed) {
      const type = this.#missingType()
      if (type === undefined) await this.#change()
      else await this.#dial(type)
    }
  }

  async #dial(type: string): Promise<void> {
    const { clock, log } = this.#surroundings
    await this.#sleep(this.#policy.delay(clock.monotonic()))
    if (this.#channel.isClosed) return
    const place = this.#place()
    this.#policy.dialing(clock.monotonic())
    try {
      const underlay = await this.#options.dial(type, place, this.#abort.signal)
      this.#policy.succeeded(clock.monotonic())
      if (place.isFirst) this.#connectionId = underlay.connectionId
      this.#channel.add(underlay)
    } catch (err) {
      this.#policy.failed(clock.monotonic())
      if (!this.#channel.isClosed) log.debug('dial failed', { channel: this.#channel.name, type, err })
    }
  }

  #place(): GroupPlace {
    const secret = this.#channel.first.secret!
    if (this.#channel.underlays.length > 0) return { connectionId: this.#connectionId, secret, isFirst: false }
    this.#restarts++
    return { connectionId: `${this.#channel.id}-${this.#restarts}`, secret, isFirst: true }
  }

  #missingType(): string | undefined {
    return Object.keys(this.#desired).find((type) => this.#channel.countOf(type) < this.#desired[type]!)
  }

  /** Until a connection comes or goes, or other numbers are desired. */
  #change(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#wakeUp = resolve
    return promise
  }

  /** Ends early when the channel closes. */
  #sleep(milliseconds: number): Promise<void> {
    if (milliseconds <= 0 || this.#channel.isClosed) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, milliseconds)
    this.#endSleep = resolve
    return promise.finally(() => clearTimeout(timer))
  }
}
