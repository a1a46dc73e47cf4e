/**
 * What one router is sent of the data model. It asks for a while and says where it stands; from there it gets every change
 * set in order, or the whole state when that cannot be. A router that takes its time costs nothing: what it has not been
 * sent yet waits in the log that all share.
 */
import type { Clock } from '../../clock.ts'
import type { Logger } from '../../log/logger.ts'
import type { RouterDataModel } from './router-data-model.ts'
import type { StateTurns } from './state-turns.ts'

const SHORTEST_SECONDS = 10
const LONGEST_SECONDS = 360
/** After what could not be sent. */
const RETRY_MILLISECONDS = 1_000

export interface SubscribeRequest {
  readonly currentIndex: number
  readonly subscriptionDurationSeconds: number
  readonly renew: boolean
  readonly timelineId: string
  readonly subscriptionId: string
}

/** Where messages go; each answers when it is on its way, a state when it is out of our hands, or after a while. */
export interface ModelChannel {
  sendState(body: Buffer, subscriptionId: string): Promise<void>
  sendChangeSet(body: Buffer, subscriptionId: string): Promise<void>
}

export interface ModelSubscriptionDeps {
  readonly routerId: string
  readonly model: RouterDataModel
  readonly channel: ModelChannel
  readonly turns: StateTurns
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Logger
}

interface Standing {
  subscriptionId: string
  timelineId: string
  /** The index the router has, as far as is known here. Zero: nothing. */
  position: number
  expiresAt: number
}

export class ModelSubscription implements Disposable {
  readonly #deps: ModelSubscriptionDeps
  readonly #unfollow: () => void
  #standing: Standing | undefined
  #isSending = false
  #isEnded = false

  constructor(deps: ModelSubscriptionDeps) {
    this.#deps = deps
    this.#unfollow = deps.model.follow(() => this.#send())
  }

  subscribe(request: SubscribeRequest): void {
    const { subscriptionDurationSeconds, currentIndex, renew, subscriptionId, timelineId } = request
    const seconds = Math.min(LONGEST_SECONDS, Math.max(SHORTEST_SECONDS, subscriptionDurationSeconds))
    const former = this.#standing
    const isRenewal = renew && former?.subscriptionId === subscriptionId && former.timelineId === timelineId
    this.#standing = {
      subscriptionId,
      timelineId,
      position: isRenewal ? former.position : currentIndex,
      expiresAt: this.#deps.clock.monotonic() + seconds * 1_000,
    }
    // The first request of a connection gets an answer even when there is nothing new: the router waits for it.
    if (former === undefined && currentIndex === this.#deps.model.index) this.#standing.position = 0
    this.#send()
  }

  [Symbol.dispose](): void {
    this.#isEnded = true
    this.#unfollow()
  }

  #send(): void {
    if (this.#isSending || this.#isEnded) return
    this.#isSending = true
    this.#sendAll().catch((err) => {
      this.#isSending = false
      // The position is not known any more, so the router gets everything; it might not notice that it has missed something.
      if (this.#standing !== undefined) this.#standing.position = 0
      if (this.#isEnded) return
      this.#deps.log.warn('the data model could not be sent', { router: this.#deps.routerId, err })
      setTimeout(() => this.#send(), RETRY_MILLISECONDS).unref()
    })
  }

  async #sendAll(): Promise<void> {
    const { model, channel, clock, routerId, turns } = this.#deps
    while (!this.#isEnded) {
      const standing = this.#standing
      if (standing === undefined || standing.expiresAt <= clock.monotonic()) break
      const isKnown = standing.position > 0 && standing.timelineId === model.timelineId
      const next = isKnown ? model.after(standing.position) : 'unknown'
      if (next === undefined) break
      if (next === 'unknown') {
        standing.position = await turns.run(async () => {
          if (this.#isEnded) return 0
          const { index, body } = await model.stateFor(routerId)
          await channel.sendState(body, standing.subscriptionId)
          return index
        })
        standing.timelineId = model.timelineId
      } else {
        await channel.sendChangeSet(next.bodyFor(routerId), standing.subscriptionId)
        standing.position = next.index
      }
    }
    // In the same turn in which nothing more was found, so that no change falls between.
    this.#isSending = false
  }
}
