/**
 * From a completed login to what its tokens say of the session.
 */
import { knownConfigTypes } from '../../auth/open-session.ts'
import {
  configTypesClaim,
  identityClaims,
  infoClaim,
  type SessionClaims,
  type TokenClaims,
} from '../../auth/tokens/claims.ts'
import type { TableRows } from '../../state/row.ts'
import type { View } from '../../state/view.ts'
import type { Grant } from './auth-requests.ts'

type Identity = TableRows['identities']

export function sessionClaims(view: View, identity: Identity, grant: Grant): SessionClaims {
  const { asked, passed, apiSessionId } = grant
  const { certificate, authenticatorId } = passed
  const authenticator = view.get('authenticators', authenticatorId)
  const configTypes = configTypesClaim(knownConfigTypes(view, passed.info.configTypes))
  return {
    ...identityClaims(identity),
    aud: [asked.clientId],
    auth_time: Math.floor(passed.at / 1000),
    client_id: asked.clientId,
    amr: methods(grant),
    scopes: asked.scopes,
    z_asid: apiSessionId,
    ...(configTypes !== undefined && { z_ct: configTypes }),
    z_aid: asked.clientId,
    z_cfs: certificate === undefined ? null : [certificate.fingerprint],
    ...(certificate !== undefined && { z_acf: certificate.fingerprint }),
    z_sdk: infoClaim(passed.info.sdkInfo),
    z_env: infoClaim(passed.info.envInfo),
    z_ra: asked.remote,
    z_ice: certificate?.isExtendable ?? false,
    ...(certificate?.mayBeExpired && { z_cae: true as const }),
    ...(authenticatorId && { z_authid: authenticatorId }),
    z_cer: authenticator?.isExtendRequested ?? false,
    z_ckrr: authenticator?.isKeyRollRequested ?? false,
    z_iccc: certificate !== undefined && !certificate.isProperChain,
  }
}

/** A session goes on: what its tokens tell of the identity is read anew, the rest stays as it was at login. */
export function continuedClaims(identity: Identity, claims: TokenClaims): SessionClaims {
  const { z_eid: _externalId, z_ia: _isAdmin, ...kept } = withoutTokenParts(claims)
  return { ...kept, ...identityClaims(identity) }
}

function withoutTokenParts(claims: TokenClaims): SessionClaims {
  const { iss: _iss, exp: _exp, iat: _iat, nbf: _nbf, jti: _jti, z_t: _type, ...session } = claims
  return session
}

function methods({ passed }: Grant): readonly string[] {
  const { method, isTotpDone, secondSignerId } = passed
  const second = secondSignerId === undefined ? [] : ['ext-jwt', `ejs:${secondSignerId}`]
  return [...new Set([method, ...(isTotpDone ? ['totp'] : []), ...second])]
}
