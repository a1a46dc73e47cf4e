/**
 * Judges the controller's own tokens: signature and time by the token, revocation and the identity's state by the tables.
 *
 * The key comes first: a token whose `kid` is no controller's is not ours, whatever else it says. Revocations and the
 * identity are looked at on every use, so both count at once.
 */
import type { Clock } from '../../clock.ts'
import type { TableRows } from '../../state/row.ts'
import type { View } from '../../state/view.ts'
import { isDisabled } from '../disabled.ts'
import { isStillAllowed } from '../primary-factor.ts'
import { isSignedBy, readToken } from '../signed-token.ts'
import { clientIds, type TokenClaims, type TokenType } from './claims.ts'
import type { SigningKeys } from './signing-keys.ts'

export interface TokenVerifierDeps {
  readonly keys: SigningKeys
  readonly view: View
  readonly clock: Clock
}

type Json = Readonly<Record<string, unknown>>

/** `foreign`: not signed by a controller of this network, or no token at all. */
export type SignatureVerdict =
  | { readonly claims: Json; readonly problem?: undefined }
  | { readonly claims?: undefined; readonly problem: 'malformed' | 'foreign' | 'bad signature' }

export type SessionProblem = 'revoked' | 'identity gone' | 'identity disabled' | 'login not allowed'

interface LoginWithoutToken {
  readonly identityId: string
  readonly authenticatorId: string
  readonly apiSessionId: string
  /** Milliseconds. */
  readonly at: number
}

/** Clocks of controllers may differ by this much; a token that is told to start later is refused. */
const SKEW_SECONDS = 60
const MOST_REMEMBERED = 4_096

export class TokenVerifier {
  readonly #deps: TokenVerifierDeps
  /** Tokens whose signature is right: the same one comes with every request of its session. */
  readonly #seen = new Map<string, { readonly keyId: string | undefined; readonly claims: Json }>()

  constructor(deps: TokenVerifierDeps) {
    this.#deps = deps
  }

  /** Who signed; says nothing of time and revocation. */
  verifySignature(token: string): SignatureVerdict {
    const { keys } = this.#deps
    const seen = this.#seen.get(token)
    if (seen !== undefined && keys.find(seen.keyId) !== undefined) return { claims: seen.claims }
    const unverified = readToken(token)
    if (unverified === undefined) return { problem: 'malformed' }
    const key = keys.find(unverified.keyId)
    if (key === undefined) return { problem: 'foreign' }
    if (unverified.algorithm !== key.algorithm || !isSignedBy(unverified, key.key)) return { problem: 'bad signature' }
    const { keyId, claims } = unverified
    this.#remember(token, keyId, claims)
    return { claims }
  }

  /** A token that was signed here a moment ago, and will soon come back: its signature is known to be right. */
  wasSigned(token: string, claims: object): void {
    this.#remember(token, this.#deps.keys.keyId, { ...claims })
  }

  #remember(token: string, keyId: string | undefined, claims: Json): void {
    if (this.#seen.size >= MOST_REMEMBERED) this.#seen.delete(this.#seen.keys().next().value!)
    this.#seen.set(token, { keyId, claims })
  }

  /** Whether a token is in its time. The end is exact: whoever was told when it ends has no use for more. */
  timeProblem({ exp, nbf }: Json): 'expired' | 'not yet valid' | undefined {
    const now = Math.floor(this.#deps.clock.now() / 1000)
    if (typeof exp !== 'number' || exp <= now) return 'expired'
    return typeof nbf === 'number' && nbf > now + SKEW_SECONDS ? 'not yet valid' : undefined
  }

  /** Whether the session of a token has been ended, or its identity may not call any more. */
  sessionProblem({
    jti,
    z_asid,
    sub,
    iat,
    z_authid = '',
  }: Pick<TokenClaims, 'jti' | 'z_asid' | 'sub' | 'iat' | 'z_authid'>): SessionProblem | undefined {
    const { view, clock } = this.#deps
    if (view.get('revocations', jti) !== undefined || view.get('revocations', z_asid) !== undefined) return 'revoked'
    const cutOff = identityCutOff(view, sub)
    if (cutOff !== undefined && iat <= cutOff) return 'revoked'
    const identity = view.get('identities', sub)
    if (identity === undefined) return 'identity gone'
    if (isDisabled(identity, clock.now())) return 'identity disabled'
    return isStillAllowed(view, identity, z_authid) ? undefined : 'login not allowed'
  }

  /** The same of a login that has led to no token yet. */
  loginProblem(login: LoginWithoutToken) {
    const { identityId: sub, apiSessionId: z_asid, authenticatorId: z_authid, at } = login
    const revokedAt = identityRevokedAt(this.#deps.view, sub)
    if (revokedAt !== undefined && at <= revokedAt) return 'revoked'
    return this.sessionProblem({ sub, z_asid, z_authid, jti: z_asid, iat: Number.POSITIVE_INFINITY })
  }

  /** The identity of a token whose session has no problem. */
  identityOf({ sub }: Pick<TokenClaims, 'sub'>): TableRows['identities'] | undefined {
    return this.#deps.view.get('identities', sub)
  }
}

/** The last second whose tokens of an identity have ended; undefined when none were. */
export function identityCutOff(view: View, identityId: string): number | undefined {
  const at = identityRevokedAt(view, identityId)
  return at === undefined ? undefined : Math.floor(at / 1000)
}

function identityRevokedAt(view: View, identityId: string): number | undefined {
  const revocation = view.get('revocations', identityId)
  return revocation === undefined ? undefined : Date.parse(revocation.issuedBefore ?? revocation.createdAt)
}

/** The claims as those of a session's token, when they have what every such token has. */
export function asSessionToken(claims: Json, type: TokenType): TokenClaims | undefined {
  const { z_t, z_asid, sub, jti, iat, amr } = claims
  const isOne = z_t === type && isText(z_asid) && isText(sub) && isText(jti) && typeof iat === 'number'
  return isOne && Array.isArray(amr) && isForClients(claims) ? (claims as unknown as TokenClaims) : undefined
}

/** Whether a token is meant for a client of this network. */
export function isForClients({ aud }: Json): boolean {
  return Array.isArray(aud) && aud.some((audience) => clientIds.has(audience))
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
