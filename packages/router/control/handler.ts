/**
 * What the router does with one message of controllers. Each has a file of its own in `messages/`: its name, and what to
 * do.
 *
 * What a handler does before its first `await` happens in the order in which the controller spoke. A message that cannot
 * be read is logged and gets no answer; a handler that fails costs its message, not the channel.
 */
import type { Message, WireLog } from '@weft/wire'
import { type ControlMessage, type ControlMessageName, controlMessages, MessageError } from '@weft/wire/messages'
import type { ControlContext } from './control-context.ts'
import type { ControllerConnection } from './controller-connection.ts'

export interface ControlHandler {
  readonly name: ControlMessageName
  register(connection: ControllerConnection, context: ControlContext, log: WireLog): void
}

/** What a handler is given. */
export interface Received<K extends ControlMessageName> {
  readonly message: ControlMessage<K>
  /** The message as it came: what a reply refers to. */
  readonly frame: Message
  readonly from: ControllerConnection
}

export function defineHandler<K extends ControlMessageName>(
  name: K,
  run: (received: Received<K>, context: ControlContext) => void | Promise<void>,
): ControlHandler {
  return {
    name,
    register(from, context, log) {
      from.channel.handle(controlMessages.typeOf(name), async (frame) => {
        try {
          await run({ message: controlMessages.decodeAs(name, frame), frame, from }, context)
        } catch (err) {
          const fields = { message: name, controller: from.controllerId, err }
          if (err instanceof MessageError) from.noteUnreadable(fields)
          else if (!from.channel.isClosed) log.error('message not handled', fields)
        }
      })
    },
  }
}
