/**
 * What the two ends of a circuit tell each other while it is made: bytes by number. The numbers are those of the wire.
 */
export type PeerData = ReadonlyMap<number, Uint8Array>

export const peerDataKeys = {
  publicKey: 1003,
  terminatorLocalAddress: 1110,
  terminatorRemoteAddress: 1111,
  initiatorLocalAddress: 1112,
  initiatorRemoteAddress: 1113,
  stickinessToken: 1114,
} as const

/** Entries that fit into a header of an answer, and bytes of each. */
export const peerDataLimits = { entries: 128, valueBytes: 8_192 } as const

/** Keys below are headers of every message, 1101 to 1104 those of a route result: neither was meant for the other end. */
const FIRST_KEY = 1_000
const FIRST_RESULT_KEY = 1_101
const LAST_RESULT_KEY = 1_104

const addressKeys: ReadonlySet<number> = new Set([
  peerDataKeys.initiatorLocalAddress,
  peerDataKeys.initiatorRemoteAddress,
  peerDataKeys.terminatorLocalAddress,
  peerDataKeys.terminatorRemoteAddress,
])

/**
 * What the initiator is told: what stands at the terminator, over it what its host answered, over that what the strategy
 * adds. Addresses are kept back, they are for events alone; so is what exceeds the limits of a header.
 */
export function answeredPeerData(...parts: readonly PeerData[]): PeerData {
  const merged = new Map<number, Uint8Array>()
  for (const part of parts) {
    for (const [key, value] of part) {
      if (!isForTheOtherEnd(key) || value.length > peerDataLimits.valueBytes) continue
      if (merged.size < peerDataLimits.entries || merged.has(key)) merged.set(key, value)
    }
  }
  return merged
}

function isForTheOtherEnd(key: number): boolean {
  if (key < FIRST_KEY || addressKeys.has(key)) return false
  return key < FIRST_RESULT_KEY || key > LAST_RESULT_KEY
}

/** A value that is text; empty where there is none. */
export function peerText(data: PeerData, key: number): string {
  const value = data.get(key)
  return value === undefined ? '' : Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8')
}

/** Peer data as a row keeps it: base64 by number. */
export type StoredPeerData = Readonly<Record<string, string>>

export function readPeerData(stored: StoredPeerData | undefined): PeerData {
  return new Map(Object.entries(stored ?? {}).map(([key, value]) => [Number(key), Buffer.from(value, 'base64')]))
}

export function storePeerData(data: PeerData): StoredPeerData {
  return Object.fromEntries(data.entries().map(([key, value]) => [String(key), Buffer.from(value).toString('base64')]))
}
