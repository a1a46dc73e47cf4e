/**
 * What a session still owes before it counts as fully authenticated: the auth queries of its answers.
 *
 * A verified TOTP enrollment or the auth policy may ask for a code; the policy may ask for a second token from an external
 * signer, which must come with every request: whether it has come is for the caller to say.
 */
import type { View } from '../state/view.ts'

/** One factor that is asked for. Members without a value are left out. */
export interface AuthQuery {
  readonly typeId: 'MFA' | 'EXT-JWT'
  readonly provider: 'ziti' | 'url'
  readonly [member: string]: unknown
}

const totpQuery: AuthQuery = {
  typeId: 'MFA',
  provider: 'ziti',
  format: 'alphaNumeric',
  minLength: 4,
  maxLength: 6,
  httpMethod: 'POST',
  httpUrl: './authenticate/mfa',
  scopes: null,
}

export interface FactorState {
  readonly identityId: string
  readonly isMfaRequired: boolean
  readonly isMfaComplete: boolean
}

/** The signer whose token must accompany every request of an identity. */
export function requiredSignerId(view: View, identityId: string): string | undefined {
  const identity = view.get('identities', identityId)
  return (identity && view.get('authPolicies', identity.authPolicyId)?.secondary.requireExtJwtSigner) || undefined
}

/** `confirmedBy` is the signer whose token has come with the request and names the identity of the session. */
export function outstandingFactors(view: View, session: FactorState, confirmedBy?: string): readonly AuthQuery[] {
  const identity = view.get('identities', session.identityId)
  const policy = identity && view.get('authPolicies', identity.authPolicyId)
  // Without its policy nobody knows what would be enough.
  if (policy === undefined) return [totpQuery]
  const queries: AuthQuery[] = []
  if ((session.isMfaRequired || policy.secondary.requireTotp) && !session.isMfaComplete) queries.push(totpQuery)
  const { requireExtJwtSigner: signerId } = policy.secondary
  if (signerId && signerId !== confirmedBy) queries.push(signerQuery(view, signerId))
  return queries
}

function signerQuery(view: View, id: string): AuthQuery {
  const signer = view.get('externalJwtSigners', id)
  const scopes = signer?.scopes ?? []
  return {
    typeId: 'EXT-JWT',
    provider: 'url',
    id,
    ...(signer?.externalAuthUrl && { httpUrl: signer.externalAuthUrl }),
    ...(signer?.clientId && { clientId: signer.clientId }),
    scopes: scopes.length === 0 ? null : scopes,
  }
}
