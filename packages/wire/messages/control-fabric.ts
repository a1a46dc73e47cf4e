/** What controller and router say about routers, links, terminators and circuits: content types 1000 to 1056. */
import { headersBetween, type MessageTable, optional, required } from '../catalogue/definition.ts'
import { presence, prose, text, u8, u32 } from '../catalogue/value-kinds.ts'
import {
  alerts,
  circuitConfirmation,
  circuitRequest,
  fabricCreateTerminator,
  fabricRemoveTerminator,
  fabricUpdateTerminator,
  fault,
  inspectRequest,
  inspectResponse,
  linkListeners,
  linkStateUpdate,
  peerStateChanges,
  removeTerminators,
  route,
  routerInterfacesUpdate,
  routerLinks,
  settings,
  unroute,
  updateClusterLeader,
  updateCtrlAddresses,
  validateTerminators,
  validateTerminatorsV2Request,
  validateTerminatorsV2Response,
  verifyRouter,
} from './fabric-bodies.ts'
import { metricsMessage } from './metrics.ts'
import { channelTrace, togglePipeTracesRequest } from './trace.ts'

/** Peer data that travels as headers of its own. */
const peerData = headersBetween(1000, 1999)

const circuits = {
  /** From listeners that know no identities: `proxy`. */
  circuitRequest: {
    type: 1000,
    from: 'router',
    body: circuitRequest,
    replies: ['circuitSuccess', 'circuitFailed'],
  },
  circuitSuccess: {
    type: 1001,
    from: 'controller',
    headers: {
      ingressAddress: required(1100, text),
      /** A Go controller passes it on from the route result. Named here so that it is not taken for peer data. */
      attempt: optional(1101, u32),
      peerData,
    },
    body: text, // circuit id
  },
  circuitFailed: { type: 1016, from: 'controller', body: prose },
  route: { type: 1005, from: 'controller', body: route, replies: ['routeResult'] },
  routeResult: {
    type: 1022,
    from: 'router',
    headers: {
      attempt: required(1101, u32),
      /** Its presence is the success, whatever its value. */
      success: optional(1102, presence),
      error: optional(1103, prose),
      /** See `routeErrorCode`. */
      errorCode: optional(1104, u8),
      peerData,
    },
    body: text, // circuit id
  },
  unroute: { type: 1006, from: 'controller', body: unroute },
  /** Circuits that have been idle. Those the controller does not know are answered with an unroute each. */
  circuitConfirmation: { type: 1034, from: 'router', body: circuitConfirmation },
  fault: { type: 1004, from: 'either', body: fault },
} as const satisfies MessageTable

const links = {
  routerLinks: { type: 1035, from: 'router', body: routerLinks },
  linkState: { type: 1053, from: 'router', body: linkStateUpdate },
  verifyRouter: { type: 1036, from: 'router', body: verifyRouter, replies: ['result'] },
  peerStateChanges: { type: 1050, from: 'controller', body: peerStateChanges },
  updateLinkListeners: { type: 1056, from: 'router', body: linkListeners },
} as const satisfies MessageTable

const terminators = {
  fabricCreateTerminator: { type: 1011, from: 'router', body: fabricCreateTerminator, replies: ['result'] },
  fabricRemoveTerminator: { type: 1012, from: 'router', body: fabricRemoveTerminator, replies: ['result'] },
  fabricUpdateTerminator: { type: 1018, from: 'router', body: fabricUpdateTerminator, replies: ['result'] },
  removeTerminators: { type: 1038, from: 'router', body: removeTerminators, replies: ['result'] },
  /** For 1.x routers, which correct themselves and do not answer. */
  validateTerminators: { type: 1017, from: 'controller', body: validateTerminators },
  validateTerminatorsV2: {
    type: 1041,
    from: 'controller',
    body: validateTerminatorsV2Request,
    replies: ['validateTerminatorsV2Response'],
  },
  validateTerminatorsV2Response: { type: 1042, from: 'router', body: validateTerminatorsV2Response },
} as const satisfies MessageTable

const operations = {
  ping: { type: 1, from: 'router', replies: ['result'] },
  metrics: { type: 1007, from: 'router', body: metricsMessage },
  togglePipeTraces: { type: 1008, from: 'controller', body: togglePipeTracesRequest, replies: ['result'] },
  traceEvent: { type: 1010, from: 'router', body: channelTrace },
  inspectRequest: { type: 1013, from: 'either', body: inspectRequest, replies: ['inspectResponse'] },
  inspectResponse: { type: 1014, from: 'either', body: inspectResponse },
  settings: { type: 1020, from: 'controller', body: settings },
  updateCtrlAddresses: { type: 1037, from: 'controller', body: updateCtrlAddresses },
  updateClusterLeader: { type: 1051, from: 'controller', body: updateClusterLeader },
  /** Answered by an `updateCtrlAddresses` that names no request. */
  requestClusterMembers: { type: 1055, from: 'router' },
  quiesceRouter: { type: 1039, from: 'router', replies: ['result'] },
  dequiesceRouter: { type: 1040, from: 'router', replies: ['result'] },
  /** The answer to a successful one is the end of the channel. */
  decommissionRouter: { type: 1043, from: 'router', replies: ['result'] },
  updateRouterInterfaces: { type: 1052, from: 'router', body: routerInterfacesUpdate, replies: ['result'] },
  alerts: { type: 1054, from: 'router', body: alerts },
} as const satisfies MessageTable

export const fabricMessages = { ...circuits, ...links, ...terminators, ...operations } as const
