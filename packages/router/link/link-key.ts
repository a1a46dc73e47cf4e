/**
 * What makes two links the same: the interface of the dialer, the protocol, the router at the other end and the
 * interface of the listener. Of two links with one key, one is too many.
 */
export interface LinkKeyParts {
  /** Empty for none. */
  readonly dialerBinding: string
  readonly protocol: string
  readonly routerId: string
  /** Empty for none. */
  readonly listenerBinding: string
}

export function linkKey({ dialerBinding, protocol, routerId, listenerBinding }: LinkKeyParts): string {
  return `${dialerBinding || 'default'}->${protocol}:${routerId}->${listenerBinding || 'default'}`
}
