/**
 * Which public keys and signatures are good enough to carry trust.
 *
 * The upper RSA bound is about cost, not strength: checking one signature of an oversized key takes as long as
 * thousands of ordinary ones. A curve must be named, because a key that brings its own parameters can be made to match.
 */
import type { KeyObject } from 'node:crypto'

const minRsaBits = 2048
const maxRsaBits = 8192
/** What the Go peers read at most; every signature check would take as long as signing does under a larger one. */
const maxRsaExponent = 2n ** 31n - 1n
const curves = new Set(['prime256v1', 'secp384r1', 'secp521r1'])

/** SHA-2 under RSA (PKCS#1 and PSS), ECDSA, and Ed25519. */
const signatureAlgorithms = new Set([
  '1.2.840.113549.1.1.11',
  '1.2.840.113549.1.1.12',
  '1.2.840.113549.1.1.13',
  '1.2.840.113549.1.1.10',
  '1.2.840.10045.4.3.2',
  '1.2.840.10045.4.3.3',
  '1.2.840.10045.4.3.4',
  '1.3.101.112',
])

/** Undefined if the key will do, else what is wrong with it. */
export function keyWeakness(key: KeyObject): string | undefined {
  const details = key.asymmetricKeyDetails ?? {}
  switch (key.asymmetricKeyType) {
    case 'rsa':
    case 'rsa-pss': {
      const bits = details.modulusLength ?? 0
      if (bits < minRsaBits || bits > maxRsaBits) {
        return `an RSA key of ${bits} bits (from ${minRsaBits} to ${maxRsaBits} are accepted)`
      }
      const exponent = details.publicExponent ?? 0n
      return exponent < 3n || exponent > maxRsaExponent || exponent % 2n === 0n
        ? 'an RSA key with an unusual public exponent'
        : undefined
    }
    case 'ec':
      return curves.has(details.namedCurve ?? '') ? undefined : 'an EC key that is not on P-256, P-384 or P-521'
    case 'ed25519':
      return undefined
    default:
      return `a key of type ${key.asymmetricKeyType}`
  }
}

/** Whether the signature algorithm, given by object identifier, is one that still means something. */
export function isStrongSignature(algorithmId: string | undefined): boolean {
  return algorithmId !== undefined && signatureAlgorithms.has(algorithmId)
}
