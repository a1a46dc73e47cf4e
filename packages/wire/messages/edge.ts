/**
 * Messages between an SDK and an edge router, and their hello.
 *
 * A number alone means nothing on this channel: 1012 is a flag on a Bind and a connection id on a Dial.
 */
import { defineCatalogue } from '../catalogue/catalogue.ts'
import {
  type Decoded,
  type Encodable,
  headersBetween,
  type MessageTable,
  optional,
  required,
} from '../catalogue/definition.ts'
import {
  bigEndianMask,
  bool,
  bytes,
  namedByte,
  prose,
  stringList,
  text,
  u16,
  u32,
  u64,
} from '../catalogue/value-kinds.ts'
import { channelHeader, channelMessage } from '../frame/channel-headers.ts'
import { latencyMessages, resultMessages } from './channel-messages.ts'
import { postureResponses, postureStateChange, serviceChangeSet, subscribeToServiceUpdates } from './edge-bodies.ts'
import { precedenceByte } from './precedence.ts'
import { xgressMessages } from './xgress.ts'

/** Bits of a data message's flags. */
export const edgeFlag = {
  /** The sender will send no more. */
  fin: 1,
  traceUuid: 2,
  /** The sender can read parts. */
  multipart: 4,
  /** Writes may be merged. */
  stream: 8,
  /** The body is a sequence of parts: two bytes of length each, lowest first. */
  multipartMessage: 16,
} as const

const connId = required(1000, u32) // 0 is a valid id: the C SDK starts counting there
const seq = optional(1001, u32)
const publicKey = optional(1003, bytes)
/** A byte from Go SDKs, a name from C SDKs; routers do not pass it on. */
const cryptoMethod = optional(1009, bytes)
const callerId = optional(1008, text)
const appData = optional(1011, bytes)
const connectionMarker = optional(1025, text)
const circuitId = optional(1026, text)
const terminatorIdentity = optional(1006, text)
const stickinessToken = optional(1027, bytes)
const useXgress = optional(1028, bool)
/** See `edgeErrorCode`. */
const errorCode = optional(1014, u32)
/** JSON: message, code, retryHint, failingPostureCheckIds. */
const structuredError = optional(1033, text)
const cost = optional(1004, u16)
const precedence = optional(1005, precedenceByte)

const xgressPlace = { xgressCtrlId: optional(1029, text), xgressAddress: optional(1030, text) }

const dialing = {
  connId,
  publicKey,
  cryptoMethod,
  terminatorIdentity,
  callerId,
  appData,
  connectionMarker,
  stickinessToken,
  useXgress,
}

const traced = {
  connId,
  /** Milliseconds. */
  timestamp: optional(1015, u64),
  hopCount: optional(1016, u32),
  sourceRequestId: optional(1019, u32),
}

const connections = {
  connect: {
    type: 60783,
    from: 'sdk',
    headers: dialing,
    body: text, // service session token
    replies: ['stateConnected', 'stateClosed'],
  },
  /** A dial that needs no service session. */
  connectV2: {
    type: 60806,
    from: 'sdk',
    headers: {
      ...dialing,
      service: required(1036, text),
      serviceIdentifierType: optional(1037, namedByte({ id: 0, name: 1 })),
    },
    replies: ['stateConnected', 'stateClosed'],
  },
  stateConnected: {
    type: 60784,
    from: 'router',
    headers: {
      connId,
      publicKey,
      routerPicksConnIds: optional(1012, bool),
      circuitId,
      stickinessToken,
      useXgress,
      ...xgressPlace,
      /** What else the other end said: see `peerDataKey`. */
      peerData: headersBetween(1110, 1116),
    },
  },
  // A refusal never has an empty body: the C SDK takes that for a bad session and retries.
  stateClosed: {
    type: 60785,
    from: 'either',
    headers: { connId, seq, errorCode, circuitId, structuredError },
    body: prose,
  },
  data: {
    type: 60786,
    from: 'either',
    headers: { connId, seq, flags: optional(1010, u32), uuid: optional(channelHeader.reflected, bytes) },
    body: bytes,
  },
  xgressClose: { type: 1103, from: 'sdk', body: text }, // circuit id
} as const satisfies MessageTable

