/**
 * What all grants of the token endpoint share: the tokens they answer with, and what they ask of the one who asks.
 */
import type { SessionClaims, TokenClaims } from '../../auth/tokens/claims.ts'
import { type ProofDeps, provesPossession } from '../../auth/tokens/proof-of-possession.ts'
import type { TokenIssuer } from '../../auth/tokens/token-issuer.ts'
import type { TokenVerifier } from '../../auth/tokens/token-verifier.ts'
import type { Clock } from '../../clock.ts'
import type { SessionCertificateIssuer } from '../../enroll/network-signer.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import type { TableRows } from '../../state/row.ts'
import type { TokensEvent } from '../login-event.ts'
import type { AuthRequests } from './auth-requests.ts'
import type { OidcCall } from './oidc-call.ts'
import { OAuthError } from './oidc-error.ts'
import type { RotatedTokens } from './rotated-tokens.ts'

export interface TokenDeps extends ProofDeps {
  readonly kit: Kit
  readonly clock: Clock
  readonly requests: AuthRequests
  readonly verifier: TokenVerifier
  readonly tokens: TokenIssuer
  readonly rotated: RotatedTokens
  readonly sessionCertificates: SessionCertificateIssuer
  readonly onTokens: (event: TokensEvent) => void
}

/** What an answer holds besides the tokens of the session. */
interface AnswerDetails {
  readonly nonce?: string | undefined
  readonly code?: string
  readonly sessionCert: string | undefined
  /** Of the access token, where they are fewer than those of the session; a refresh token always keeps them all. */
  readonly scopes?: readonly string[]
}

/** The tokens of a session, as the code and refresh grants answer with them. */
export function tokenAnswer(
  { tokens }: TokenDeps,
  { issuer }: OidcCall,
  session: SessionClaims,
  identity: TableRows['identities'],
  { nonce, code, sessionCert, scopes = session.scopes }: AnswerDetails,
) {
  const claims = { ...session, scopes }
  const access = tokens.access(issuer, claims)
  return {
    access_token: access.token,
    token_type: 'Bearer',
    ...(session.scopes.includes('offline_access') && { refresh_token: tokens.refresh(issuer, session).token }),
    expires_in: access.expiresIn,
    id_token: tokens.id(issuer, claims, { identity, nonce, accessToken: access.token, code }),
    scope: scopes.join(' '),
    ...(sessionCert !== undefined && { session_cert: sessionCert }),
  }
}

/** Tells that a session got tokens. */
export function tellTokens(
  { onTokens }: TokenDeps,
  { http }: OidcCall,
  type: TokensEvent['type'],
  { sub: identityId, z_asid: apiSessionId }: Pick<SessionClaims, 'sub' | 'z_asid'>,
  sessionCert: string | undefined,
): void {
  const { remoteAddress } = http
  onTokens({ type, identityId, apiSessionId, remoteAddress, isCertGenerated: sessionCert !== undefined })
}

/** Throws unless the connection proves a certificate that the token is bound to. */
export function checkPossession(deps: TokenDeps, { http }: OidcCall, claims: TokenClaims): void {
  if (provesPossession(deps, claims, http.clientCertificates(), deps.clock.now())) return
  throw new OAuthError('access_denied', 'peer certificate fingerprint does not match token')
}

/** The scopes that are asked for, at most those granted before; all of these when none are named. */
export function narrowedScopes(asked: string | null, granted: readonly string[]): readonly string[] {
  const wanted = (asked ?? '').split(' ').filter((scope) => scope !== '')
  if (wanted.length === 0) return granted
  if (wanted.some((scope) => !granted.includes(scope))) {
    throw new OAuthError('invalid_scope', 'a scope was not granted to this session')
  }
  return wanted
}
