/**
 * What controller and router say for the sake of older ones: API sessions with opaque tokens, which a 2.1 router only
 * accepts when it has been told of them, and the requests of 1.x routers.
 */
import { type MessageTable, optional } from '../catalogue/definition.ts'
import { bytes as rawBytes, text as rawText } from '../catalogue/value-kinds.ts'
import { defineMessage, type MessageOf, map, repeated } from '../protobuf/message-type.ts'
import { bool, bytes, safeInt64, text, uint32 } from '../protobuf/scalars.ts'
import { peerData } from './fabric-bodies.ts'
import { terminatorPrecedence } from './precedence.ts'
import { sdkInfo } from './sdk-info.ts'

const apiSession = defineMessage('ApiSession', {
  token: [1, text],
  certFingerprints: [2, repeated(text)],
  id: [3, text],
  identityId: [4, text],
})

const apiSessionAdded = defineMessage('ApiSessionAdded', {
  isFullState: [1, bool],
  apiSessions: [2, repeated(apiSession)],
})

const removedTokens = { tokens: [1, repeated(text)], ids: [2, repeated(text)] } as const

const createCircuitRequest = defineMessage('CreateCircuitRequest', {
  sessionToken: [1, text],
  fingerprints: [2, repeated(text)],
  terminatorInstanceId: [3, text],
  peerData: [4, peerData],
  apiSessionToken: [5, text],
})

const createCircuitResponse = defineMessage('CreateCircuitResponse', {
  circuitId: [1, text],
  address: [2, text],
  peerData: [3, peerData],
  tags: [4, map(text, text)],
})

const removeTerminatorRequest = defineMessage('RemoveTerminatorRequest', {
  sessionToken: [1, text],
  fingerprints: [2, repeated(text)],
  terminatorId: [3, text],
  apiSessionToken: [4, text],
})

const envInfo = defineMessage('EnvInfo', {
  arch: [1, text],
  os: [2, text],
  osRelease: [3, text],
  osVersion: [4, text],
  hostname: [5, text],
  domain: [6, text],
})

const createApiSessionRequest = defineMessage('CreateApiSessionRequest', {
  envInfo: [1, envInfo],
  sdkInfo: [2, sdkInfo],
  configTypes: [3, repeated(text)],
})

const createApiSessionResponse = defineMessage('CreateApiSessionResponse', {
  sessionId: [1, text],
  token: [2, text],
  refreshIntervalSeconds: [3, uint32],
  identityId: [4, text],
  identityName: [5, text],
  defaultHostingPrecedence: [6, terminatorPrecedence],
  defaultHostingCost: [7, uint32],
  appDataJson: [8, text],
  servicePrecedences: [9, map(text, terminatorPrecedence)],
  serviceCosts: [10, map(text, uint32)],
})

const createCircuitForServiceRequest = defineMessage('CreateCircuitForServiceRequest', {
  sessionId: [1, text],
  serviceName: [2, text],
  terminatorInstanceId: [3, text],
  peerData: [4, peerData],
})

const createSessionResponse = defineMessage('CreateSessionResponse', { sessionId: [1, text], token: [2, text] })

const createCircuitForServiceResponse = defineMessage('CreateCircuitForServiceResponse', {
  apiSession: [1, createApiSessionResponse],
  session: [2, createSessionResponse],
  circuitId: [3, text],
  address: [4, text],
  peerData: [5, peerData],
  tags: [6, map(text, text)],
})

const tunnelService = defineMessage('TunnelService', {
  id: [1, text],
  name: [2, text],
  permissions: [3, repeated(text)],
  encryption: [4, bool],
  config: [5, bytes],
  tags: [6, bytes],
})

const servicesList = defineMessage('ServicesList', { lastUpdate: [1, bytes], services: [2, repeated(tunnelService)] })

const createTunnelTerminatorRequest = defineMessage('CreateTunnelTerminatorRequest', {
  serviceName: [1, text],
  sessionId: [2, text],
  address: [3, text],
  peerData: [4, peerData],
  cost: [5, uint32],
  precedence: [6, terminatorPrecedence],
  instanceId: [7, text],
  instanceSecret: [8, bytes],
  startTime: [9, safeInt64],
})

const createTunnelTerminatorResponse = defineMessage('CreateTunnelTerminatorResponse', {
  apiSession: [1, createApiSessionResponse],
  session: [2, createSessionResponse],
  terminatorId: [3, text],
  startTime: [4, safeInt64],
})

/** Which part of which synchronisation a message is; the state is JSON. */
const syncState = { strategy: optional(1013, rawText), state: optional(1014, rawText) }

const sessions = {
  sessionRemoved: { type: 20102, from: 'controller', body: defineMessage('SessionRemoved', removedTokens) },
  apiSessionAdded: { type: 20200, from: 'controller', headers: syncState, body: apiSessionAdded },
  apiSessionUpdated: {
    type: 20201,
    from: 'controller',
    headers: syncState,
    body: defineMessage('ApiSessionUpdated', { apiSessions: [1, repeated(apiSession)] }),
  },
  apiSessionRemoved: { type: 20202, from: 'controller', body: defineMessage('ApiSessionRemoved', removedTokens) },
  apiSessionHeartbeat: {
    type: 20203,
    from: 'router',
    body: defineMessage('ApiSessionHeartbeat', { tokens: [1, repeated(text)] }),
  },
  requestClientReSync: {
    type: 20204,
    from: 'router',
    body: defineMessage('RequestClientReSync', { reason: [1, text] }),
  },
  validateSessions: {
    type: 20213,
    from: 'router',
    body: defineMessage('ValidateSessionsRequest', { sessionTokens: [1, repeated(text)] }),
  },
} as const satisfies MessageTable

const oldRouters = {
  createCircuit: {
    type: 20205,
    from: 'router',
    body: createCircuitRequest,
    replies: ['createCircuitResponse', 'error'],
  },
  createCircuitResponse: { type: 20206, from: 'controller', body: createCircuitResponse },
  removeTerminator: {
    type: 20211,
    from: 'router',
    body: removeTerminatorRequest,
    replies: ['removeTerminatorResponse', 'error'],
  },
  removeTerminatorResponse: { type: 20212, from: 'controller' },
  createApiSession: {
    type: 20400,
    from: 'router',
    body: createApiSessionRequest,
    replies: ['createApiSessionResponse', 'error'],
  },
  createApiSessionResponse: { type: 20401, from: 'controller', body: createApiSessionResponse },
  createCircuitForService: {
    type: 20402,
    from: 'router',
    body: createCircuitForServiceRequest,
    replies: ['createCircuitForServiceResponse', 'error'],
  },
  createCircuitForServiceResponse: { type: 20403, from: 'controller', body: createCircuitForServiceResponse },
  /** The body is the time of the last update, as Go writes times. */
  listServices: { type: 20404, from: 'router', body: rawBytes },
  serviceList: { type: 20405, from: 'controller', body: servicesList },
  createTunnelTerminator: {
    type: 20406,
    from: 'router',
    body: createTunnelTerminatorRequest,
    replies: ['createTunnelTerminatorResponse', 'error'],
  },
  createTunnelTerminatorResponse: { type: 20407, from: 'controller', body: createTunnelTerminatorResponse },
  removeTunnelTerminator: {
    type: 20410,
    from: 'router',
    body: rawText, // terminator id
    replies: ['removeTunnelTerminatorResponse', 'error'],
  },
  removeTunnelTerminatorResponse: { type: 20411, from: 'controller' },
} as const satisfies MessageTable

export const legacyControlMessages = { ...sessions, ...oldRouters } as const

export type WireApiSession = MessageOf<typeof apiSession>
