/**
 * When to dial next, as a machine driven by the time: backs off after failures and after connections that did not last.
 * One policy serves all connections of a channel. Times in milliseconds.
 */
export interface DialPolicyOptions {
  readonly base: number
  readonly max: number
  /** A connection that lived shorter counts as a failure; zero counts none. */
  readonly minStable: number
  readonly minDialInterval: number
  /** The part of a delay that chance may take away, so that many dialers do not come back in step. */
  readonly jitter: number
}

export const linkDialPolicy: DialPolicyOptions = {
  base: 2_000,
  max: 60_000,
  minStable: 30_000,
  minDialInterval: 0,
  jitter: 0.3,
}

export const controlDialPolicy: DialPolicyOptions = { ...linkDialPolicy, minStable: 0, minDialInterval: 1_000 }

export const sdkDialPolicy: DialPolicyOptions = { ...linkDialPolicy, minDialInterval: 250 }

export class DialPolicy {
  readonly #options: DialPolicyOptions
  readonly #random: () => number
  #failures = 0
  #dialedAt = Number.NEGATIVE_INFINITY
  #succeededAt = Number.NEGATIVE_INFINITY
  #failedAt = Number.NEGATIVE_INFINITY
  #wait = 0

  constructor(options: DialPolicyOptions, random: () => number = Math.random) {
    this.#options = options
    this.#random = random
  }

  get failures(): number {
    return this.#failures
  }

  /** How long to wait from now on. */
  delay(now: number): number {
    const { minDialInterval, minStable } = this.#options
    const hasLasted = this.#succeededAt > this.#failedAt && now - this.#succeededAt >= minStable
    if (hasLasted) this.#recovered()
    return Math.max(0, this.#dialedAt + minDialInterval - now, this.#failedAt + this.#wait - now)
  }

  dialing(now: number): void {
    this.#dialedAt = now
  }

  succeeded(now: number): void {
    this.#succeededAt = now
  }

  failed(now: number): void {
    const { base, max, jitter } = this.#options
    this.#failures++
    this.#failedAt = now
    const full = Math.min(base * 2 ** (this.#failures - 1), max)
    this.#wait = full * (1 - jitter * this.#random())
  }

  /** A connection ended after that time. */
  lost(lifetime: number, now: number): void {
    if (lifetime < this.#options.minStable) this.failed(now)
    else this.#recovered()
  }

  #recovered(): void {
    this.#failures = 0
    this.#wait = 0
  }
}
