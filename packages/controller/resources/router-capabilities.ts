/**
 * What routers say they can do: bits of a mask that they report when they connect.
 */
const byBit: Readonly<Record<number, string>> = {
  1: 'MULTI_CHANNEL',
  2: 'CONNECT_V2',
  4: 'SERVICE_SUBSCRIPTIONS',
  5: 'POSTURE_CHECKS',
  6: 'BIND_SUCCESS',
}

/** Every capability that has a name, in the order of their bits. */
export const routerCapabilities: readonly string[] = Object.values(byBit)

/** The named capabilities of a mask, given in decimal digits. */
export function capabilityNames(mask: string): readonly string[] {
  const bits = BigInt(mask)
  return Object.entries(byBit).flatMap(([bit, name]) => (((bits >> BigInt(bit)) & 1n) === 1n ? [name] : []))
}
