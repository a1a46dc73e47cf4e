/**
 * Issues the tokens of a session: access, refresh and ID token, each with an id and a life of its own.
 */
import { createHash, randomUUID } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import type { TableRows } from '../../state/row.ts'
import type { View } from '../../state/view.ts'
import type { IdTokenClaims, SessionClaims, TokenClaims, TokenType } from './claims.ts'
import type { SigningKeys } from './signing-keys.ts'
import type { TokenTimes } from './token-times.ts'
import { identityCutOff, type TokenVerifier } from './token-verifier.ts'

/** Milliseconds. */
export interface TokenLives {
  readonly access: number
  readonly id: number
  readonly refresh: number
}

export interface TokenIssuerDeps {
  readonly keys: SigningKeys
  readonly verifier: Pick<TokenVerifier, 'wasSigned'>
  readonly times: Pick<TokenTimes, 'issued'>
  readonly view: View
  readonly clock: Clock
}

/** What a token was signed as. */
export interface IssuedToken {
  readonly token: string
  /** Whole seconds that are left. */
  readonly expiresIn: number
}

/** What an ID token says besides its session. */
export interface IdTokenRequest {
  readonly identity: TableRows['identities']
  readonly nonce?: string | undefined
  readonly accessToken?: string | undefined
  readonly code?: string | undefined
}

export class TokenIssuer {
  readonly #deps: TokenIssuerDeps
  readonly #lives: TokenLives

  constructor(deps: TokenIssuerDeps, lives: TokenLives) {
    this.#deps = deps
    this.#lives = lives
  }

  access(issuer: string, session: SessionClaims): IssuedToken {
    return this.#issue(issuer, session, 'a', this.#lives.access)
  }

  refresh(issuer: string, session: SessionClaims): IssuedToken {
    return this.#issue(issuer, session, 'r', this.#lives.refresh)
  }

  id(issuer: string, session: SessionClaims, { identity, nonce, accessToken, code }: IdTokenRequest): string {
    const iat = this.#issuedAt(session.sub)
    const claims: IdTokenClaims = {
      iss: issuer,
      sub: session.sub,
      aud: session.aud,
      exp: iat + Math.floor(this.#lives.id / 1000),
      iat,
      auth_time: session.auth_time,
      ...(nonce !== undefined && { nonce }),
      amr: session.amr,
      azp: session.client_id,
      client_id: session.client_id,
      ...(accessToken !== undefined && { at_hash: this.#halfHash(accessToken) }),
      ...(code !== undefined && { c_hash: this.#halfHash(code) }),
      name: identity.name,
      z_ia: session.z_ia === true,
      ...(session.z_eid !== undefined && { z_eid: session.z_eid }),
      z_asid: session.z_asid,
    }
    return this.#deps.keys.sign(claims)
  }

  #issue(issuer: string, session: SessionClaims, type: TokenType, life: number): IssuedToken {
    const iat = this.#issuedAt(session.sub)
    const exp = iat + Math.floor(life / 1000)
    const claims: TokenClaims = { ...session, iss: issuer, exp, iat, nbf: iat, jti: randomUUID(), z_t: type }
    const token = this.#deps.keys.sign(claims)
    this.#deps.verifier.wasSigned(token, claims)
    if (type === 'a') this.#deps.times.issued(claims)
    return { token, expiresIn: Math.max(0, Math.floor((exp * 1000 - this.#deps.clock.now()) / 1000)) }
  }

  /** Whole seconds. What is issued in the second of a revocation, but after it, counts from the next one on. */
  #issuedAt(identityId: string): number {
    const { view, clock } = this.#deps
    const now = Math.floor(clock.now() / 1000)
    const cutOff = identityCutOff(view, identityId)
    return cutOff === undefined ? now : Math.max(now, cutOff + 1)
  }

  #halfHash(text: string): string {
    const digest = createHash(`sha${this.#deps.keys.algorithm.slice(2)}`)
      .update(text, 'ascii')
      .digest()
    return digest.subarray(0, digest.length / 2).toString('base64url')
  }
}
