/**
 * The catalogues: every message of every channel, with its types.
 *
 *   channel.handle(controlMessages.typeOf('fault'), (message) => {
 *     const { body } = controlMessages.decodeAs('fault', message) // body: Fault
 *   })
 *   channel.send(controlMessages.encode('unroute', { body: { circuitId, now: true } }))
 */
export { type BareName, Catalogue, defineCatalogue, type Named, type Readable } from '../catalogue/catalogue.ts'
export type { Decoded, Encodable, ReplyNames, Side } from '../catalogue/definition.ts'
export { MessageError, type MessageErrorCode, messageErrors } from '../catalogue/message-error.ts'
export type { InitOf, MessageOf } from '../protobuf/message-type.ts'
export { ProtobufError, type ProtobufErrorCode, protobufErrors } from '../protobuf/protobuf-error.ts'
export { millisecondsOf, timestampOf } from '../protobuf/timestamp.ts'
export { agentCapabilitiesHeader, agentMessages } from './agent.ts'
export { capabilityMask, controllerCapability, hasCapability, routerCapability } from './capabilities.ts'
export {
  type ClientHello,
  type ConnectEvents,
  type CreateTerminatorResult,
  type CreateTerminatorV2Request,
  type CreateTunnelTerminatorRequestV2,
  type EdgeListener,
  type EdgeListenerAddress,
  edgeError,
  type IdentityConnectEvents,
  type RouterDataModelDiff,
  type SubscribeToDataModelRequest,
} from './control-edge-bodies.ts'
export { controlHello, legacyControlHello } from './control-hello.ts'
export type { WireApiSession } from './control-legacy.ts'
export {
  type ControlMessage,
  type ControlMessageInit,
  type ControlMessageName,
  controlMessages,
} from './control-messages.ts'
export {
  type ChangeSet,
  changeSet,
  type DataAction,
  type DataConfig,
  type DataConfigType,
  type DataEvent,
  type DataIdentity,
  type DataPostureCheck,
  type DataPublicKey,
  type DataRevocation,
  type DataRouter,
  type DataService,
  type DataServicePolicy,
  type DataServicePolicyChange,
  type DataState,
  dataEvent,
  dataState,
  type PolicyType,
  type RelatedEntityType,
} from './data-model.ts'
export {
  type EdgeMessage,
  type EdgeMessageInit,
  type EdgeMessageName,
  edgeFlag,
  edgeHello,
  edgeMessages,
} from './edge.ts'
export type {
  ChangeOperation,
  PolicyDef,
  PostureCheckDef,
  PostureResponse,
  PostureStateChange,
  ServiceChangeSet,
  ServiceDef,
} from './edge-bodies.ts'
export {
  type EdgeErrorCode,
  edgeErrorCode,
  type RetryHint,
  type RouteErrorCode,
  resultErrorRateLimited,
  retryHint,
  routeErrorCode,
} from './error-codes.ts'
export {
  type Alert,
  type DestType,
  type Fault,
  type FaultSubject,
  type InspectResponse,
  type LinkListener,
  type LinkStateUpdate,
  linkListeners,
  type NetworkInterface,
  type PeerState,
  type PeerStateChange,
  type Route,
  type RouteEgress,
  type RouteForward,
  type RouterLink,
  type RouterLinks,
  type RouterTerminatorState,
  type TerminatorInvalidReason,
  type Unroute,
  type UpdateCtrlAddresses,
  type ValidatedTerminator,
} from './fabric-bodies.ts'
export {
  type Acknowledgement,
  type AcknowledgementInit,
  type Control,
  type ControlInit,
  linkHello,
  linkMessages,
  type Payload,
  type PayloadInit,
  splitHalf,
} from './link.ts'
export type {
  RouterLinkDetail,
  TerminatorDetail,
  ValidatedLinkState,
  ValidatedTerminatorState,
} from './management-bodies.ts'
export {
  type ManagementMessage,
  type ManagementMessageInit,
  type ManagementMessageName,
  managementMessages,
} from './management-stream.ts'
export { type MetricsMessage, metricsMessage, type OwnMetrics } from './metrics.ts'
export { MetricsReport } from './metrics-report.ts'
export { peerDataKey } from './peer-data.ts'
export type { TerminatorPrecedence } from './precedence.ts'
export { type ChannelTrace, channelStateTrace, channelTrace } from './trace.ts'
export { type PassedFrame, type TraceRecorder, traceRecord } from './trace-record.ts'
export { controlType, payloadCapability, payloadHeader, xgressFlag } from './xgress.ts'
