/**
 * A JSON Web Key Set (RFC 7517) as far as it holds keys that verify signatures. Keys that are for something else, that
 * cannot be read or that nobody could name are left out: a set may hold kinds of keys that are newer than its reader.
 */
import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'

/** One key of a signer. */
export interface VerificationKey {
  readonly key: KeyObject
  /** The only algorithm it may be used with, where the set says so. */
  readonly algorithm: string | undefined
}

/** Keys by their id; several may share one. */
export type KeySet = ReadonlyMap<string, readonly VerificationKey[]>

const MOST_KEYS = 100

/** Undefined for what is no key set. */
export function readKeySet(document: unknown): KeySet | undefined {
  const list = isObject(document) ? document['keys'] : undefined
  if (!Array.isArray(list)) return undefined
  const keys = new Map<string, VerificationKey[]>()
  for (const entry of list.slice(0, MOST_KEYS)) {
    if (!isObject(entry) || !isForSignatures(entry)) continue
    const { kid, alg } = entry
    const key = publicKeyOf(entry)
    if (typeof kid !== 'string' || kid === '' || key === undefined) continue
    const algorithm = typeof alg === 'string' ? alg : undefined
    keys.set(kid, [...(keys.get(kid) ?? []), { key, algorithm }])
  }
  return keys
}

function isForSignatures({ use, key_ops: operations }: Readonly<Record<string, unknown>>): boolean {
  if (use !== undefined && use !== 'sig') return false
  return !Array.isArray(operations) || operations.includes('verify')
}

/** From the certificate where there is one, which must be about the very key that stands beside it. */
function publicKeyOf(entry: Readonly<Record<string, unknown>>): KeyObject | undefined {
  const { kty, x5c } = entry
  if (kty !== 'RSA' && kty !== 'EC' && kty !== 'OKP') return undefined
  try {
    const [leaf] = Array.isArray(x5c) ? (x5c as readonly unknown[]) : []
    const certified = typeof leaf === 'string' ? new X509Certificate(Buffer.from(leaf, 'base64')).publicKey : undefined
    const isWritten = entry['n'] !== undefined || entry['x'] !== undefined
    const written = isWritten ? createPublicKey({ key: publicMembers(entry), format: 'jwk' }) : undefined
    if (certified !== undefined && written !== undefined && !certified.equals(written)) return undefined
    return certified ?? written
  } catch {
    // Whatever the platform cannot read is a key that nothing can be verified with.
    return undefined
  }
}

/** A private key that somebody has published by mistake is not taken in. */
function publicMembers({ kty, n, e, crv, x, y }: Readonly<Record<string, unknown>>) {
  return JSON.parse(JSON.stringify({ kty, n, e, crv, x, y }))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
