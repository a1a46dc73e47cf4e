/** The subscriptions of all routers, one for each connection. Now and then each is told how far the model has come. */
import { setTimeout as pause } from 'node:timers/promises'
import { Headers } from '@weft/wire'
import { controlMessages } from '@weft/wire/messages'
import type { Clock } from '../../clock.ts'
import type { Logger } from '../../log/logger.ts'
import type { ControlConnection } from '../control-connection.ts'
import type { RouterDataModel } from './router-data-model.ts'
import { StateTurns } from './state-turns.ts'
import { type ModelChannel, ModelSubscription } from './subscription.ts'

/** For the whole state of a large network over a thin line. */
const SEND_MILLISECONDS = 60_000
const BEACON_MILLISECONDS = 30_000
/** How long a router that takes the state slowly keeps others from theirs. */
const TURN_MILLISECONDS = 2_000

export interface ModelSubscriptionsDeps {
  readonly model: RouterDataModel
  readonly clock: Clock
  readonly log: Logger
}

export class ModelSubscriptions implements Disposable {
  readonly #deps: ModelSubscriptionsDeps
  readonly #subscriptions = new Map<ControlConnection, ModelSubscription>()
  readonly #turns = new StateTurns()
  readonly #timer: NodeJS.Timeout
  #told: number

  constructor(deps: ModelSubscriptionsDeps) {
    this.#deps = deps
    this.#told = deps.model.index
    this.#timer = setInterval(() => this.tellIndex(), BEACON_MILLISECONDS).unref()
  }

  of(connection: ControlConnection): ModelSubscription {
    let subscription = this.#subscriptions.get(connection)
    if (subscription === undefined) {
      const { routerId, parts } = connection
      const channel = channelOf(connection)
      subscription = new ModelSubscription({ ...this.#deps, routerId, channel, turns: this.#turns })
      this.#subscriptions.set(connection, parts.use(subscription))
      parts.defer(() => this.#subscriptions.delete(connection))
    }
    return subscription
  }

  /** Tells every subscriber where the model is, if it has moved since they were told. */
  tellIndex(): void {
    const { index } = this.#deps.model
    if (index === this.#told) return
    this.#told = index
    for (const connection of this.#subscriptions.keys()) connection.tell('currentIndex', { dataModelIndex: index })
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

/** The bodies are encoded already, once for all routers. */
function channelOf({ channel }: ControlConnection): ModelChannel {
  const send = async (name: 'dataState' | 'dataStateChangeSet', body: Buffer, subscriptionId: string) => {
    const headers = new Headers().set(controlMessages.messages[name].headers.subscriptionId.key, subscriptionId)
    const options = { timeoutMilliseconds: SEND_MILLISECONDS }
    await channel.send({ contentType: controlMessages.typeOf(name), headers, body }, options)
  }
  return {
    async sendState(body, subscriptionId) {
      await send('dataState', body, subscriptionId)
      const taken = channel.measureQueueTime(channel.plan.defaultQueue)
      await Promise.race([taken, pause(TURN_MILLISECONDS, undefined, { ref: false })])
    },
    sendChangeSet: (body, subscriptionId) => send('dataStateChangeSet', body, subscriptionId),
  }
}
