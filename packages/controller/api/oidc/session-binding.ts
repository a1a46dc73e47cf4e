/**
 * Certificates for sessions: a client without one of its own sends a request at login, and its tokens are bound to what it
 * gets. Whoever is bound already may replace the session's certificate, after proving one of those that bind.
 */
import { randomBytes } from 'node:crypto'
import { leafLifetime } from '@weft/pki'
import type { SessionClaims } from '../../auth/tokens/claims.ts'
import type { SessionCertificateIssuer } from '../../enroll/network-signer.ts'
import { ApiError } from '../../operation/api-error.ts'
import { OAuthError } from './oidc-error.ts'

export interface BoundSession {
  readonly claims: SessionClaims
  /** PEM, leaf first; undefined when no certificate was issued. */
  readonly sessionCert: string | undefined
}

/** Binds a session to a new certificate besides the one that authenticated it, in place of a former session certificate. */
export function bindSession(
  issuer: SessionCertificateIssuer,
  claims: SessionClaims,
  csr: string | undefined,
): BoundSession {
  if (csr === undefined) return { claims, sessionCert: undefined }
  const { certificate, chainPem: sessionCert } = issue(issuer, claims, csr)
  const kept = claims.z_acf === undefined ? [] : [claims.z_acf]
  return { claims: { ...claims, z_cfs: [...kept, certificate.fingerprint] }, sessionCert }
}

function issue(issuer: SessionCertificateIssuer, { sub, z_asid }: SessionClaims, csr: string) {
  const certificateId = randomBytes(9).toString('hex')
  try {
    return issuer.issueSessionCertificate({
      csr,
      identityId: sub,
      apiSessionId: z_asid,
      certificateId,
      lifetime: leafLifetime,
    })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new OAuthError('invalid_request', `invalid CSR: ${error.message}`)
  }
}
