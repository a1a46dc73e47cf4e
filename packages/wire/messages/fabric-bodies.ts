/** The bodies of the fabric's messages between controller and router. */
import { defineMessage, type MessageOf, map, repeated } from '../protobuf/message-type.ts'
import {
  bool,
  bytes,
  enumeration,
  int32,
  int64,
  type NamesOf,
  safeInt64,
  safeUint64,
  text,
  uint32,
  uint64,
} from '../protobuf/scalars.ts'
import { terminatorPrecedence } from './precedence.ts'

/** Facts about a circuit's ends that travel with its creation; keys in `peerDataKey`. */
export const peerData = map(uint32, bytes)

/** Key 1 is a new controller address. Ours read it and never send it: `updateCtrlAddresses` says more. */
export const settings = defineMessage('Settings', { data: [1, map(int32, bytes)] })

export const circuitRequest = defineMessage('CircuitRequest', {
  ingressId: [1, text],
  /** An id, a name, or `instance@id`. */
  service: [2, text],
  peerData: [3, peerData],
})

export const circuitConfirmation = defineMessage('CircuitConfirmation', {
  circuitIds: [1, repeated(text)],
  /** Nanoseconds by circuit id. */
  idleTimes: [2, map(text, int64)],
})

export const fabricCreateTerminator = defineMessage('CreateTerminatorRequest', {
  serviceId: [2, text],
  binding: [3, text],
  address: [4, text],
  peerData: [5, peerData],
  cost: [6, uint32],
  precedence: [7, terminatorPrecedence],
  instanceId: [8, text],
  instanceSecret: [9, bytes],
})

export const fabricRemoveTerminator = defineMessage('RemoveTerminatorRequest', { terminatorId: [1, text] })

export const removeTerminators = defineMessage('RemoveTerminatorsRequest', { terminatorIds: [1, repeated(text)] })

export const fabricUpdateTerminator = defineMessage('UpdateTerminatorRequest', {
  terminatorId: [1, text],
  updatePrecedence: [2, bool],
  updateCost: [3, bool],
  precedence: [4, terminatorPrecedence],
  cost: [5, uint32],
})

const terminator = defineMessage('Terminator', {
  id: [1, text],
  binding: [2, text],
  address: [3, text],
  /** Returned as it is. */
  marker: [4, uint64],
})

export const validateTerminators = defineMessage('ValidateTerminatorsRequest', {
  terminators: [1, repeated(terminator)],
})

export const validateTerminatorsV2Request = defineMessage('ValidateTerminatorsV2Request', {
  terminators: [1, repeated(terminator)],
  fixInvalid: [2, bool],
  postCreate: [3, bool],
})

export const terminatorInvalidReason = enumeration('TerminatorInvalidReason', {
  UnknownBinding: 0,
  UnknownTerminator: 1,
  BadState: 2,
})

const routerTerminatorState = defineMessage('RouterTerminatorState', {
  valid: [1, bool],
  reason: [2, terminatorInvalidReason],
  detail: [3, text],
  marker: [4, uint64],
})

export const validateTerminatorsV2Response = defineMessage('ValidateTerminatorsV2Response', {
  /** By terminator id. An id that is left out means: ask again later. */
  states: [1, map(text, routerTerminatorState)],
})

const linkConn = defineMessage('LinkConn', {
  /** `link.default`, `link.ack`, `single`, `payload` or `ack`. */
  type: [1, text],
  localAddr: [2, text],
  remoteAddr: [3, text],
})

export const linkConnState = defineMessage('LinkConnState', {
  stateIteration: [1, uint32],
  conns: [2, repeated(linkConn)],
})

export const routerLink = defineMessage('RouterLink', {
  id: [1, text],
  destRouterId: [2, text],
  linkProtocol: [3, text],
  dialAddress: [5, text],
  iteration: [6, uint32],
  connState: [7, linkConnState],
})

export const routerLinks = defineMessage('RouterLinks', { links: [1, repeated(routerLink)], fullRefresh: [2, bool] })

export const linkStateUpdate = defineMessage('LinkStateUpdate', {
  linkId: [1, text],
  linkIteration: [2, uint32],
  connState: [3, linkConnState],
})

export const faultSubject = enumeration('FaultSubject', {
  IngressFault: 0,
  EgressFault: 1,
  LinkFault: 2,
  ForwardFault: 3,
  UnknownOwnerForwardFault: 4,
  LinkDuplicate: 5,
})

export const fault = defineMessage('Fault', {
  subject: [1, faultSubject],
  /** A link or circuit id; of the two forward faults, circuit ids with one space between them. */
  id: [2, text],
  /** Of a link; 0 = unknown. */
  iteration: [3, uint32],
})

export const destType = enumeration('DestType', { Start: 0, End: 1, Link: 2 })

const context = defineMessage('Context', { fields: [1, map(text, text)], channelMask: [2, uint32] })

const routeEgress = defineMessage('Egress', {
  binding: [1, text],
  address: [2, text],
  destination: [3, text],
  peerData: [4, peerData],
})

