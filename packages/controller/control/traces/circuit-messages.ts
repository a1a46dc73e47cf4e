/** Which circuits a message of a control channel is about. */
import { type Message, messageAt } from '@weft/wire'
import { type ControlMessageName, controlMessages } from '@weft/wire/messages'

export interface CircuitMention {
  readonly circuitId: string
  /** Whose circuit it is, where the message says so. */
  readonly tags?: ReadonlyMap<string, string>
}

const readers: { readonly [K in ControlMessageName]?: (message: Message) => readonly CircuitMention[] } = {
  route: (message) => [controlMessages.decodeAs('route', message).body],
  unroute: (message) => [controlMessages.decodeAs('unroute', message).body],
  routeResult: (message) => [{ circuitId: controlMessages.decodeAs('routeResult', message).body }],
  circuitSuccess: (message) => [{ circuitId: controlMessages.decodeAs('circuitSuccess', message).body }],
  circuitConfirmation: (message) => named(controlMessages.decodeAs('circuitConfirmation', message).body.circuitIds),
  // Of a link the id is the link's, which no circuit has.
  fault: (message) => named(controlMessages.decodeAs('fault', message).body.id.split(' ')),
}

const byType = new Map(
  Object.entries(readers).map(([name, read]) => [controlMessages.typeOf(name as ControlMessageName), read] as const),
)

export function mentionsCircuits(contentType: number): boolean {
  return byType.has(contentType)
}

/** Of a frame whose body may be apart from its head. Throws what the decoder throws. */
export function circuitsIn(head: Buffer, start: number, end: number, body: Buffer | undefined) {
  const frame = head.subarray(start, end)
  const whole = body === undefined ? frame : Buffer.concat([frame, body])
  const message = messageAt(whole, 0, whole.length)
  return byType.get(message.contentType)?.(message) ?? []
}

function named(circuitIds: readonly string[]): readonly CircuitMention[] {
  return circuitIds.map((circuitId) => ({ circuitId }))
}
