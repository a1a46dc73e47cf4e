/** Keys of peer data: what one end of a circuit tells the other, through router and controller. */
export const peerDataKey = {
  publicKey: 1003,
  callerId: 1008,
  appData: 1011,
  connectionMarker: 1025,
  terminatorLocalAddress: 1110,
  terminatorRemoteAddress: 1111,
  initiatorLocalAddress: 1112,
  initiatorRemoteAddress: 1113,
  /** The id of the terminator to come back to. */
  stickinessToken: 1114,
  /** Set by the router that has authenticated the dialer. */
  dialerIdentityId: 1115,
  dialerIdentityName: 1116,
} as const
