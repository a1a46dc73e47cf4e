/**
 * Wrong passwords in a row, per authenticator. Only authenticators that exist are counted, so the number of entries is
 * bounded by theirs.
 */
export class LoginAttempts {
  readonly #failures = new Map<string, number>()

  /** Counts a failure; true when it reaches the limit, which also starts the count anew. Zero means no limit. */
  failed(authenticatorId: string, maxAttempts: number): boolean {
    const failures = (this.#failures.get(authenticatorId) ?? 0) + 1
    const isReached = maxAttempts > 0 && failures >= maxAttempts
    if (isReached) this.#failures.delete(authenticatorId)
    else this.#failures.set(authenticatorId, failures)
    return isReached
  }

  succeeded(authenticatorId: string): void {
    this.#failures.delete(authenticatorId)
  }
}
