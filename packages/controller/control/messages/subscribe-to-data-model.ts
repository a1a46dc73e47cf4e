/** A router asks for the data model, or for more of it. */
import { Headers } from '@weft/wire'
import { controlMessages } from '@weft/wire/messages'
import type { ControlConnection } from '../control-connection.ts'
import type { ControlContext } from '../control-context.ts'
import { type ModelChannel, ModelSubscription } from '../data-model/subscription.ts'
import { defineHandler } from '../handler.ts'

/** For the whole state of a large network over a thin line. */
const SEND_MILLISECONDS = 60_000

const subscriptions = new WeakMap<ControlConnection, ModelSubscription>()

export const subscribeToDataModel = defineHandler('subscribeToDataModel', ({ message: { body }, from }, context) => {
  subscriptionOf(from, context).subscribe(body)
})

function subscriptionOf(from: ControlConnection, { model, clock, log }: ControlContext): ModelSubscription {
  let subscription = subscriptions.get(from)
  if (subscription === undefined) {
    subscription = new ModelSubscription({ routerId: from.routerId, model, channel: channelOf(from), clock, log })
    subscriptions.set(from, from.parts.use(subscription))
  }
  return subscription
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
