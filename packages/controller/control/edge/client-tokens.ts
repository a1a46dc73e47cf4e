/**
 * Who a router's client is, by the tokens that the client has shown to the router. A router says nothing of identities
 * that counts: each token is verified here, with its time and all three kinds of revocation.
 */
import { isDisabled } from '../../auth/disabled.ts'
import type { NetworkTokens } from '../../auth/tokens/network-tokens.ts'
import type { ShownToken } from '../../auth/tokens/token-times.ts'
import { asSessionToken, type TokenVerifier } from '../../auth/tokens/token-verifier.ts'
import type { Clock } from '../../clock.ts'
import { findOne, type View } from '../../state/view.ts'
import { isComplete } from '../sessions/session-record.ts'
import { EdgeRefusal } from './edge-refusal.ts'

export interface ClientTokenDeps {
  readonly view: View
  readonly verifier: TokenVerifier
  readonly tokens: NetworkTokens
  readonly clock: Pick<Clock, 'now'>
}

/** An authenticated client. */
export interface Client {
  readonly identityId: string
  readonly apiSessionId: string
  /** Its access token, if it has one. */
  readonly token?: ShownToken
}

/** A client with the right to dial or host a service. */
export interface ClientSession extends Client {
  readonly sessionId: string
  readonly serviceId: string
  readonly type: 'Dial' | 'Bind'
}

/** More than any token of ours; longer ones are not parsed, and nothing is stored under them. */
const LONGEST_TOKEN = 16_384

/** Every JSON object in base64 begins so. */
const JWT_START = 'ey'

/** Whoever dials without a session for the service has an access token: it is judged as a whole, here and by routers. */
export function bearerOf(deps: ClientTokenDeps, accessToken: string): Client {
  if (!isJwt(accessToken)) throw noApiSession('the token is no access token')
  return verifiedBearer(deps, accessToken)
}

/** The session of a service token that belongs to the API session of the other token. */
export function sessionOf(deps: ClientTokenDeps, apiSessionToken: string, sessionToken: string): ClientSession {
  const isBearer = isJwt(apiSessionToken)
  const client = isBearer ? verifiedBearer(deps, apiSessionToken) : storedOf(deps, apiSessionToken)
  const session = isJwt(sessionToken) ? signedSession(deps, sessionToken, isBearer) : storedSession(deps, sessionToken)
  if (session.apiSessionId !== client.apiSessionId || session.identityId !== client.identityId) {
    throw new EdgeRefusal('invalidSession', 'the session is of another client')
  }
  return { ...session, ...client }
}

function verifiedBearer({ verifier }: ClientTokenDeps, token: string): Client {
  const { claims } = verifier.verifySignature(token)
  const access = claims === undefined ? undefined : asSessionToken(claims, 'a')
  if (claims === undefined || access === undefined) throw noApiSession('the access token is not of this network')
  if (verifier.timeProblem(claims) !== undefined) throw noApiSession('the access token is not in its time')
  const problem = verifier.sessionProblem(access)
  if (problem !== undefined) throw noApiSession(`the access token: ${problem}`)
  const { sub: identityId, z_asid: apiSessionId, jti: id, iat: issuedAt, exp: endsAt } = access
  return { identityId, apiSessionId, token: { id, issuedAt, endsAt } }
}

function storedOf({ view, clock }: ClientTokenDeps, token: string): Client {
  const session = findOne(view, 'apiSessions', 'token', token)
  if (session === undefined) throw noApiSession('the API session does not exist')
  const identity = view.get('identities', session.identityId)
  if (identity === undefined || isDisabled(identity, clock.now())) throw noApiSession('its identity is disabled')
  if (!isComplete(view, session)) throw noApiSession('the API session is not fully authenticated')
  return { identityId: session.identityId, apiSessionId: session.id }
}

/** A signed session of a stored API session is stored too, and ends with its row; that of an access token ends with it. */
function signedSession(deps: ClientTokenDeps, token: string, isBearer: boolean): ClientSession {
  const said = deps.tokens.readServiceSession(token)
  if (said === undefined) throw new EdgeRefusal('invalidSession', 'the session token is not valid')
  if (said.isLegacy !== !isBearer) throw new EdgeRefusal('invalidSession', 'the session is of another kind')
  if (said.isLegacy) return storedSession(deps, said.id)
  const { id: sessionId, serviceId, apiSessionId, identityId, type } = said
  return { sessionId, serviceId, apiSessionId, identityId, type }
}

function storedSession({ view }: ClientTokenDeps, id: string): ClientSession {
  const session = view.get('sessions', id)
  if (session === undefined) throw new EdgeRefusal('invalidSession', 'the session does not exist')
  const { serviceId, apiSessionId, identityId, type } = session
  return { sessionId: id, serviceId, apiSessionId, identityId, type }
}

function isJwt(token: string): boolean {
  return token.length <= LONGEST_TOKEN && token.startsWith(JWT_START)
}

function noApiSession(why: string): EdgeRefusal {
  return new EdgeRefusal('invalidApiSession', why)
}
