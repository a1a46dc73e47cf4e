/**
 * Logins under way, and the codes of those that have just been completed. In memory, for ten minutes at most, bounded in
 * total and per address: anybody may start one.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { ClientInfo } from '../../auth/open-session.ts'
import type { Clock } from '../../clock.ts'
import { ApiError } from '../../operation/api-error.ts'

/** What a client has asked for. */
export interface Authorization {
  readonly clientId: string
  readonly redirectUri: string
  readonly scopes: readonly string[]
  readonly state: string | undefined
  readonly nonce: string | undefined
  readonly codeChallenge: string
  readonly configTypes: readonly string[]
  /** Address and port. */
  readonly remote: string
}

/** Whoever has passed a primary factor, and what else was shown since. */
export interface PassedFactors {
  readonly identityId: string
  readonly authenticatorId: string
  readonly method: 'password' | 'cert' | 'ext-jwt'
  /** Milliseconds. */
  readonly at: number
  readonly info: ClientInfo
  readonly csrPem: string | undefined
  readonly certificate: LoginCertificate | undefined
  readonly isTotpDone: boolean
  /** The external signer whose token came as a second factor. */
  readonly secondSignerId: string | undefined
}

/** The certificate that authenticated a login. */
export interface LoginCertificate {
  readonly fingerprint: string
  readonly isExtendable: boolean
  readonly isProperChain: boolean
  readonly mayBeExpired: boolean
}

export interface AuthRequest {
  readonly id: string
  readonly asked: Authorization
  passed: PassedFactors | undefined
}

/** A completed login that waits for its client. */
export interface Grant {
  readonly code: string
  readonly asked: Authorization
  readonly passed: PassedFactors
  /** The session it leads to. */
  readonly apiSessionId: string
  isRedeemed: boolean
}

const LIFE_MILLISECONDS = 10 * 60_000
const MOST = 20_000
const MOST_PER_ADDRESS = 5_000
const CODE_BYTES = 32

interface Waiting<T> {
  readonly value: T
  readonly until: number
}

export class AuthRequests {
  readonly #clock: Clock
  readonly #requests = new Map<string, Waiting<AuthRequest>>()
  readonly #grants = new Map<string, Waiting<Grant>>()
  readonly #perAddress = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#requests.size
  }

  open(asked: Authorization): AuthRequest {
    this.#dropOld()
    const address = addressOf(asked)
    const count = this.#perAddress.get(address) ?? 0
    if (this.#requests.size >= MOST || count >= MOST_PER_ADDRESS) {
      throw new ApiError('SERVER_TOO_MANY_REQUESTS', { headers: { 'retry-after': '10' } })
    }
    const value: AuthRequest = { id: randomUUID(), asked, passed: undefined }
    this.#requests.set(value.id, { value, until: this.#clock.monotonic() + LIFE_MILLISECONDS })
    this.#perAddress.set(address, count + 1)
    return value
  }

  find(id: string | undefined): AuthRequest | undefined {
    this.#dropOld()
    return id === undefined ? undefined : this.#requests.get(id)?.value
  }

  /** Ends a login that is complete; from now on its code is all there is of it. */
  complete(request: AuthRequest, passed: PassedFactors): Grant {
    const until = this.#requests.get(request.id)?.until ?? this.#clock.monotonic()
    this.#close(request)
    const code = randomBytes(CODE_BYTES).toString('base64url')
    const value: Grant = { code, asked: request.asked, passed, apiSessionId: randomUUID(), isRedeemed: false }
    if (this.#grants.size >= MOST) this.#grants.delete(this.#grants.keys().next().value!)
    this.#grants.set(code, { value, until })
    return value
  }

  /** Also one that was redeemed already: a second try tells that the code got into other hands. */
  findGrant(code: string): Grant | undefined {
    this.#dropOld()
    const waiting = this.#grants.get(code)
    return waiting !== undefined && waiting.until > this.#clock.monotonic() ? waiting.value : undefined
  }

  #close({ id, asked }: AuthRequest): void {
    if (!this.#requests.delete(id)) return
    const address = addressOf(asked)
    const left = (this.#perAddress.get(address) ?? 1) - 1
    if (left === 0) this.#perAddress.delete(address)
    else this.#perAddress.set(address, left)
  }

  /** Requests stand in the order of their end; grants nearly so. */
  #dropOld(): void {
    const now = this.#clock.monotonic()
    for (const { value, until } of this.#requests.values()) {
      if (until > now) break
      this.#close(value)
    }
    for (const [code, { until }] of this.#grants) {
      if (until > now) break
      this.#grants.delete(code)
    }
  }
}

function addressOf({ remote }: Authorization): string {
  return remote.slice(0, remote.lastIndexOf(':'))
}
