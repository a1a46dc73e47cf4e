/**
 * Refreshing: a refresh token is good for one use, and leads to new tokens of the same session.
 *
 * Of two uses at once one wins, because the old token's end is written in the order of all changes. A client whose answer
 * got lost may ask once more within seconds; any later use means that the token is in two hands, and ends the session.
 */
import { putRevocation } from '../../auth/revoke-identity.ts'
import type { TokenClaims } from '../../auth/tokens/claims.ts'
import { asSessionToken } from '../../auth/tokens/token-verifier.ts'
import type { Answer } from '../../operation/operation.ts'
import { secretJson } from './answers.ts'
import { requestingClient } from './clients.ts'
import { formOf, type OidcCall } from './oidc-call.ts'
import { OAuthError } from './oidc-error.ts'
import { bindSession } from './session-binding.ts'
import { continuedClaims } from './session-claims.ts'
import { checkPossession, narrowedScopes, type TokenDeps, tellTokens, tokenAnswer } from './token-answer.ts'

export async function refresh(deps: TokenDeps, call: OidcCall): Promise<Answer> {
  const { verifier, sessionCertificates } = deps
  const clientId = requestingClient(call)
  const form = formOf(call)
  const claims = readRefreshToken(deps, form.get('refresh_token') ?? '')
  if (claims.client_id !== clientId) {
    throw new OAuthError('invalid_grant', 'client_id does not match original grant')
  }
  checkPossession(deps, call, claims)
  const scopes = narrowedScopes(form.get('scope'), claims.scopes)
  const identity = verifier.identityOf(claims)
  if (identity === undefined) throw new OAuthError('invalid_grant', 'refresh token revoked')
  // Only sessions that are bound already get certificates: a token that binds nothing must not be made to lock others out.
  const csr = claims.z_cfs?.length ? form.get('csr_pem') || undefined : undefined
  const bound = bindSession(sessionCertificates, continuedClaims(identity, claims), csr)
  await useUp(deps, claims)
  tellTokens(deps, call, 'refreshed', bound.claims, bound.sessionCert)
  return secretJson(tokenAnswer(deps, call, bound.claims, identity, { ...bound, scopes }))
}

function readRefreshToken({ verifier }: TokenDeps, token: string): TokenClaims {
  const { claims } = verifier.verifySignature(token)
  if (claims === undefined) throw new OAuthError('invalid_grant', 'failed to parse refresh token')
  const refreshing = asSessionToken(claims, 'r')
  if (refreshing === undefined) throw new OAuthError('invalid_grant', 'invalid token type, expected refresh')
  if (verifier.timeProblem(claims) !== undefined) throw new OAuthError('invalid_grant', 'refresh token expired')
  // That the token itself was used before is judged when it is used up.
  const problem = verifier.sessionProblem({ ...refreshing, jti: refreshing.z_asid })
  if (problem !== undefined) throw new OAuthError('invalid_grant', 'refresh token revoked')
  return refreshing
}

async function useUp({ kit, rotated }: TokenDeps, { jti, z_asid }: TokenClaims): Promise<void> {
  const verdict = await kit.writeAsController((change) => {
    if (change.view.get('revocations', z_asid) !== undefined) return 'revoked'
    if (change.view.get('revocations', jti) === undefined) {
      putRevocation(change, jti, 'JTI')
      return 'first use'
    }
    return 'used before'
  })
  if (verdict === 'first use') {
    rotated.used(jti)
    return
  }
  if (verdict === 'used before' && !rotated.mayRetry(jti)) {
    await kit.writeAsController((change) => putRevocation(change, z_asid, 'API_SESSION'))
  } else if (verdict === 'used before') return
  throw new OAuthError('invalid_grant', 'refresh token revoked')
}
