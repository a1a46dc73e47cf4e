/**
 * Tokens of external signers: who has signed them, and whom they name.
 *
 * A token belongs to the one enabled signer that has exactly its issuer, and is verified with a key of that signer alone. It
 * must end, must have begun and must be meant for the audience that the signer is known for.
 */
import type { Clock } from '../clock.ts'
import type { TableRows } from '../state/row.ts'
import { findOne, type View } from '../state/view.ts'
import { externalChallenge, type TokenProblem } from './challenges.ts'
import { isDisabled } from './disabled.ts'
import { valueAt } from './json-pointer.ts'
import type { JwksCache } from './jwks-cache.ts'
import type { VerificationKey } from './key-set.ts'
import { type Login, LoginRefused, signerAuthenticator } from './login.ts'
import { isSignedBy, type ReadToken, readToken } from './signed-token.ts'
import { signerKey } from './signer-key.ts'

export interface ExternalTokenDeps {
  readonly view: View
  readonly jwks: Pick<JwksCache, 'keysOf'>
  readonly clock: Clock
  /** Whether a key id is that of a controller: whatever such a token says, it is not an external one. */
  readonly isControllerKey?: (keyId: string) => boolean
}

type Signer = TableRows['externalJwtSigners']
type Identity = TableRows['identities']
type Claims = Readonly<Record<string, unknown>>

/** `missing` stands for every token that could not have been meant: nobody learns from it who is known here. */
export type ExternalTokenVerdict =
  | { readonly isAccepted: true; readonly signer: Signer; readonly claims: Claims }
  | {
      readonly isAccepted: false
      readonly problem: TokenProblem
      readonly reason: string
      readonly signer: Signer | undefined
    }

/** How far a signer's clock may be ahead. */
const SKEW = 60_000
/** More would not fit into a header that clients accept. */
const MOST_CHALLENGED = 32
/** The first is what a caller with several bad tokens is told. */
const gravest: readonly TokenProblem[] = ['expired', 'invalid', 'missing']

export class ExternalTokens {
  readonly #deps: ExternalTokenDeps

  constructor(deps: ExternalTokenDeps) {
    this.#deps = deps
  }

  /** Signature, issuer, audience and time; whom the token names is the caller's question. */
  async verify(text: string): Promise<ExternalTokenVerdict> {
    const { view, isControllerKey } = this.#deps
    const token = readToken(text)
    if (token === undefined) return refused('missing', 'not a token')
    const { keyId } = token
    if (keyId !== undefined && isControllerKey?.(keyId)) return refused('missing', 'a token of a controller')
    const { iss: issuer } = token.claims
    const signer = typeof issuer === 'string' ? findOne(view, 'externalJwtSigners', 'issuer', issuer) : undefined
    if (signer === undefined || signer.issuer !== issuer || !signer.enabled) return refused('missing', 'unknown issuer')
    if (keyId === undefined) return refused('invalid', 'the token names no key', signer)
    const keys = await this.#keysOf(signer, keyId)
    if (keys.length === 0) return refused('invalid', 'the signer has no such key', signer)
    if (!keys.some((key) => isVerified(token, key))) return refused('invalid', 'wrong signature or algorithm', signer)
    if (view.get('externalJwtSigners', signer.id) !== signer) {
      return refused('invalid', 'the signer was changed meanwhile', signer)
    }
    return this.#judge(signer, token.claims)
  }

  /** The claim by which a signer names identities; undefined where it is no text. */
  claimedId({ claimsProperty }: Signer, claims: Claims): string | undefined {
    const claim = valueAt(claims, claimsProperty)
    return typeof claim === 'string' && claim.trim() !== '' ? claim : undefined
  }

  /** Login with the first of these tokens that is good for it. Throws `LoginRefused`. */
  async login(tokens: readonly string[]): Promise<Login> {
    const refusals: Refusal[] = []
    for (const text of tokens) {
      const verdict = await this.verify(text)
      const outcome = verdict.isAccepted ? this.#primary(verdict.signer, verdict.claims) : verdict
      if ('authenticatorId' in outcome) return outcome
      refusals.push(outcome)
    }
    throw this.#loginRefused(refusals)
  }

