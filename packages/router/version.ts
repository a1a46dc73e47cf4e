/**
 * The version the network knows a router by. Peers choose their protocol by it, so it is that of the network we are
 * compatible with; Weft's own version is what `weft --version` says.
 */
export const networkVersion = 'v2.1.0'
