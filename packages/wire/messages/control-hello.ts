/**
 * Hellos on the control channel: what controller and router tell each other at first. What every hello has (ids, the
 * grouping) is the channel's and not repeated here; hence only headers, and no body.
 *
 * Where the controller dials, the parts are swapped: it says what is its answer here, the router what is its hello.
 */
import { defineCatalogue } from '../catalogue/catalogue.ts'
import { optional, required } from '../catalogue/definition.ts'
import { bigEndianMask, bool, text } from '../catalogue/value-kinds.ts'
import { channelHeader, channelMessage } from '../frame/channel-headers.ts'
import { ctrlChanListeners, linkListeners, routerMetadata } from './fabric-bodies.ts'

/** `version|revision|buildDate|os|arch`. */
const version = required(channelHeader.version, text)

export const controlHello = defineCatalogue('control hello', {
  hello: {
    type: channelMessage.hello,
    from: 'router',
    headers: {
      version,
      listeners: optional(1000, linkListeners),
      capabilities: optional(1002, bigEndianMask),
      ctrlChanListeners: optional(1003, ctrlChanListeners),
    },
  },
  answer: {
    type: channelMessage.result,
    from: 'controller',
    headers: {
      version,
      capabilities: optional(1002, bigEndianMask),
      /** For 1.x routers. */
      legacyCapabilities: optional(12, bigEndianMask),
      /** JSON: addresses and versions by API binding. */
      apiAddresses: optional(2002, text),
      legacyApiAddresses: optional(13, text),
      clusterAddress: optional(2000, text),
      clusterId: optional(2004, text),
      legacyClusterId: optional(15, text),
      isPreferredLeader: optional(2005, bool),
    },
  },
})

/** The hello of a 1.x router, which has no capabilities: on later ones these numbers belong to the channel. */
export const legacyControlHello = defineCatalogue('legacy control hello', {
  hello: {
    type: channelMessage.hello,
    from: 'router',
    headers: { version, listeners: optional(10, linkListeners), metadata: optional(11, routerMetadata) },
  },
})
