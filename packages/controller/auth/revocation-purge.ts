/**
 * Removes revocations that have outlived every token they could concern.
 */
import { type Clock, timestamp } from '../clock.ts'
import type { Logger } from '../log/logger.ts'
import type { Kit } from '../resource-kit/kit.ts'

export interface RevocationPurgeDeps {
  readonly kit: Kit
  readonly clock: Clock
  readonly log: Logger
}

/** Tokens may live longer than a revocation says of itself, which is written without asking how long. */
export interface RevocationPurgeOptions {
  /** Milliseconds. */
  readonly longestTokenLife: number
}

/** Clocks of controllers may differ by this much. */
const MARGIN_MILLISECONDS = 120_000
const INTERVAL_MILLISECONDS = 60_000
const REMOVED_AT_ONCE = 500

export class RevocationPurge implements AsyncDisposable {
  readonly #deps: RevocationPurgeDeps
  readonly #longestTokenLife: number
  #timer: NodeJS.Timeout | undefined

  private constructor(deps: RevocationPurgeDeps, options: RevocationPurgeOptions) {
    this.#deps = deps
    this.#longestTokenLife = options.longestTokenLife
  }

  static start(deps: RevocationPurgeDeps, options: RevocationPurgeOptions): RevocationPurge {
    const purge = new RevocationPurge(deps, options)
    const run = () =>
      purge.purge().catch((err: unknown) => deps.log.error('expired revocations were not removed', { err }))
    purge.#timer = setInterval(run, INTERVAL_MILLISECONDS).unref()
    return purge
  }

  /** Removes what has expired, a bounded number at a time. */
  async purge(): Promise<void> {
    const { kit, clock } = this.#deps
    const now = timestamp(clock.now())
    const oldest = timestamp(clock.now() - this.#longestTokenLife - MARGIN_MILLISECONDS)
    const isExpired = ({ expiresAt, createdAt }: { readonly expiresAt: string | null; readonly createdAt: string }) =>
      expiresAt !== null && expiresAt <= now && createdAt <= oldest
    const expired = [...kit.view.rows('revocations').filter(isExpired).take(REMOVED_AT_ONCE)]
    if (expired.length === 0) return
    await kit.writeAsController((change) => {
      for (const { id } of expired) {
        const current = change.view.get('revocations', id)
        if (current !== undefined && isExpired(current)) change.remove('revocations', id)
      }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
  }
}
