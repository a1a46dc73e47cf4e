/**
 * How the controller answers one message of routers. Each has a file of its own in `messages/`: its name, and what to do.
 *
 * What a handler does before its first `await` happens in the order in which the router spoke. A message that cannot be
 * read is logged and gets no answer, as with the Go peer; a handler that fails costs its message, not the channel.
 */
import type { Message } from '@weft/wire'
import {
  type ControlMessage,
  type ControlMessageName,
  controlMessages,
  MessageError,
  ProtobufError,
} from '@weft/wire/messages'
import type { ControlConnection } from './control-connection.ts'
import type { ControlContext } from './control-context.ts'

export interface ControlHandler {
  readonly name: ControlMessageName
  register(connection: ControlConnection, context: ControlContext): void
}

/** What a handler is given. */
export interface Received<K extends ControlMessageName> {
  readonly message: ControlMessage<K>
  /** The message as it came: what a reply refers to. */
  readonly frame: Message
  readonly from: ControlConnection
}

export function defineHandler<K extends ControlMessageName>(
  name: K,
  run: (received: Received<K>, context: ControlContext) => void | Promise<void>,
): ControlHandler {
  return defineFrameHandler(name, ({ frame, from }, context) =>
    run({ message: controlMessages.decodeAs(name, frame), frame, from }, context),
  )
}

/** For a message that is read by parts. */
export function defineFrameHandler(
  name: ControlMessageName,
  run: (received: Pick<Received<never>, 'frame' | 'from'>, context: ControlContext) => void | Promise<void>,
): ControlHandler {
  return {
    name,
    register(from, context) {
      from.channel.handle(controlMessages.typeOf(name), async (frame) => {
        try {
          await run({ frame, from }, context)
        } catch (err) {
          const fields = { message: name, router: from.routerId, err }
          if (err instanceof MessageError || err instanceof ProtobufError) from.noteUnreadable(fields)
          else if (!from.channel.isClosed) context.log.error('message not handled', fields)
        }
        // A message is worked on until its answer is taken: who takes none is not read any further.
        await from.answered(frame)
      })
    },
  }
}
