/** The bodies of the messages between controller and edge router. */
import { defineMessage, type MessageOf, map, repeated } from '../protobuf/message-type.ts'
import {
  bool,
  bytes,
  enumeration,
  int32,
  type NamesOf,
  safeInt64,
  safeUint64,
  text,
  uint32,
} from '../protobuf/scalars.ts'
import { dataState } from './data-model.ts'
import { peerData } from './fabric-bodies.ts'
import { terminatorPrecedence } from './precedence.ts'

export const serverHello = defineMessage('ServerHello', {
  version: [1, text],
  data: [2, map(text, text)],
  byteData: [3, map(text, bytes)],
})

const address = defineMessage('Address', {
  value: [10, text],
  protocol: [20, text],
  hostname: [30, text],
  port: [40, int32],
})

const edgeListener = defineMessage('Listener', { address: [10, address], advertise: [20, address] })

export const clientHello = defineMessage('ClientHello', {
  version: [1, text],
  hostname: [2, text],
  /** With `protocolPorts`, entry by entry; counts only when there are no listeners. */
  protocols: [3, repeated(text)],
  data: [4, map(text, text)],
  protocolPorts: [5, repeated(text)],
  listeners: [10, repeated(edgeListener)],
})

/** In answers to a certificate verification; an empty code is success. */
export const edgeError = defineMessage('Error', { code: [1, text], message: [2, text], cause: [3, text] })

export const createTerminatorResult = enumeration('CreateTerminatorResult', {
  Success: 0,
  FailedIdConflict: 1,
  FailedOther: 2,
  FailedBusy: 3,
  FailedInvalidSession: 4,
})

export const createTerminatorV2Request = defineMessage('CreateTerminatorV2Request', {
  /** Also the id of the terminator. */
  address: [1, text],
  sessionToken: [2, text],
  fingerprints: [3, repeated(text)],
  peerData: [4, peerData],
  cost: [5, uint32],
  precedence: [6, terminatorPrecedence],
  instanceId: [7, text],
  instanceSecret: [8, bytes],
  apiSessionToken: [9, text],
})

export const createTerminatorV2Response = defineMessage('CreateTerminatorV2Response', {
  terminatorId: [1, text],
  result: [2, createTerminatorResult],
  msg: [3, text],
  errorCode: [4, uint32],
  retryHint: [5, uint32],
})

export const updateTerminatorRequest = defineMessage('UpdateTerminatorRequest', {
  sessionToken: [1, text],
  fingerprints: [2, repeated(text)],
  terminatorId: [3, text],
  cost: [4, uint32],
  precedence: [5, terminatorPrecedence],
  updatePrecedence: [6, bool],
  updateCost: [7, bool],
  apiSessionToken: [8, text],
})

export const healthEventRequest = defineMessage('HealthEventRequest', {
  sessionToken: [1, text],
  fingerprints: [2, repeated(text)],
  terminatorId: [3, text],
  checkPassed: [4, bool],
  apiSessionToken: [5, text],
})

export const createTunnelCircuitV2Request = defineMessage('CreateTunnelCircuitV2Request', {
  serviceName: [1, text],
  terminatorInstanceId: [2, text],
  peerData: [3, peerData],
})

export const createTunnelCircuitV2Response = defineMessage('CreateTunnelCircuitV2Response', {
  circuitId: [1, text],
  address: [2, text],
  peerData: [3, peerData],
  tags: [4, map(text, text)],
})

export const createTunnelTerminatorRequestV2 = defineMessage('CreateTunnelTerminatorRequestV2', {
  serviceId: [1, text],
  /** Also the id of the terminator. */
  address: [2, text],
  peerData: [3, peerData],
  cost: [4, uint32],
  precedence: [5, terminatorPrecedence],
  instanceId: [6, text],
  instanceSecret: [7, bytes],
  /** Milliseconds; returned as it is. */
  startTime: [8, safeInt64],
})

export const createTunnelTerminatorResponseV2 = defineMessage('CreateTunnelTerminatorResponseV2', {
  terminatorId: [1, text],
  startTime: [2, safeInt64],
  result: [3, createTerminatorResult],
  msg: [4, text],
  errorCode: [5, uint32],
  retryHint: [6, uint32],
})

export const updateTunnelTerminatorRequest = defineMessage('UpdateTunnelTerminatorRequest', {
  terminatorId: [1, text],
  cost: [2, uint32],
  precedence: [3, terminatorPrecedence],
  updatePrecedence: [4, bool],
  updateCost: [5, bool],
})

export const enrollmentExtendRouterRequest = defineMessage('EnrollmentExtendRouterRequest', {
  clientCertCsr: [1, text],
  serverCertCsr: [2, text],
  requireVerification: [3, bool],
})

export const enrollmentCertsResponse = defineMessage('EnrollmentCertsResponse', {
  clientCertPem: [1, text],
  serverCertPem: [2, text],
  caCertsPem: [3, text],
})

export const enrollmentExtendRouterVerifyRequest = defineMessage('EnrollmentExtendRouterVerifyRequest', {
  clientCertPem: [1, text],
})

const connectDetails = defineMessage('ConnectDetails', {
  /** Milliseconds. */
  connectTime: [1, safeInt64],
  srcAddr: [2, text],
  dstAddr: [3, text],
})

const identityConnectEvents = defineMessage('IdentityConnectEvents', {
  identityId: [1, text],
  isConnected: [2, bool],
  connectTimes: [3, repeated(connectDetails)],
})

/** A router with many SDKs sends its whole state at once. */
export const connectEvents = defineMessage(
  'ConnectEvents',
  { events: [1, repeated(identityConnectEvents)], fullState: [2, bool] },
  { maxItems: 1_000_000 },
)

export const subscribeToDataModelRequest = defineMessage('SubscribeToDataModelRequest', {
  currentIndex: [1, safeUint64],
  subscriptionDurationSeconds: [2, uint32],
  renew: [3, bool],
  timelineId: [4, text],
  subscriptionId: [5, text],
})

export const validateDataStateRequest = defineMessage(
  'RouterDataModelValidateRequest',
  { state: [1, dataState], fix: [2, bool] },
  { maxItems: 5_000_000 },
)

const routerDataModelDiff = defineMessage('RouterDataModelDiff', {
  entityType: [1, text],
  entityId: [2, text],
  /** `added`, `modified` or `removed`. */
  diffType: [3, text],
  detail: [4, text],
})

export const validateDataStateResponse = defineMessage('RouterDataModelValidateResponse', {
  origEntityCounts: [1, map(text, uint32)],
  copyEntityCounts: [2, map(text, uint32)],
  diffs: [3, repeated(routerDataModelDiff)],
})

export type ClientHello = MessageOf<typeof clientHello>
export type EdgeListener = MessageOf<typeof edgeListener>
export type EdgeListenerAddress = MessageOf<typeof address>
export type CreateTerminatorV2Request = MessageOf<typeof createTerminatorV2Request>
export type CreateTerminatorResult = NamesOf<typeof createTerminatorResult>
export type CreateTunnelTerminatorRequestV2 = MessageOf<typeof createTunnelTerminatorRequestV2>
export type ConnectEvents = MessageOf<typeof connectEvents>
export type IdentityConnectEvents = MessageOf<typeof identityConnectEvents>
export type SubscribeToDataModelRequest = MessageOf<typeof subscribeToDataModelRequest>
export type RouterDataModelDiff = MessageOf<typeof routerDataModelDiff>
