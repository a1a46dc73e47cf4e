/**
 * What administrators' tools and the controller say over the management websocket: events, traces, inspections and
 * validations. There is no hello; the two start with these.
 */
import { defineCatalogue } from '../catalogue/catalogue.ts'
import { type Decoded, type Encodable, type MessageTable, required } from '../catalogue/definition.ts'
import { bytes, text } from '../catalogue/value-kinds.ts'
import { resultMessages } from './channel-messages.ts'
import {
  componentDetails,
  controllerDialerDetails,
  invalidTerminatorHostState,
  managementInspectRequest,
  managementInspectResponse,
  managementValidateTerminators,
  routerCircuitDetails,
  routerErtTerminatorsDetails,
  routerLinkDetails,
  routerSdkTerminatorsDetails,
  streamTracesRequest,
  terminatorDetail,
  toggleCircuitTracesRequest,
  validateRouterDataModelRequest,
  validationFilter,
  validationStarted,
} from './management-bodies.ts'
import { channelTrace, togglePipeTracesRequest } from './trace.ts'

const streams = {
  /** The body is JSON: format, and subscriptions with type and options. */
  streamEvents: { type: 10040, from: 'client', body: text, replies: ['result'] },
  event: { type: 10041, from: 'controller', headers: { eventType: required(10, text) }, body: bytes },
  togglePipeTraces: { type: 10044, from: 'client', body: togglePipeTracesRequest, replies: ['result'] },
  toggleCircuitTraces: { type: 10045, from: 'client', body: toggleCircuitTracesRequest, replies: ['result'] },
  /** A Go controller answers only when it refuses. */
  streamTraces: { type: 10046, from: 'client', body: streamTracesRequest, replies: ['result'] },
  trace: { type: 10047, from: 'controller', body: channelTrace },
  inspect: { type: 10048, from: 'client', body: managementInspectRequest, replies: ['inspectResponse'] },
  inspectResponse: { type: 10049, from: 'controller', body: managementInspectResponse },
} as const satisfies MessageTable

/** Each is answered at once with a count; then that many results follow on their own. */
const validations = {
  validateTerminators: {
    type: 10100,
    from: 'client',
    body: managementValidateTerminators,
    replies: ['validateTerminatorsStarted'],
  },
  validateTerminatorsStarted: { type: 10101, from: 'controller', body: validationStarted },
  terminatorResult: { type: 10102, from: 'controller', body: terminatorDetail },
  terminatorHostResult: { type: 10121, from: 'controller', body: invalidTerminatorHostState },
  validateLinks: { type: 10103, from: 'client', body: validationFilter, replies: ['validateLinksStarted'] },
  validateLinksStarted: { type: 10104, from: 'controller', body: validationStarted },
  linksResult: { type: 10105, from: 'controller', body: routerLinkDetails },
  validateSdkTerminators: {
    type: 10106,
    from: 'client',
    body: validationFilter,
    replies: ['validateSdkTerminatorsStarted'],
  },
  validateSdkTerminatorsStarted: { type: 10107, from: 'controller', body: validationStarted },
  sdkTerminatorsResult: { type: 10108, from: 'controller', body: routerSdkTerminatorsDetails },
  validateDataModel: {
    type: 10109,
    from: 'client',
    body: validateRouterDataModelRequest,
    replies: ['validateDataModelStarted'],
  },
  validateDataModelStarted: { type: 10110, from: 'controller', body: validationStarted },
  dataModelResult: { type: 10111, from: 'controller', body: componentDetails },
  validateIdentityConnections: {
    type: 10112,
    from: 'client',
    body: validationFilter,
    replies: ['validateIdentityConnectionsStarted'],
  },
  validateIdentityConnectionsStarted: { type: 10113, from: 'controller', body: validationStarted },
  identityConnectionsResult: { type: 10114, from: 'controller', body: componentDetails },
  validateErtTerminators: {
    type: 10115,
    from: 'client',
    body: validationFilter,
    replies: ['validateErtTerminatorsStarted'],
  },
  validateErtTerminatorsStarted: { type: 10116, from: 'controller', body: validationStarted },
  ertTerminatorsResult: { type: 10117, from: 'controller', body: routerErtTerminatorsDetails },
  validateCircuits: { type: 10118, from: 'client', body: validationFilter, replies: ['validateCircuitsStarted'] },
  validateCircuitsStarted: { type: 10119, from: 'controller', body: validationStarted },
  circuitsResult: { type: 10120, from: 'controller', body: routerCircuitDetails },
  validateControllerDialers: {
    type: 10122,
    from: 'client',
    replies: ['validateControllerDialersStarted'],
  },
  validateControllerDialersStarted: { type: 10123, from: 'controller', body: validationStarted },
  controllerDialersResult: { type: 10124, from: 'controller', body: controllerDialerDetails },
} as const satisfies MessageTable

export const managementMessages = defineCatalogue('management', { ...resultMessages, ...streams, ...validations })

type Table = typeof managementMessages.messages

export type ManagementMessageName = keyof Table
export type ManagementMessage<K extends ManagementMessageName> = Decoded<Table, K>
export type ManagementMessageInit<K extends ManagementMessageName> = Encodable<Table, K>
