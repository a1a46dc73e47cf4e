/**
 * How fast the holders of a CA's certificates may become identities. Nobody has invited them one by one, so a CA whose key
 * is lost could fill the network: a crowd is let in at once, and from then on so many a second.
 */
import type { Clock } from '../clock.ts'
import { tooManyRequests } from '../operation/api-error.ts'

export const caArrivalLimits = { atOnce: 250, perSecond: 25 } as const

interface Allowance {
  left: number
  asOf: number
}

export class CaArrivals {
  readonly #clock: Pick<Clock, 'monotonic'>
  /** By CA; those that have all of theirs again are forgotten. */
  readonly #allowances = new Map<string, Allowance>()

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** Lets one more in, or throws that there are too many. Only who holds a certificate of the CA is counted. */
  admit(caId: string): void {
    const { atOnce, perSecond } = caArrivalLimits
    const now = this.#clock.monotonic()
    for (const [id, { left, asOf }] of this.#allowances) {
      if (left + ((now - asOf) / 1_000) * perSecond >= atOnce) this.#allowances.delete(id)
    }
    const known = this.#allowances.get(caId) ?? { left: atOnce, asOf: now }
    const left = known.left + ((now - known.asOf) / 1_000) * perSecond
    if (left < 1) throw tooManyRequests()
    this.#allowances.set(caId, { left: left - 1, asOf: now })
  }
}
