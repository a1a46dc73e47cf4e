/** How one message of the management stream is answered. Each has a file of its own in `messages/`. */
import type { Message } from '@weft/wire'
import {
  type ManagementMessage,
  type ManagementMessageName,
  MessageError,
  managementMessages,
} from '@weft/wire/messages'
import type { RouterDialer } from '../../../control/dialing/router-dialer.ts'
import type { Inspector } from '../../../control/inspection/inspector.ts'
import type { ChannelTraces } from '../../../control/traces/channel-traces.ts'
import type { CircuitTraces } from '../../../control/traces/circuit-traces.ts'
import type { CircuitsDeps } from '../../../control/validation/circuits.ts'
import type { DataModelDeps } from '../../../control/validation/data-model.ts'
import type { TerminatorsDeps } from '../../../control/validation/terminators.ts'
import type { RowSelection } from '../../../control/validation/validation.ts'
import type { EventReceiver } from '../../../events/event-handler.ts'
import type { IdentityConnections } from '../../../fabric/identity-connections.ts'
import type { Links } from '../../../fabric/links.ts'
import type { Logger } from '../../../log/logger.ts'
import type { Call } from '../../../operation/operation.ts'
import type { ManagementStream } from './management-stream.ts'

/** What the handlers work with. */
export interface StreamContext extends Omit<CircuitsDeps & DataModelDeps & TerminatorsDeps, 'select'> {
  readonly inspector: Inspector
  readonly traces: ChannelTraces
  readonly circuitTraces: CircuitTraces
  /** Undefined where routers are not dialled. */
  readonly dialer: RouterDialer | undefined
  readonly links: Links
  readonly identities: IdentityConnections
  readonly events: { join(receiver: EventReceiver): AsyncDisposable }
  /** Rows as whoever opened the stream may see them. */
  readonly select: (call: Call) => RowSelection
  readonly log: Logger
}

export interface StreamHandler {
  readonly name: ManagementMessageName
  register(stream: ManagementStream, context: StreamContext): void
}

/** What a handler is given. */
export interface Asked<K extends ManagementMessageName> {
  readonly message: ManagementMessage<K>
  /** The message as it came: what a reply refers to. */
  readonly frame: Message
  readonly stream: ManagementStream
}

export function defineStreamHandler<K extends ManagementMessageName>(
  name: K,
  run: (asked: Asked<K>, context: StreamContext) => Promise<void>,
): StreamHandler {
  return {
    name,
    register(stream, context) {
      stream.channel.handle(managementMessages.typeOf(name), async (frame) => {
        try {
          const message = managementMessages.decodeAs(name, frame)
          await stream.run(() => run({ message, frame, stream }, context))
        } catch (err) {
          if (stream.channel.isClosed) return
          context.log.warn('request on a management stream not answered', { message: name, err })
          if (!(err instanceof MessageError)) stream.channel.close()
        }
      })
    },
  }
}
