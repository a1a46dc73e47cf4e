/** The bodies of the messages on the management stream. */
import { type AnyMessage, defineMessage, type MessageOf, map, repeated } from '../protobuf/message-type.ts'
import { bool, enumeration, int32, type NamesOf, safeUint64, text, uint32 } from '../protobuf/scalars.ts'

const regexes = { enable: [1, bool], serviceRegex: [2, text], clientRegex: [3, text] } as const

export const toggleCircuitTracesRequest = defineMessage('ToggleCircuitTracesRequest', regexes)

export const streamTracesRequest = defineMessage('StreamTracesRequest', {
  enabledFilter: [1, bool],
  filterType: [2, enumeration('TraceFilterType', { EXCLUDE: 0, INCLUDE: 1 })],
  contentTypes: [3, repeated(int32)],
})

export const managementInspectRequest = defineMessage('InspectRequest', {
  appRegex: [1, text],
  requestedValues: [2, repeated(text)],
})

const inspectValue = defineMessage('InspectValue', { appId: [1, text], name: [2, text], value: [3, text] })

export const managementInspectResponse = defineMessage('InspectResponse', {
  success: [1, bool],
  errors: [2, repeated(text)],
  values: [3, repeated(inspectValue)],
})

export const managementValidateTerminators = defineMessage('ValidateTerminatorsRequest', {
  terminatorsFilter: [1, text],
  fixInvalid: [2, bool],
  identitiesFilter: [3, text],
  expectedPerSvcAndHost: [4, uint32],
  expectedPerHost: [5, uint32],
})

/** The first answer to every validation: whether it has begun, and how many results will follow. */
export const validationStarted = defineMessage('ValidationResponse', {
  success: [1, bool],
  message: [2, text],
  count: [3, safeUint64],
})

export const validationFilter = defineMessage('ValidationRequest', { filter: [1, text] })

export const validateRouterDataModelRequest = defineMessage('ValidateRouterDataModelRequest', {
  routerFilter: [1, text],
  validateCtrl: [2, bool],
  fix: [3, bool],
})

const terminatorState = enumeration('TerminatorState', {
  Valid: 0,
  Unknown: 1,
  InvalidUnknownBinding: 2,
  InvalidUnknownTerminator: 3,
  InvalidBadState: 4,
})

export const terminatorDetail = defineMessage('TerminatorDetail', {
  terminatorId: [1, text],
  serviceId: [2, text],
  serviceName: [3, text],
  routerId: [4, text],
  routerName: [5, text],
  binding: [6, text],
  address: [7, text],
  hostId: [8, text],
  createDate: [9, text],
  state: [10, terminatorState],
  fixed: [11, bool],
  detail: [12, text],
})

export const invalidTerminatorHostState = defineMessage('InvalidTerminatorHostState', {
  identityId: [1, text],
  serviceId: [2, text],
  message: [3, text],
})

const linkState = enumeration('LinkState', { LinkUnknown: 0, LinkEstablished: 1, LinkPending: 2, LinkDialing: 3 })

const routerLinkDetail = defineMessage('RouterLinkDetail', {
  linkId: [1, text],
  ctrlState: [2, linkState],
  routerState: [3, linkState],
  destConnected: [4, bool],
  isValid: [5, bool],
  destRouterId: [6, text],
  dialed: [7, bool],
  messages: [8, repeated(text)],
})

export const routerLinkDetails = routerDetails('RouterLinkDetails', routerLinkDetail)

export const routerSdkTerminatorsDetails = routerDetails(
  'RouterSdkTerminatorsDetails',
  defineMessage('RouterSdkTerminatorDetail', {
    terminatorId: [1, text],
    ctrlState: [2, terminatorState],
    routerState: [3, text],
    isValid: [4, bool],
    operationActive: [5, bool],
    createTime: [6, text],
    lastAttempt: [7, text],
  }),
)

export const routerErtTerminatorsDetails = routerDetails(
  'RouterErtTerminatorsDetails',
  defineMessage('RouterErtTerminatorDetail', {
    terminatorId: [1, text],
    ctrlState: [2, terminatorState],
    routerState: [3, text],
    isValid: [4, bool],
  }),
)

/** One controller or router: of its data model, or of the connections it reports. */
export const componentDetails = defineMessage('ComponentDetails', {
  componentType: [1, text],
  componentId: [2, text],
  componentName: [3, text],
  validateSuccess: [4, bool],
  errors: [5, repeated(text)],
})

const routerCircuitDetail = defineMessage('RouterCircuitDetail', {
  circuitId: [1, text],
  missingInCtrl: [2, bool],
  missingInForwarder: [3, bool],
  missingInEdge: [4, bool],
  missingInSdk: [5, bool],
  destinations: [6, map(text, text)],
})

export const routerCircuitDetails = defineMessage('RouterCircuitDetails', {
  routerId: [1, text],
  routerName: [2, text],
  validateSuccess: [3, bool],
  message: [4, text],
  /** By circuit id. */
  details: [5, map(text, routerCircuitDetail)],
})

export const controllerDialerDetails = defineMessage('ControllerDialerDetails', {
  componentId: [1, text],
  componentName: [2, text],
  validateSuccess: [3, bool],
  errors: [4, repeated(text)],
})

function routerDetails<T extends AnyMessage>(name: string, detail: T) {
  return defineMessage(name, {
    routerId: [1, text],
    routerName: [2, text],
    validateSuccess: [3, bool],
    message: [4, text],
    details: [5, repeated(detail)],
  })
}

export type ValidatedTerminatorState = NamesOf<typeof terminatorState>
export type ValidatedLinkState = NamesOf<typeof linkState>
export type RouterLinkDetail = MessageOf<typeof routerLinkDetail>
export type TerminatorDetail = MessageOf<typeof terminatorDetail>
