/** The metrics of links, by id: a link that was dialled again goes on with those of its former self while both exist. */
import { LinkMetrics } from '../metrics/link-metrics.ts'
import type { MetricsRegistry } from '../metrics/registry.ts'

export class LinkMeters {
  readonly #registry: MetricsRegistry
  readonly #inUse = new Map<string, { readonly metrics: LinkMetrics; users: number }>()

  constructor(registry: MetricsRegistry) {
    this.#registry = registry
  }

  take(linkId: string): LinkMetrics {
    const known = this.#inUse.get(linkId)
    if (known !== undefined) {
      known.users++
      return known.metrics
    }
    const metrics = new LinkMetrics(this.#registry, linkId)
    this.#inUse.set(linkId, { metrics, users: 1 })
    return metrics
  }

  giveBack(linkId: string): void {
    const known = this.#inUse.get(linkId)
    if (known === undefined) return
    known.users--
    if (known.users > 0) return
    this.#inUse.delete(linkId)
    known.metrics[Symbol.dispose]()
  }
}
