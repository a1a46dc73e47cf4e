/**
 * What the two ends of a channel can do, as the places of bits in a mask. Shared capabilities count up from 1, those
 * that only controllers and routers know count down from the 64th bit.
 */

/** Said by a controller to its routers. */
export const controllerCapability = {
  createTerminatorV2: 1,
  /** Only the router that dialed a link reports it. */
  singleRouterLinkSource: 2,
  createCircuitV2: 3,
  routerDataModel: 4,
  groupedCtrlChan: 5,
  /** Service sessions are JWTs, also the legacy ones. Routers of 2.0 and later insist on it. */
  jwtLegacySessions: 6,
} as const

/** Said by a router to controllers and SDKs. */
export const routerCapability = {
  /** Uses the header numbers from 1000 on, and groups. */
  multiChannel: 1,
  connectV2: 2,
  serviceSubscriptions: 4,
  postureChecks: 5,
  bindSuccess: 6,
  routerDataModel: 62,
} as const

/** The mask with these bits set. */
export function capabilityMask(bits: Iterable<number>): bigint {
  let mask = 0n
  for (const bit of bits) mask |= 1n << BigInt(bit)
  return mask
}

export function hasCapability(mask: bigint | undefined, bit: number): boolean {
  return mask !== undefined && ((mask >> BigInt(bit)) & 1n) === 1n
}