const routeForward = defineMessage('Forward', { srcAddress: [1, text], dstAddress: [2, text], dstType: [3, destType] })

export const route = defineMessage('Route', {
  circuitId: [1, text],
  attempt: [2, uint32],
  /** Only for the router where the circuit ends. */
  egress: [3, routeEgress],
  forwards: [4, repeated(routeForward)],
  context: [5, context],
  /** Nanoseconds that are left; zero or less means the receiver's default. */
  timeout: [6, int64],
  tags: [7, map(text, text)],
})

export const unroute = defineMessage('Unroute', { circuitId: [1, text], now: [2, bool] })

export const inspectRequest = defineMessage('InspectRequest', { requestedValues: [1, repeated(text)] })

export const inspectResponse = defineMessage('InspectResponse', {
  success: [1, bool],
  errors: [2, repeated(text)],
  values: [3, repeated(defineMessage('InspectValue', { name: [1, text], value: [2, text] }))],
})

export const verifyRouter = defineMessage('VerifyRouter', { routerId: [1, text], fingerprints: [2, repeated(text)] })

export const linkListener = defineMessage('Listener', {
  address: [1, text],
  protocol: [2, text],
  groups: [4, repeated(text)],
  localBinding: [5, text],
})

export const linkListeners = defineMessage('Listeners', { listeners: [1, repeated(linkListener)] })

const ctrlEndpoint = defineMessage('CtrlEndpoint', { address: [1, text], groups: [2, repeated(text)] })

const ctrlDetail = defineMessage('CtrlDetail', { id: [1, text], endpoints: [2, repeated(ctrlEndpoint)] })

export const updateCtrlAddresses = defineMessage('UpdateCtrlAddresses', {
  /** Read by 1.x routers. */
  addresses: [1, repeated(text)],
  index: [2, safeUint64],
  isLeader: [3, bool],
  controllers: [4, repeated(ctrlDetail)],
})

export const updateClusterLeader = defineMessage('UpdateClusterLeader', { index: [1, safeUint64] })

export const peerState = enumeration('PeerState', { Healthy: 0, Unhealthy: 1, Removed: 2 })

export const peerStateChange = defineMessage('PeerStateChange', {
  id: [1, text],
  version: [2, text],
  state: [3, peerState],
  listeners: [4, repeated(linkListener)],
})

export const peerStateChanges = defineMessage('PeerStateChanges', { changes: [1, repeated(peerStateChange)] })

const routerCapability = enumeration('RouterCapability', { CapabilityZero: 0, LinkManagement: 1 })

export const routerMetadata = defineMessage('RouterMetadata', { capabilities: [1, repeated(routerCapability)] })

export const networkInterface = defineMessage('Interface', {
  name: [1, text],
  hardwareAddress: [2, text],
  mtu: [3, safeInt64],
  index: [4, safeInt64],
  /** up 1, broadcast 2, loopback 4, point-to-point 8, multicast 16, running 32. */
  flags: [5, safeUint64],
  addresses: [6, repeated(text)],
})

export const routerInterfacesUpdate = defineMessage('RouterInterfacesUpdate', {
  interfaces: [1, repeated(networkInterface)],
})

const alert = defineMessage('Alert', {
  sourceType: [1, text],
  sourceId: [2, text],
  /** Milliseconds. */
  timestamp: [3, safeInt64],
  severity: [4, text],
  message: [5, text],
  details: [6, repeated(text)],
  relatedEntities: [7, map(text, text)],
})

export const alerts = defineMessage('Alerts', { alerts: [1, repeated(alert)] })

const ctrlChanListener = defineMessage('CtrlChanListener', { address: [1, text], groups: [2, repeated(text)] })

export const ctrlChanListeners = defineMessage('CtrlChanListeners', { listeners: [1, repeated(ctrlChanListener)] })

export type Route = MessageOf<typeof route>
export type RouteEgress = MessageOf<typeof routeEgress>
export type RouteForward = MessageOf<typeof routeForward>
export type Unroute = MessageOf<typeof unroute>
export type Fault = MessageOf<typeof fault>
export type FaultSubject = NamesOf<typeof faultSubject>
export type DestType = NamesOf<typeof destType>
export type RouterLink = MessageOf<typeof routerLink>
export type RouterLinks = MessageOf<typeof routerLinks>
export type LinkStateUpdate = MessageOf<typeof linkStateUpdate>
export type LinkListener = MessageOf<typeof linkListener>
export type PeerState = NamesOf<typeof peerState>
export type PeerStateChange = MessageOf<typeof peerStateChange>
export type NetworkInterface = MessageOf<typeof networkInterface>
export type ValidatedTerminator = MessageOf<typeof terminator>
export type RouterTerminatorState = MessageOf<typeof routerTerminatorState>
export type TerminatorInvalidReason = NamesOf<typeof terminatorInvalidReason>
export type InspectResponse = MessageOf<typeof inspectResponse>
export type UpdateCtrlAddresses = MessageOf<typeof updateCtrlAddresses>
export type Alert = MessageOf<typeof alert>
