/**
 * Until when the access tokens of sessions are good.
 *
 * What a token has allowed may outlast it: a client that renews its token shows the new one to its router alone. But every
 * token is issued here, so the newest of a session says how long the session can be used without another. What was issued
 * before this process began is not known one by one; all of it is over a token's life later.
 */
import type { Clock } from '../../clock.ts'
import type { TokenClaims } from './claims.ts'

/** An access token by which somebody came. Times are in seconds, as in the token. */
export interface ShownToken {
  readonly id: string
  readonly issuedAt: number
  readonly endsAt: number
}

/** A process before this one may have issued tokens of the usual life, whatever it is now. Milliseconds. */
const USUAL_LIFE = 30 * 60_000

export class TokenTimes {
  readonly #clock: Pick<Clock, 'now'>
  readonly #life: number
  /** By API session, in seconds. */
  readonly #ends = new Map<string, number>()
  /** When nothing of an earlier process is good any more. */
  readonly #earlierEnd: number
  #purgedAt: number

  /** `access` is the life of an access token, in milliseconds. */
  constructor(clock: Pick<Clock, 'now'>, { access }: { readonly access: number }) {
    this.#clock = clock
    this.#life = access / 1_000
    this.#purgedAt = this.#now
    this.#earlierEnd = this.#now + Math.max(access, USUAL_LIFE) / 1_000
  }

  /** Sessions that are remembered. */
  get size(): number {
    return this.#ends.size
  }

  issued({ z_asid, exp }: Pick<TokenClaims, 'z_asid' | 'exp'>): void {
    this.#purge()
    this.#ends.set(z_asid, Math.max(exp, this.#ends.get(z_asid) ?? 0))
  }

  /** Whether neither the token nor any other of its session is good any more. */
  isOver(apiSessionId: string, { endsAt }: ShownToken): boolean {
    const newest = this.#ends.get(apiSessionId) ?? this.#earlierEnd
    return this.#now >= Math.max(endsAt, newest)
  }

  get #now(): number {
    return this.#clock.now() / 1_000
  }

  /** Once in a token's life. A session of which nothing is remembered counts as one of an earlier process. */
  #purge(): void {
    const now = this.#now
    if (now < this.#earlierEnd || now < this.#purgedAt + this.#life) return
    this.#purgedAt = now
    for (const [id, end] of this.#ends) if (end <= now) this.#ends.delete(id)
  }
}
