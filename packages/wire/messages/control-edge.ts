/** What controller and edge router say about SDKs, their circuits and the data model: content types from 20000 on. */
import { type MessageTable, optional, required } from '../catalogue/definition.ts'
import { bool, bytes, index, stringList, stringMap, text, u32, u32BytesMap } from '../catalogue/value-kinds.ts'
import {
  clientHello,
  connectEvents,
  createTerminatorV2Request,
  createTerminatorV2Response,
  createTunnelCircuitV2Request,
  createTunnelCircuitV2Response,
  createTunnelTerminatorRequestV2,
  createTunnelTerminatorResponseV2,
  enrollmentCertsResponse,
  enrollmentExtendRouterRequest,
  enrollmentExtendRouterVerifyRequest,
  healthEventRequest,
  serverHello,
  subscribeToDataModelRequest,
  updateTerminatorRequest,
  updateTunnelTerminatorRequest,
  validateDataStateRequest,
  validateDataStateResponse,
} from './control-edge-bodies.ts'
import { changeSet, dataState } from './data-model.ts'

/** What made the circuit, for the router that asked. */
const createdCircuit = {
  peerData: optional(10, u32BytesMap),
  circuitId: required(11, text),
  address: required(12, text),
  tags: optional(13, stringMap),
}

/** By whom and for which instance a circuit is asked for. */
const circuitDialer = {
  peerData: optional(10, u32BytesMap),
  fingerprints: optional(12, stringList),
  terminatorInstanceId: optional(13, text),
}

const hello = {
  serverHello: {
    type: 20000,
    from: 'controller',
    headers: { hasDataModel: optional(1024, bool) },
    body: serverHello,
    replies: ['clientHello'],
  },
  clientHello: {
    type: 20001,
    from: 'router',
    headers: { hasDataModel: optional(1024, bool), dataModelIndex: optional(1025, index) },
    body: clientHello,
  },
  /** The refusal of most edge requests. */
  error: {
    type: 20002,
    from: 'controller',
    headers: {
      /** See `edgeErrorCode`. */
      errorCode: optional(1014, u32),
      /** See `retryHint`. */
      retryHint: optional(18, u32),
      circuitId: optional(1026, text),
    },
    body: bytes, // text; in the answer to `enrollmentExtendRouterVerify` the protobuf message `edgeError`
  },
} as const satisfies MessageTable

const circuits = {
  /** A dial with a service session. */
  createCircuitV2: {
    type: 20218,
    from: 'router',
    headers: { ...circuitDialer, sessionToken: required(11, text), apiSessionToken: optional(14, text) },
    replies: ['createCircuitV2Response', 'error'],
  },
  createCircuitV2Response: { type: 20219, from: 'controller', headers: createdCircuit },
  /** A dial without a service session. */
  createCircuitV3: {
    type: 20222,
    from: 'router',
    headers: {
      ...circuitDialer,
      /** Without it the dial is refused; with an answer. */
      apiSessionToken: optional(14, text),
      identityId: required(15, text),
      serviceId: required(16, text),
      circuitId: optional(17, text),
    },
    replies: ['createCircuitV3Response', 'error'],
  },
  createCircuitV3Response: { type: 20223, from: 'controller', headers: createdCircuit },
  createTunnelCircuitV2: {
    type: 20220,
    from: 'router',
    body: createTunnelCircuitV2Request,
    replies: ['createTunnelCircuitV2Response', 'error'],
  },
  createTunnelCircuitV2Response: { type: 20221, from: 'controller', body: createTunnelCircuitV2Response },
} as const satisfies MessageTable

const terminators = {
  updateTerminator: {
    type: 20209,
    from: 'router',
    body: updateTerminatorRequest,
    replies: ['updateTerminatorResponse', 'error'],
  },
  updateTerminatorResponse: { type: 20210, from: 'controller' },
  healthEvent: { type: 20214, from: 'router', body: healthEventRequest },
  createTerminatorV2: {
    type: 20216,
    from: 'router',
    body: createTerminatorV2Request,
    replies: ['createTerminatorV2Response'],
  },
  createTerminatorV2Response: { type: 20217, from: 'controller', body: createTerminatorV2Response },
  updateTunnelTerminator: {
    type: 20408,
    from: 'router',
    body: updateTunnelTerminatorRequest,
    replies: ['updateTunnelTerminatorResponse', 'error'],
  },
  updateTunnelTerminatorResponse: { type: 20409, from: 'controller' },
  tunnelHealthEvent: {
    type: 20412,
    from: 'router',
    headers: { terminatorId: required(1022, text), checkPassed: required(1023, bool) },
  },
  createTunnelTerminatorV2: {
    type: 20413,
    from: 'router',
    body: createTunnelTerminatorRequestV2,
    replies: ['createTunnelTerminatorV2Response'],
  },
  createTunnelTerminatorV2Response: { type: 20414, from: 'controller', body: createTunnelTerminatorResponseV2 },
} as const satisfies MessageTable

const operations = {
  /** The new certificates, sent on their own: they name no request. */
  enrollmentCerts: { type: 20301, from: 'controller', body: enrollmentCertsResponse },
  enrollmentExtendRouter: { type: 20302, from: 'router', body: enrollmentExtendRouterRequest },
  enrollmentExtendRouterVerify: {
    type: 20303,
    from: 'router',
    body: enrollmentExtendRouterVerifyRequest,
    replies: ['error'],
  },
  connectEvents: { type: 20415, from: 'router', body: connectEvents },
} as const satisfies MessageTable

const subscriptionId = optional(1026, text)

const dataModel = {
  dataState: { type: 20500, from: 'controller', headers: { subscriptionId }, body: dataState },
  dataStateChangeSet: { type: 20501, from: 'controller', headers: { subscriptionId }, body: changeSet },
  validateDataState: {
    type: 20503,
    from: 'controller',
    body: validateDataStateRequest,
    replies: ['validateDataStateResponse'],
  },
  validateDataStateResponse: { type: 20504, from: 'router', body: validateDataStateResponse },
  /** Answered by a stream of `dataState` and `dataStateChangeSet`. */
  subscribeToDataModel: { type: 20505, from: 'router', body: subscribeToDataModelRequest },
  currentIndex: { type: 20506, from: 'controller', headers: { dataModelIndex: required(1025, index) } },
} as const satisfies MessageTable

export const edgeControlMessages = { ...hello, ...circuits, ...terminators, ...operations, ...dataModel } as const
