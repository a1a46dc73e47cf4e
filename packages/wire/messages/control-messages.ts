/** Everything that controller and router say to each other after the hello. */
import { defineCatalogue } from '../catalogue/catalogue.ts'
import type { Decoded, Encodable } from '../catalogue/definition.ts'
import { heartbeatMessages, resultMessages } from './channel-messages.ts'
import { edgeControlMessages } from './control-edge.ts'
import { fabricMessages } from './control-fabric.ts'
import { legacyControlMessages } from './control-legacy.ts'

export const controlMessages = defineCatalogue('control', {
  ...resultMessages,
  ...heartbeatMessages,
  ...fabricMessages,
  ...edgeControlMessages,
  ...legacyControlMessages,
})

type Table = typeof controlMessages.messages

export type ControlMessageName = keyof Table

/** What is read from a control message. */
export type ControlMessage<K extends ControlMessageName> = Decoded<Table, K>

/** What a control message is written from. */
export type ControlMessageInit<K extends ControlMessageName> = Encodable<Table, K>
