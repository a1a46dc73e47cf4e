/**
 * What resolving a caller needs to know of access tokens. The OIDC provider signs and verifies them; a controller without
 * one accepts none.
 */
import type { BearerSession } from '../operation/caller.ts'
import type { Call } from '../operation/operation.ts'

/** The session that an accepted access token stands for; no row of the table of API sessions. */
export type TokenSession = BearerSession

/**
 * `foreign`: none of the network's controllers has signed it as an access token, so somebody else may have. `malformed`: it
 * is no token at all.
 */
export type AccessTokenVerdict = TokenSession | 'foreign' | 'malformed' | 'invalid' | 'expired'

export interface AccessTokens {
  /** Judges one bearer token of a request, with the certificate of its connection where the token is bound to one. */
  verify(token: string, call: Call): AccessTokenVerdict | Promise<AccessTokenVerdict>
}
