/**
 * What is asked about tokens, and their end: user information, revocation, logout.
 */
import { putRevocation } from '../../auth/revoke-identity.ts'
import type { OwnAccessTokens } from '../../auth/tokens/access-tokens.ts'
import { asSessionToken, type TokenVerifier } from '../../auth/tokens/token-verifier.ts'
import type { Answer } from '../../operation/operation.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { json, redirect } from './answers.ts'
import { requestingClient } from './clients.ts'
import { paths } from './discovery.ts'
import { formOf, type OidcCall, parameter } from './oidc-call.ts'
import { OAuthError } from './oidc-error.ts'
import { isRegistered, withParameters } from './redirect-uris.ts'
import type { RotatedTokens } from './rotated-tokens.ts'

export interface SessionEndDeps {
  readonly kit: Kit
  readonly verifier: TokenVerifier
  readonly accessTokens: OwnAccessTokens
  readonly rotated: RotatedTokens
  /** Where logouts may return to at this moment. */
  readonly logoutUris: () => Iterable<string>
}

const BEARER = 'Bearer '

export function userinfo({ kit, accessTokens }: SessionEndDeps, { http }: OidcCall): Answer {
  const header = http.header('authorization')
  if (header === undefined || !header.startsWith(BEARER)) {
    if (http.method === 'POST') throw new OAuthError('server_error', 'no auth header', 403)
    throw new OAuthError('invalid_request', 'access token missing', 401)
  }
  const verdict = accessTokens.verify(header.slice(BEARER.length).trim(), http)
  if (typeof verdict === 'string') throw new OAuthError('access_denied', 'access token invalid', 401)
  const identity = kit.view.get('identities', verdict.identityId)
  return json({ sub: verdict.identityId, name: identity?.name ?? '' })
}

/**
 * Ends a token of the client's own (RFC 7009). A refresh token takes all tokens of its session with it; what is no token
 * has ended already.
 */
export async function revoke({ kit, verifier, rotated }: SessionEndDeps, call: OidcCall): Promise<Answer> {
  const clientId = requestingClient(call)
  const token = formOf(call).get('token')
  if (!token) throw new OAuthError('invalid_request', 'token missing')
  const { claims } = verifier.verifySignature(token)
  const refresh = claims && asSessionToken(claims, 'r')
  const session = refresh ?? (claims && asSessionToken(claims, 'a'))
  if (session !== undefined && session.client_id === clientId) {
    rotated.forget(session.jti)
    await kit.writeAsController((change) => {
      if (refresh === undefined) putRevocation(change, session.jti, 'JTI')
      else putRevocation(change, session.z_asid, 'API_SESSION')
    })
  }
  return { status: 200, body: undefined }
}

/** Logs out the session of an ID token, whether that has expired or not, and sends the person on. */
export async function endSession({ kit, verifier, logoutUris }: SessionEndDeps, call: OidcCall): Promise<Answer> {
  const hint = parameter(call, 'id_token_hint')
  const uri = parameter(call, 'post_logout_redirect_uri')
  const claims = hint === undefined ? undefined : verifier.verifySignature(hint).claims
  const sessionId = claims?.['z_t'] === undefined ? claims?.['z_asid'] : undefined
  if (hint !== undefined && typeof sessionId !== 'string')
    throw new OAuthError('invalid_request', 'id_token_hint invalid')
  const clientId = parameter(call, 'client_id')
  if (claims !== undefined && clientId !== undefined && claims['client_id'] !== clientId) {
    throw new OAuthError('invalid_request', 'client_id does not match id_token_hint')
  }
  // Without a hint nobody knows whose registration to look at.
  if (uri !== undefined && (hint === undefined || !isRegistered(uri, logoutUris()))) {
    throw new OAuthError('invalid_request', 'post_logout_redirect_uri invalid')
  }
  if (typeof sessionId === 'string') {
    await kit.writeAsController((change) => putRevocation(change, sessionId, 'API_SESSION'))
  }
  const state = parameter(call, 'state')
  return redirect(uri === undefined ? `/oidc${paths.loggedOut}` : withParameters(uri, { state }))
}

/** Clients have no secret by which they could prove themselves, so nobody may ask about tokens of others. */
export function introspect(call: OidcCall): never {
  requestingClient(call)
  throw new OAuthError('invalid_client', 'client must be authenticated')
}

export function refuseDevice(): never {
  throw new OAuthError('unauthorized_client', 'device authorization is not offered')
}
