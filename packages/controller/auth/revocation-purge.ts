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

const INTERVAL_MILLISECONDS = 60_000
const REMOVED_AT_ONCE = 500

export class RevocationPurge implements AsyncDisposable {
  readonly #deps: RevocationPurgeDeps
  #timer: NodeJS.Timeout | undefined

  private constructor(deps: RevocationPurgeDeps) {
    this.#deps = deps
  }

  static start(deps: RevocationPurgeDeps): RevocationPurge {
    const purge = new RevocationPurge(deps)
    const run = () =>
      purge.purge().catch((err: unknown) => deps.log.error('expired revocations were not removed', { err }))
    purge.#timer = setInterval(run, INTERVAL_MILLISECONDS).unref()
    return purge
  }

  /** Removes what has expired, a bounded number at a time. */
  async purge(): Promise<void> {
    const { kit, clock } = this.#deps
    const now = timestamp(clock.now())
    const isExpired = ({ expiresAt }: { readonly expiresAt: string | null }) => expiresAt !== null && expiresAt <= now
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