const hosting = {
  bind: {
    type: 60790,
    from: 'sdk',
    headers: {
      connId,
      publicKey,
      cryptoMethod,
      cost,
      precedence,
      terminatorIdentity,
      terminatorIdentitySecret: optional(1007, bytes),
      routerPicksConnIds: optional(1012, bool),
      listenerId: optional(1021, text),
      supportsInspect: optional(1023, bool),
      supportsBindSuccess: optional(1024, bool),
      useXgress,
    },
    body: bytes, // bind session token
    replies: ['stateConnected', 'stateClosed'],
  },
  bindSuccess: { type: 60800, from: 'router', headers: { connId } },
  unbind: { type: 60791, from: 'sdk', headers: { connId }, body: bytes, replies: ['stateClosed'] },
  updateBind: {
    type: 60794,
    from: 'sdk',
    headers: { connId, cost, precedence },
    body: bytes,
    replies: ['stateClosed'],
  },
  healthEvent: {
    type: 60795,
    from: 'sdk',
    headers: { connId, checkPassed: required(1013, bool) },
    body: bytes,
    replies: ['stateClosed'],
  },
  dial: {
    type: 60787,
    from: 'router',
    headers: {
      connId, // of the Bind
      newConnId: optional(1012, u32),
      circuitId,
      publicKey,
      callerId,
      appData,
      connectionMarker,
      dialerIdentityId: optional(1034, text),
      dialerIdentityName: optional(1035, text),
      useXgress,
      ...xgressPlace,
    },
    body: bytes, // the token of the Bind, byte for byte
    replies: ['dialSuccess', 'dialFailed'],
  },
  dialSuccess: { type: 60788, from: 'sdk', headers: { connId, publicKey }, body: u32 },
  dialFailed: { type: 60789, from: 'sdk', headers: { connId }, body: prose },
} as const satisfies MessageTable

const operations = {
  updateToken: {
    type: 60803,
    from: 'sdk',
    body: text,
    replies: ['updateTokenSuccess', 'updateTokenFailure'],
  },
  updateTokenSuccess: { type: 60801, from: 'router' },
  updateTokenFailure: { type: 60802, from: 'router', headers: { errorCode, structuredError }, body: prose },
  traceRoute: { type: 60796, from: 'either', headers: traced, replies: ['traceRouteResponse'] },
  traceRouteResponse: {
    type: 60797,
    from: 'either',
    headers: { ...traced, hopType: optional(1017, text), hopId: optional(1018, text), error: optional(1020, prose) },
  },
  connInspect: {
    type: 60798,
    from: 'router',
    headers: { connId },
    // Go SDKs 1.1.0 to 1.5.3 answer with the other type.
    replies: ['connInspectResponse', 'inspectResponse'],
  },
  connInspectResponse: {
    type: 60799,
    from: 'sdk',
    headers: {
      connId: optional(1000, u32),
      connType: optional(1022, namedByte({ invalid: 0, dial: 1, bind: 2, unknown: 3 })),
    },
    body: prose,
  },
  inspect: {
    type: 60804,
    from: 'router',
    headers: { connId: optional(1000, u32), requestedValues: required(1031, stringList) },
    replies: ['inspectResponse'],
  },
  inspectResponse: { type: 60805, from: 'sdk', headers: { connId: optional(1000, u32) }, body: prose }, // JSON
} as const satisfies MessageTable

const subscriptions = {
  postureResponses: { type: 10800, from: 'sdk', body: postureResponses },
  subscribeToServiceUpdates: { type: 10900, from: 'sdk', body: subscribeToServiceUpdates },
  unsubscribeFromServiceUpdates: { type: 10901, from: 'sdk' },
  resyncPostureState: { type: 10902, from: 'sdk' },
  serviceChangeSet: { type: 10903, from: 'router', body: serviceChangeSet },
  postureStateChange: { type: 10904, from: 'router', body: postureStateChange },
} as const satisfies MessageTable

export const edgeMessages = defineCatalogue('edge', {
  ...resultMessages,
  ...latencyMessages,
  ...xgressMessages,
  ...connections,
  ...hosting,
  ...operations,
  ...subscriptions,
})

/** What every hello has is the channel's, and not repeated here. */
export const edgeHello = defineCatalogue('edge hello', {
  hello: {
    type: channelMessage.hello,
    from: 'sdk',
    headers: { sessionToken: optional(1002, text), supportsInspect: optional(1023, bool) },
  },
  answer: {
    type: channelMessage.result,
    from: 'router',
    headers: {
      version: optional(channelHeader.version, text),
      /** The mask says it too, to those who know it. */
      supportsBindSuccess: optional(1024, bool),
      supportsPostureChecks: optional(1032, bool),
      capabilities: optional(1039, bigEndianMask),
    },
  },
})

type Table = typeof edgeMessages.messages

export type EdgeMessageName = keyof Table

/** What is read from a message between SDK and router. */
export type EdgeMessage<K extends EdgeMessageName> = Decoded<Table, K>

/** What a message between SDK and router is written from. */
export type EdgeMessageInit<K extends EdgeMessageName> = Encodable<Table, K>
