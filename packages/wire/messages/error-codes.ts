/** Why a circuit, terminator or session was refused, as said between controller, router and SDK. */

/** What went wrong. */
export const edgeErrorCode = {
  internal: 1,
  invalidApiSession: 2,
  invalidSession: 3,
  wrongSessionType: 4,
  invalidEdgeRouterForSession: 5,
  invalidService: 6,
  tunnelingNotEnabled: 7,
  invalidTerminator: 8,
  invalidPrecedence: 9,
  invalidCost: 10,
  encryptionDataMissing: 11,
  invalidApiSessionType: 12,
  invalidInstanceId: 13,
  accessDenied: 14,
  postureCheckFailed: 15,
} as const

/** What the refused one may do about it. */
export const retryHint = { default: 0, tooBusy: 1, startOver: 2, notRetriable: 3 } as const

/** Why a router could not reach a terminator. */
export const routeErrorCode = {
  generic: 0,
  invalidTerminator: 1,
  misconfiguredTerminator: 2,
  dialTimedOut: 3,
  connectionRefused: 4,
  rejectedByApplication: 5,
  dnsResolutionFailed: 6,
  portNotAllowed: 7,
  invalidLinkDestination: 8,
  resourcesNotAvailable: 9,
} as const

/** The error code of a Result: come back later. */
export const resultErrorRateLimited = 1

export type EdgeErrorCode = (typeof edgeErrorCode)[keyof typeof edgeErrorCode]
export type RetryHint = (typeof retryHint)[keyof typeof retryHint]
export type RouteErrorCode = (typeof routeErrorCode)[keyof typeof routeErrorCode]
