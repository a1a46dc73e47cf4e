/**
 * Redeeming a code: the tokens of a login that is complete.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { putRevocation } from '../../auth/revoke-identity.ts'
import type { Answer } from '../../operation/operation.ts'
import type { TableRows } from '../../state/row.ts'
import { secretJson } from './answers.ts'
import type { Grant } from './auth-requests.ts'
import { requestingClient } from './clients.ts'
import { formOf, type OidcCall } from './oidc-call.ts'
import { OAuthError } from './oidc-error.ts'
import { bindSession } from './session-binding.ts'
import { sessionClaims } from './session-claims.ts'
import { type TokenDeps, tellTokens, tokenAnswer } from './token-answer.ts'

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

/** A code is good once, for the client, the redirect URI and the challenge it was made for. */
export async function redeem(deps: TokenDeps, call: OidcCall): Promise<Answer> {
  const clientId = requestingClient(call)
  const form = formOf(call)
  const grant = deps.requests.findGrant(form.get('code') ?? '')
  if (grant === undefined || grant.asked.clientId !== clientId) throw new OAuthError('invalid_grant', 'invalid code')
  if (grant.isRedeemed) {
    await endSessionOf(deps, grant)
    throw new OAuthError('invalid_grant', 'invalid code')
  }
  const verifier = form.get('code_verifier')
  if (!verifier) throw new OAuthError('invalid_request', 'code_verifier required')
  if (form.get('redirect_uri') !== grant.asked.redirectUri) {
    throw new OAuthError('invalid_grant', 'redirect_uri does not correspond')
  }
  if (!answersChallenge(verifier, grant.asked.codeChallenge)) {
    throw new OAuthError('invalid_grant', 'invalid code_verifier')
  }
  const identity = stillWelcome(deps, grant)
  const claims = sessionClaims(deps.kit.view, identity, grant)
  const bound = bindSession(deps.sessionCertificates, claims, grant.passed.csrPem)
  // From here on nothing fails and nothing waits, so no second request can get past the check above.
  grant.isRedeemed = true
  const { nonce } = grant.asked
  tellTokens(deps, call, 'created', bound.claims, bound.sessionCert)
  return secretJson(tokenAnswer(deps, call, bound.claims, identity, { nonce, code: grant.code, ...bound }))
}

/** Whoever logged in may have been disabled or revoked before the code was redeemed. */
function stillWelcome({ verifier }: TokenDeps, { passed, apiSessionId }: Grant): TableRows['identities'] {
  const identity = verifier.identityOf({ sub: passed.identityId })
  if (identity === undefined || verifier.loginProblem({ ...passed, apiSessionId }) !== undefined) {
    throw new OAuthError('invalid_grant', 'the login is no longer valid')
  }
  return identity
}

/** The code has been in other hands: what came of it ends. */
async function endSessionOf({ kit }: TokenDeps, { apiSessionId }: Grant): Promise<void> {
  await kit.writeAsController((change) => putRevocation(change, apiSessionId, 'API_SESSION'))
}

function answersChallenge(verifier: string, challenge: string): boolean {
  if (!VERIFIER.test(verifier)) return false
  const answer = createHash('sha256').update(verifier, 'ascii').digest()
  const expected = Buffer.from(challenge, 'base64url')
  return answer.length === expected.length && timingSafeEqual(answer, expected)
}
