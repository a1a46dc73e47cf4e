/**
 * Keeps the router's copy of the data model up to date: chooses the controller that sends it, renews the subscription,
 * and asks anew when something is missing.
 *
 * What comes counts only from the controller that was asked and under the id of the question, so that what is left of an
 * earlier subscription cannot do harm. Synthetic changes, which are outside of the journal, are taken from anyone.
 */
import { randomUUID } from 'node:crypto'
import { DataModel, diffModels, entityCounts } from '@weft/model/data-model'
import type { WireLog } from '@weft/wire'
import type { ChangeSet, DataState } from '@weft/wire/messages'
import type { ControllerConnection } from '../control/controller-connection.ts'
import type { Controllers } from '../control/controllers.ts'

export interface ModelSubscriptionDeps {
  readonly controllers: Pick<Controllers, 'any' | 'forgetIndexes'>
  readonly clock: { monotonic(): number }
  readonly log: WireLog
}

export interface ModelSubscriptionOptions {
  readonly routerId: string
  /** Of the last run, if it was kept. */
  readonly kept?: DataModel | undefined
}

interface Subscription {
  readonly id: string
  readonly connection: ControllerConnection
  expires: number
  /** A new one is always answered; when it is not, something was lost. */
  isAnswered: boolean
}

const durationSeconds = 300
/** Well before the controller would end it. */
const renewAfter = (durationSeconds - 30) * 1_000
const checkInterval = 30_000

export class ModelSubscription implements Disposable {
  readonly #deps: ModelSubscriptionDeps
  readonly #options: ModelSubscriptionOptions
  readonly #followers: ((model: DataModel) => void)[] = []
  #model: DataModel
  #subscription: Subscription | undefined
  #timer: NodeJS.Timeout | undefined
  #controllerIndex = 0
  #revision = 0

  constructor(deps: ModelSubscriptionDeps, options: ModelSubscriptionOptions) {
    this.#deps = deps
    this.#options = options
    this.#model = options.kept ?? new DataModel({ routerId: options.routerId })
  }

  get model(): DataModel {
    return this.#model
  }

  /** Another number for every change. */
  get revision(): number {
    return this.#revision
  }

  /** What the controller said last that its index is. */
  get controllerIndex(): number {
    return this.#controllerIndex
  }

  get subscribedTo(): string | undefined {
    return this.#subscription?.connection.controllerId
  }

  start(): this {
    this.#timer ??= setInterval(() => this.check(), checkInterval).unref()
    return this
  }

  /** Hears of the model after each change. */
  follow(follower: (model: DataModel) => void): void {
    this.#followers.push(follower)
  }

  /** Asked when controllers come and go, and now and then. */
  check(): void {
    const current = this.#subscription
    const best = this.#deps.controllers.any()
    if (best === undefined) return
    const isServed = current?.connection.isConnected === true
    const isSlow = isServed && current.connection.isUnresponsive && !best.isUnresponsive
    if (!isServed || isSlow) this.#subscribe(best)
    else if (current.expires <= this.#deps.clock.monotonic()) {
      if (current.isAnswered) this.#ask(current, 'again')
      else this.#subscribe(current.connection)
    }
  }

  takeState(from: ControllerConnection, subscriptionId: string | undefined, state: DataState): void {
    if (!this.#isExpected(from, subscriptionId)) return
    const former = this.#model
    this.#replace(DataModel.of(state, this.#options))
    this.#controllerIndex = Math.max(this.#controllerIndex, state.endIndex)
    if (this.#model.index < former.index) {
      // The network was set back: what it counted before is in the future now.
      this.#controllerIndex = state.endIndex
      this.#deps.controllers.forgetIndexes()
    }
  }

  takeChangeSet(from: ControllerConnection, subscriptionId: string | undefined, set: ChangeSet): void {
    const { index, previousIndex, isSynthetic } = set
    if (isSynthetic) {
      this.#apply(set)
      return
    }
    if (!this.#isExpected(from, subscriptionId)) return
    const { index: current } = this.#model
    if (current > 0 && index <= current) return
    if (current > 0 && previousIndex > 0 && previousIndex !== current) {
      this.#deps.log.info('a change of the data model is missing', { current, previousIndex, index })
      this.#subscribe(from)
      return
    }
    this.#apply(set)
    this.#controllerIndex = Math.max(this.#controllerIndex, index)
  }

  /** What a controller says that its index is: for diagnostics only. */
  takeIndex(index: number): void {
    this.#controllerIndex = index
  }

  /** Compares with what the model should be, and takes that over where it is asked to. */
  validate(from: ControllerConnection, state: DataState, isFixWanted: boolean) {
    const correct = DataModel.of(state)
    const diffs = diffModels(correct, this.#model)
    const answer = { origEntityCounts: entityCounts(correct), copyEntityCounts: entityCounts(this.#model), diffs }
    if (diffs.length > 0 && isFixWanted) {
      this.#replace(DataModel.of({ ...state, timelineId: state.timelineId || this.#model.timelineId }, this.#options))
      this.#subscribe(from)
    }
    return answer
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #isExpected(from: ControllerConnection, subscriptionId: string | undefined): boolean {
    const current = this.#subscription
    if (current === undefined || current.connection !== from) return false
    if (subscriptionId !== undefined && subscriptionId !== current.id) return false
    if (!current.isAnswered) {
      current.isAnswered = true
      current.expires = this.#deps.clock.monotonic() + renewAfter
    }
    return true
  }

  #apply(set: ChangeSet): void {
    this.#model.take(set)
    this.#tell()
  }

  #replace(model: DataModel): void {
    this.#model = model
    this.#tell()
  }

  #tell(): void {
    this.#revision++
    for (const follower of this.#followers) follower(this.#model)
  }

  #subscribe(connection: ControllerConnection): void {
    // Known before it is sent: the answer may come before this turn ends.
    const subscription = { id: randomUUID(), connection, expires: 0, isAnswered: false }
    this.#subscription = subscription
    this.#ask(subscription, 'new')
  }

  #ask(subscription: Subscription, how: 'new' | 'again'): void {
    const { clock, log } = this.#deps
    subscription.expires = clock.monotonic() + (subscription.isAnswered ? renewAfter : checkInterval)
    const body = {
      currentIndex: this.#model.index,
      subscriptionDurationSeconds: durationSeconds,
      renew: how === 'again',
      timelineId: this.#model.timelineId,
      subscriptionId: subscription.id,
    }
    const { connection } = subscription
    connection.send('subscribeToDataModel', { body }).catch((err: unknown) => {
      if (connection.channel.isClosed) return
      log.warn('data model not asked for', { controller: connection.controllerId, err })
      subscription.expires = 0
    })
  }
}