  /** Whether one of the tokens is a valid one of this signer and names this very identity. */
  async isConfirmedBy(signerId: string, identityId: string, tokens: readonly string[]): Promise<boolean> {
    for (const text of tokens) {
      const verdict = await this.verify(text)
      if (!verdict.isAccepted || verdict.signer.id !== signerId) continue
      if (this.#identityNamedBy(verdict.signer, verdict.claims)?.id === identityId) return true
    }
    return false
  }

  async #keysOf(signer: Signer, keyId: string): Promise<readonly VerificationKey[]> {
    if (signer.jwksEndpoint !== null) return this.#deps.jwks.keysOf(signer.jwksEndpoint, keyId)
    const own = signerKey(signer)
    return own !== undefined && own.keyId === keyId ? [own] : []
  }

  #judge(signer: Signer, claims: Claims): ExternalTokenVerdict {
    const now = this.#deps.clock.now()
    const { exp, nbf, aud } = claims
    if (typeof exp !== 'number') return refused('invalid', 'the token has no end', signer)
    if (exp * 1_000 <= now) return refused('expired', 'the token has expired', signer)
    if (nbf !== undefined && !(typeof nbf === 'number' && nbf * 1_000 <= now + SKEW)) {
      return refused('invalid', 'the token is not valid yet', signer)
    }
    const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
    if (!audiences.includes(signer.audience)) return refused('invalid', 'the token is meant for others', signer)
    return { isAccepted: true, signer, claims }
  }

  #identityNamedBy(signer: Signer, claims: Claims): Identity | undefined {
    const { view } = this.#deps
    const id = this.claimedId(signer, claims)
    if (id === undefined) return undefined
    return signer.useExternalId ? findOne(view, 'identities', 'externalId', id) : view.get('identities', id)
  }

  #primary(signer: Signer, claims: Claims): Login | Refusal {
    const { view, clock } = this.#deps
    if (this.claimedId(signer, claims) === undefined) {
      return refused('invalid', 'the token does not name an identity', signer)
    }
    const identity = this.#identityNamedBy(signer, claims)
    const policy = identity && view.get('authPolicies', identity.authPolicyId)
    if (identity === undefined || policy === undefined) return refused('missing', 'unknown identity', signer)
    const identityId = identity.id
    if (isDisabled(identity, clock.now())) {
      return { ...refused('missing', 'identity is disabled', signer), identityId }
    }
    const { allowed, allowedSigners } = policy.primary.extJwt
    if (!allowed || (allowedSigners.length > 0 && !allowedSigners.includes(signer.id))) {
      return { ...refused('missing', 'the auth policy does not allow tokens of this signer', signer), identityId }
    }
    return { identityId, authenticatorId: signerAuthenticator(signer.id), signerId: signer.id }
  }

  #loginRefused(refusals: readonly Refusal[]): LoginRefused {
    const gravity = ({ problem }: Refusal) => gravest.indexOf(problem)
    const [first] = refusals.toSorted((one, other) => gravity(one) - gravity(other))
    const { problem, reason, signer, identityId } = first ?? {
      ...refused('missing', 'no token'),
      identityId: undefined,
    }
    const who = {
      ...(identityId !== undefined && { identityId }),
      ...(signer !== undefined && { signerId: signer.id, authenticatorId: signerAuthenticator(signer.id) }),
    }
    const enabled = this.#deps.view.rows('externalJwtSigners').filter((row) => row.enabled)
    const challenged = [...enabled.take(MOST_CHALLENGED)]
    const headers =
      challenged.length === 0 ? undefined : { 'www-authenticate': externalChallenge('primary', problem, challenged) }
    return new LoginRefused(reason, who, { code: 'UNAUTHORIZED', headers })
  }
}

interface Refusal {
  readonly isAccepted: false
  readonly problem: TokenProblem
  readonly reason: string
  readonly signer: Signer | undefined
  readonly identityId?: string
}

function refused(problem: TokenProblem, reason: string, signer?: Signer): Refusal {
  return { isAccepted: false, problem, reason, signer }
}

function isVerified(token: ReadToken, { key, algorithm }: VerificationKey): boolean {
  return (algorithm === undefined || algorithm === token.algorithm) && isSignedBy(token, key)
}
