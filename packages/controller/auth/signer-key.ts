/** The one key of a signer that is known by its certificate, under the name that the signer's tokens call it by. */
import { type Certificate, parseLeafCertificate } from '@weft/pki'
import type { TableRows } from '../state/row.ts'
import type { VerificationKey } from './key-set.ts'

type Signer = TableRows['externalJwtSigners']

/** Parsed once per version of a row. */
const certificates = new WeakMap<Signer, Certificate>()

export interface SignerKey extends VerificationKey {
  readonly keyId: string
}

export function signerKey(signer: Signer): SignerKey | undefined {
  if (signer.certPem === null) return undefined
  let certificate = certificates.get(signer)
  if (certificate === undefined) {
    certificate = parseLeafCertificate(signer.certPem)
    certificates.set(signer, certificate)
  }
  return { key: certificate.publicKey, algorithm: undefined, keyId: signer.kid || certificate.fingerprint }
}
