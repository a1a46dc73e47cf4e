/**
 * A primary factor that was accepted, by whichever method, and its refusal.
 */
import type { Certificate } from '@weft/pki'
import { ApiError, type ApiErrorCode } from '../operation/api-error.ts'
import type { View } from '../state/view.ts'

/** Who logged in, and by what. */
export interface Login {
  readonly identityId: string
  /** Of an authenticator; `internal` and `extJwtId:…` where somebody else vouches for the identity. */
  readonly authenticatorId: string
  /** The stored hash for which the password was right. */
  readonly passwordHash?: string | undefined
  /** The certificate that was proven. */
  readonly certificate?: ProvenCertificate
  /** The third-party CA whose certificate names the identity. */
  readonly caId?: string
  /** That certificate: of no authenticator, and good at routers for this session alone. */
  readonly leafOfCa?: Certificate
  /** The external signer whose token names the identity. */
  readonly signerId?: string
}

export interface ProvenCertificate {
  readonly fingerprint: string
  readonly pem: string
  /** Issued by the network, which can therefore renew it. */
  readonly isExtendable: boolean
  /** False if the chain was complete only with intermediates that the client should have sent. */
  readonly isProperChain: boolean
}

/** The authenticator id of a login by a certificate whose CA names the identity. */
export const INTERNAL_AUTHENTICATOR = 'internal'

const SIGNER_PREFIX = 'extJwtId:'

/** The authenticator id of a login by the token of an external signer. */
export function signerAuthenticator(signerId: string): string {
  return `${SIGNER_PREFIX}${signerId}`
}

/** The signer of such an id; undefined for any other. */
export function signerOfAuthenticator(authenticatorId: string): string | undefined {
  return authenticatorId.startsWith(SIGNER_PREFIX) ? authenticatorId.slice(SIGNER_PREFIX.length) : undefined
}

export interface LoginRefusedOptions {
  readonly code?: ApiErrorCode
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Thrown for every refused login; what was wrong goes to the event, not to the caller. */
export class LoginRefused extends ApiError {
  readonly reason: string
  readonly identityId: string | undefined
  readonly authenticatorId: string | undefined
  readonly signerId: string | undefined

  constructor(reason: string, who: Partial<Login> = {}, { code = 'INVALID_AUTH', headers }: LoginRefusedOptions = {}) {
    super(code, headers === undefined ? {} : { headers })
    this.reason = reason
    this.identityId = who.identityId
    this.authenticatorId = who.authenticatorId
    this.signerId = who.signerId
  }
}

/** Whether what vouched for a login still does: it may have been changed or removed while the factor was being checked. */
export function isStillVouchedFor(view: View, login: Login): boolean {
  if (login.signerId !== undefined) return view.get('externalJwtSigners', login.signerId)?.enabled ?? false
  if (login.caId !== undefined) {
    const ca = view.get('cas', login.caId)
    return (ca?.isVerified && ca.isAuthEnabled) ?? false
  }
  const authenticator = view.get('authenticators', login.authenticatorId)
  if (authenticator === undefined) return false
  if (login.passwordHash !== undefined && authenticator.passwordHash !== login.passwordHash) return false
  return login.certificate === undefined || authenticator.certFingerprint === login.certificate.fingerprint
}

/** Whether an administrator has logged in. */
export function isAdmin(view: View, { identityId }: Login): boolean {
  const identity = view.get('identities', identityId)
  return identity !== undefined && (identity.isAdmin || identity.isDefaultAdmin)
}
