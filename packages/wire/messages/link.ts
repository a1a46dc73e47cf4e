/** What two routers say over a link, and the hello that makes it. */
import { defineCatalogue } from '../catalogue/catalogue.ts'
import { type Decoded, type Encodable, optional, required } from '../catalogue/definition.ts'
import { text, u8, u32 } from '../catalogue/value-kinds.ts'
import { channelMessage } from '../frame/channel-headers.ts'
import { heartbeatMessages, latencyMessages, resultMessages } from './channel-messages.ts'
import { xgressMessages } from './xgress.ts'

export const linkMessages = defineCatalogue('link', {
  ...resultMessages,
  ...latencyMessages,
  ...heartbeatMessages,
  ...xgressMessages,
})

/** Which half of a split link a connection is. */
export const splitHalf = { payload: 1, ack: 2 } as const

/** Numbers 1 to 6 have other meanings here than on any other message. What every hello has is the channel's. */
export const linkHello = defineCatalogue('link hello', {
  hello: {
    type: channelMessage.hello,
    from: 'router',
    headers: {
      /** Only on legacy split links: see `splitHalf`. */
      half: optional(1, u8),
      /** The router that dials. */
      routerId: required(2, text),
      /** Go routers say the version of the router they dial. */
      routerVersion: optional(3, text),
      dialerBinding: optional(4, text),
      /** Counts the dials of one link. */
      iteration: optional(5, u32),
      /** The router that is meant. */
      dialedRouterId: optional(6, text),
      /** Preferred to the id that the hello has as its body; absent before 2.1. */
      linkId: optional(100, text),
    },
  },
})

type Table = typeof linkMessages.messages

export type Payload = Decoded<Table, 'payload'>
export type PayloadInit = Encodable<Table, 'payload'>
export type Acknowledgement = Decoded<Table, 'acknowledgement'>
export type AcknowledgementInit = Encodable<Table, 'acknowledgement'>
export type Control = Decoded<Table, 'control'>
export type ControlInit = Encodable<Table, 'control'>
