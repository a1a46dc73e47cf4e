/**
 * The tokens by which a controller vouches for something to routers: a session for a service, a second factor that was
 * given a moment ago.
 */
import { randomUUID } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import type { BearerSession } from '../../operation/caller.ts'
import type { SigningKeys } from './signing-keys.ts'
import { isForClients, type TokenVerifier } from './token-verifier.ts'

export interface NetworkTokenDeps {
  readonly keys: SigningKeys
  readonly verifier: TokenVerifier
  readonly clock: Clock
  /** `edge.api.address`, host and port. */
  readonly apiAddress: string
}

/** A session for a service, of whatever kind the API session behind it is. */
export interface ServiceSession {
  /** The session's own id. */
  readonly id: string
  readonly serviceId: string
  readonly apiSessionId: string
  readonly identityId: string
  readonly type: 'Dial' | 'Bind'
  /** Whether the API session is a stored one rather than an access token. */
  readonly isLegacy: boolean
}

const YEAR_SECONDS = 365 * 24 * 60 * 60
const AUDIENCE = 'openziti'

export class NetworkTokens {
  readonly #deps: NetworkTokenDeps

  constructor(deps: NetworkTokenDeps) {
    this.#deps = deps
  }

  /** Good only together with its live API session, which is what ends it; the year is how long routers may remember it. */
  signServiceSession(session: ServiceSession): string {
    const iat = this.#now()
    return this.#deps.keys.sign({
      iss: this.#issuer,
      sub: session.serviceId,
      aud: [AUDIENCE],
      exp: iat + YEAR_SECONDS,
      iat,
      jti: session.id,
      z_asid: session.apiSessionId,
      z_iid: session.identityId,
      z_t: 's',
      z_st: session.type,
      z_leg: session.isLegacy,
    })
  }

  /** The session a token vouches for; undefined when it does not. Whether its API session lives is for the caller to ask. */
  readServiceSession(token: string): ServiceSession | undefined {
    const { verifier } = this.#deps
    const { claims } = verifier.verifySignature(token)
    if (claims?.['z_t'] !== 's' || !isForClients(claims)) return undefined
    if (verifier.timeProblem(claims) !== undefined) return undefined
    const { jti, sub, z_asid, z_iid, z_st, z_leg } = claims
    if (typeof jti !== 'string' || typeof sub !== 'string') return undefined
    if (typeof z_asid !== 'string' || typeof z_iid !== 'string') return undefined
    if (z_st !== 'Dial' && z_st !== 'Bind') return undefined
    return { id: jti, serviceId: sub, apiSessionId: z_asid, identityId: z_iid, type: z_st, isLegacy: z_leg === true }
  }

  /** Tells routers that the session gave a second factor just now. It has no end: how long it counts is a posture check's. */
  signTotp(session: Pick<BearerSession, 'sessionId' | 'identityId' | 'audience'>): { token: string; issuedAt: number } {
    const iat = this.#now()
    const token = this.#deps.keys.sign({
      iss: this.#issuer,
      sub: session.identityId,
      aud: session.audience,
      iat,
      jti: randomUUID(),
      z_asid: session.sessionId,
      z_t: 't',
    })
    return { token, issuedAt: iat * 1000 }
  }

  get #issuer(): string {
    return `https://${this.#deps.apiAddress}`
  }

  #now(): number {
    return Math.floor(this.#deps.clock.now() / 1000)
  }
}
