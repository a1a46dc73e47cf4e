/**
 * The beginning and the end of a login: from a client's request to the login page, and back to the client with a code.
 *
 * Only clients with a challenge (PKCE, S256) get anywhere, and errors go to a redirect URI only once it is known to be the
 * client's.
 */
import type { Answer } from '../../operation/operation.ts'
import { plain, redirect } from './answers.ts'
import type { Authorization, AuthRequests } from './auth-requests.ts'
import { isClient } from './clients.ts'
import { paths } from './discovery.ts'
import type { LoginSteps } from './login-steps.ts'
import { type OidcCall, parameter } from './oidc-call.ts'
import { OAuthError } from './oidc-error.ts'
import { isRegistered, withParameters } from './redirect-uris.ts'

export interface AuthorizeDeps {
  readonly requests: AuthRequests
  readonly steps: LoginSteps
  /** Where logins may return to at this moment. */
  readonly redirectUris: () => Iterable<string>
}

/** Descriptions are those of the peers, word for word. */
const WHOM_TO_ASK = 'If you have any questions, you may contact the administrator of the application.'
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
const LONGEST_URI = 2_048
const LONGEST_TEXT = 4_096
const MOST_CONFIG_TYPES = 1_000
const scopesKnown: ReadonlySet<string> = new Set(['openid', 'profile', 'email', 'phone', 'address', 'offline_access'])

export function authorize(deps: AuthorizeDeps, call: OidcCall): Answer {
  const asked = readAuthorization(deps, call)
  const prompt = parameter(call, 'prompt')
  if (prompt?.split(' ').includes('none')) {
    return redirect(withParameters(asked.redirectUri, { error: 'login_required', state: asked.state }))
  }
  const { id } = deps.requests.open(asked)
  return redirect(withParameters(`/oidc${loginPage(call)}`, { authRequestID: id }))
}

function readAuthorization({ redirectUris }: AuthorizeDeps, call: OidcCall): Authorization {
  const clientId = parameter(call, 'client_id')
  if (clientId === undefined) throw new OAuthError('invalid_request', 'auth request is missing client_id')
  if (!isClient(clientId)) throw new OAuthError('invalid_client', 'client not found')
  const redirectUri = parameter(call, 'redirect_uri')
  if (redirectUri === undefined) throw new OAuthError('invalid_request', 'auth request is missing redirect_uri')
  if (redirectUri.length > LONGEST_URI || !isRegistered(redirectUri, redirectUris())) {
    throw new OAuthError(
      'invalid_request',
      `The requested redirect_uri is missing in the client configuration. ${WHOM_TO_ASK}`,
    )
  }
  const scopes = (parameter(call, 'scope') ?? '').split(' ').filter((scope) => scope !== '')
  if (scopes.length === 0)
    throw new OAuthError(
      'invalid_request',
      `The scope of your request is missing. Please ensure some scopes are requested. ${WHOM_TO_ASK}`,
    )
  if (parameter(call, 'response_type') !== 'code') {
    throw new OAuthError(
      'unauthorized_client',
      `The requested response type is missing in the client configuration. ${WHOM_TO_ASK}`,
    )
  }
  const codeChallenge = parameter(call, 'code_challenge') ?? ''
  if (parameter(call, 'code_challenge_method') !== 'S256' || !CHALLENGE.test(codeChallenge)) {
    throw new OAuthError('invalid_request', 'a code_challenge of method S256 is required')
  }
  return {
    clientId,
    redirectUri,
    scopes: [...new Set(scopes)].filter((scope) => scopesKnown.has(scope)),
    state: bounded(call, 'state'),
    nonce: bounded(call, 'nonce'),
    codeChallenge,
    configTypes: call.http.query.getAll('configTypes').slice(0, MOST_CONFIG_TYPES),
    remote: call.remote,
  }
}

function bounded(call: OidcCall, name: string): string | undefined {
  const value = parameter(call, name)
  if (value !== undefined && value.length > LONGEST_TEXT) throw new OAuthError('invalid_request', `${name} is too long`)
  return value
}

/** As the client asks; else by certificate if the connection has one, else by name and password. */
function loginPage({ http }: OidcCall): string {
  const method = http.query.get('method')
  if (method === 'cert') return paths.loginCert
  if (method === 'ext-jwt') return paths.loginExtJwt
  return method === null && http.clientCertificates().length > 0 ? paths.loginCert : paths.loginUsername
}

/** The way back to the client, with a code if all factors were shown. */
export function callback({ requests, steps }: AuthorizeDeps, call: OidcCall): Answer {
  const id = call.http.query.get('id')
  if (!id) return plain(400, 'auth request callback is missing id\n')
  const request = requests.find(id)
  if (request === undefined) return plain(400, 'request not found\n')
  const { redirectUri, state } = request.asked
  const { passed } = request
  if (passed === undefined || steps.outstanding(passed).length > 0) {
    const error_description = 'Unfortunately, the user may be not logged in and/or additional interaction is required.'
    return redirect(withParameters(redirectUri, { error: 'interaction_required', error_description, state }))
  }
  const { code } = requests.complete(request, passed)
  return redirect(withParameters(redirectUri, { code, state }))
}
