/** The subscriptions of all routers, one for each connection. Now and then each is told how far the model has come. */
import { Headers } from '@weft/wire'
import { controlMessages } from '@weft/wire/messages'
import type { Clock } from '../../clock.ts'
import type { Logger } from '../../log/logger.ts'
import type { ControlConnection } from '../control-connection.ts'
import type { RouterDataModel } from './router-data-model.ts'
import { type ModelChannel, ModelSubscription } from './subscription.ts'

/** For the whole state of a large network over a thin line. */
const SEND_MILLISECONDS = 60_000
const BEACON_MILLISECONDS = 30_000

export interface ModelSubscriptionsDeps {
  readonly model: RouterDataModel
  readonly clock: Clock
  readonly log: Logger
}

export class ModelSubscriptions implements Disposable {
  readonly #deps: ModelSubscriptionsDeps
  readonly #subscriptions = new Map<ControlConnection, ModelSubscription>()
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
      subscription = new ModelSubscription({ ...this.#deps, routerId, channel: channelOf(connection) })
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
    sendState: (body, subscriptionId) => send('dataState', body, subscriptionId),
    sendChangeSet: (body, subscriptionId) => send('dataStateChangeSet', body, subscriptionId),
  }
}
