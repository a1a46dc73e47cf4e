/**
 * Access tokens as callers of the APIs present them, each judged anew with every request.
 */
import type { Clock } from '../../clock.ts'
import type { BearerSession } from '../../operation/caller.ts'
import type { Call } from '../../operation/operation.ts'
import type { AccessTokens, AccessTokenVerdict } from '../access-tokens.ts'
import type { TokenClaims } from './claims.ts'
import { type ProofDeps, provesPossession } from './proof-of-possession.ts'
import { asSessionToken, type TokenVerifier } from './token-verifier.ts'

export interface AccessTokenDeps extends ProofDeps {
  readonly verifier: TokenVerifier
  readonly clock: Clock
}

export class OwnAccessTokens implements AccessTokens {
  readonly #deps: AccessTokenDeps

  constructor(deps: AccessTokenDeps) {
    this.#deps = deps
  }

  /** Refresh and ID tokens are no access tokens of anybody, hence foreign. */
  verify(token: string, call: Pick<Call, 'clientCertificates'>): AccessTokenVerdict {
    const { verifier, clock } = this.#deps
    const { claims, problem } = verifier.verifySignature(token)
    if (claims === undefined) return problem === 'bad signature' ? 'invalid' : problem
    const access = asSessionToken(claims, 'a')
    if (access === undefined) return 'foreign'
    const time = verifier.timeProblem(claims)
    if (time !== undefined) return time === 'expired' ? 'expired' : 'invalid'
    if (verifier.sessionProblem(access) !== undefined) return 'invalid'
    if (!provesPossession(this.#deps, access, call.clientCertificates(), clock.now())) return 'invalid'
    return bearerSession(token, access)
  }
}

function bearerSession(token: string, claims: TokenClaims): BearerSession {
  return {
    sessionId: claims.z_asid,
    identityId: claims.sub,
    token,
    tokenId: claims.jti,
    issuedAt: claims.iat * 1000,
    expiresAt: claims.exp * 1000,
    audience: claims.aud,
    authenticatorId: claims.z_authid ?? '',
    configTypes: claims.z_ct ?? [],
    remoteAddress: claims.z_ra,
    isMfaComplete: claims.amr.includes('totp'),
    isCertExtendable: claims.z_ice,
    isCertExtendRequested: claims.z_cer,
    isCertKeyRollRequested: claims.z_ckrr,
    improperClientCertChain: claims.z_iccc,
  }
}
