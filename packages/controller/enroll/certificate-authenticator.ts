/** The certificate an identity has enrolled with, written down as its authenticator. */
import { type Certificate, publicKeyPrint } from '@weft/pki'
import { ApiError } from '../operation/api-error.ts'
import type { Change } from '../resource-kit/change.ts'
import { findOne } from '../state/view.ts'

export interface EnrolledCertificate {
  readonly certificate: Certificate
  /** The leaf, alone or followed by those above it. */
  readonly pem: string
  readonly isIssuedByNetwork: boolean
}

export function addCertificate(change: Change, identityId: string, enrolled: EnrolledCertificate): void {
  const { certificate, pem, isIssuedByNetwork } = enrolled
  const { fingerprint } = certificate
  if (isKnownCertificate(change, certificate)) throw new ApiError('CERT_IN_USE', { cause: { data: { fingerprint } } })
  const values = {
    method: 'cert',
    identityId,
    certPem: pem,
    certFingerprint: fingerprint,
    publicKeyPrint: publicKeyPrint(certificate.publicKey),
    isIssuedByNetwork,
  }
  change.create('authenticators', values, { idKind: 'short' })
}

/** One certificate is one identity. */
export function isKnownCertificate({ view }: Change, { fingerprint }: Certificate): boolean {
  return findOne(view, 'authenticators', 'certFingerprint', fingerprint) !== undefined
}
