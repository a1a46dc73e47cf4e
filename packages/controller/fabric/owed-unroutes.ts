/**
 * What routers must still be told when they are back: circuits that ended, or moved away from them, while they were not
 * connected. Without it a router would go on carrying what nobody may use any more, as long as there are bytes.
 */

/** Of one router. Beyond that it finds out by itself, when a circuit has been idle. */
const MOST_CIRCUITS = 10_000

export class OwedUnroutes {
  readonly #owed = new Map<string, Set<string>>()

  add(routerId: string, circuitId: string): void {
    const circuits = this.#owed.get(routerId)
    if (circuits === undefined) this.#owed.set(routerId, new Set([circuitId]))
    else if (circuits.size < MOST_CIRCUITS) circuits.add(circuitId)
  }

  /** Nothing is owed to the router afterwards. */
  take(routerId: string): Iterable<string> {
    const circuits = this.#owed.get(routerId) ?? []
    this.#owed.delete(routerId)
    return circuits
  }
}
