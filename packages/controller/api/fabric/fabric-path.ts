/** Where the fabric API is found. */
export const FABRIC_BASE = '/fabric/v1'
