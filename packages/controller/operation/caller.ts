/**
 * Who is calling, as established from a verified token, never from what the request says of itself.
 *
 * A caller is either nobody, someone whose second factor is outstanding, or someone fully authenticated. Stored grants
 * and the admin flag count only in the last case.
 */
export interface Caller {
  readonly kind: 'nobody' | 'partial' | 'full'
  readonly identityId: string
  readonly identityName: string
  readonly isAdmin: boolean
  readonly grants: ReadonlySet<string>
  /** The API session behind the token; undefined for nobody. */
  readonly sessionId: string | undefined
  /** The external signer whose token came with this request as a second factor and names the same identity. */
  readonly confirmedBy?: string | undefined
  /** Of a caller who came with an access token; nothing of such a session is stored. */
  readonly bearer?: BearerSession
}

/** What an access token says of its session. Times are in milliseconds. */
export interface BearerSession {
  readonly sessionId: string
  readonly identityId: string
  readonly token: string
  readonly tokenId: string
  readonly issuedAt: number
  readonly expiresAt: number
  readonly audience: readonly string[]
  readonly authenticatorId: string
  readonly configTypes: readonly string[]
  /** Host and port from which the login was started. */
  readonly remoteAddress: string
  /** True if the login that the token goes back to has presented a TOTP code. */
  readonly isMfaComplete: boolean
  readonly isCertExtendable: boolean
  readonly isCertExtendRequested: boolean
  readonly isCertKeyRollRequested: boolean
  readonly improperClientCertChain: boolean
}

export const nobody: Caller = {
  kind: 'nobody',
  identityId: '',
  identityName: '',
  isAdmin: false,
  grants: new Set(),
  sessionId: undefined,
}
