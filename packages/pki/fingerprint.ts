/**
 * The two prints by which peers name certificates and keys. They are names, not proofs: SHA-1 is what every peer
 * stores and sends for certificates, and trust always comes from a verified chain.
 */
import { createHash, type KeyObject } from 'node:crypto'

/** Lower-case hex SHA-1 of a certificate's DER: authenticators, `kid`, router records. */
export function certificateFingerprint(der: Uint8Array): string {
  return createHash('sha1').update(der).digest('hex')
}

/** Lower-case hex SHA-256 of a public key's SubjectPublicKeyInfo: router key tables. */
export function publicKeyPrint(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
}
