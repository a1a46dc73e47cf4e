/** How many connections may be between their handshake and the answer to their hello: altogether, and from one host. */
import type { Connection } from '../transport/connection.ts'

export class HelloSlots {
  readonly #limit: number
  readonly #limitPerSource: number
  readonly #taken = new Set<Connection>()
  readonly #bySource = new Map<string, number>()

  constructor(limit: number, limitPerSource: number) {
    this.#limit = limit
    this.#limitPerSource = limitPerSource
  }

  get size(): number {
    return this.#taken.size
  }

  /** False when there is no room. */
  take(connection: Connection): boolean {
    const source = sourceOf(connection)
    const count = this.#bySource.get(source) ?? 0
    if (this.#taken.size >= this.#limit || count >= this.#limitPerSource) return false
    this.#taken.add(connection)
    this.#bySource.set(source, count + 1)
    return true
  }

  /** May be called more than once. */
  release(connection: Connection): void {
    if (!this.#taken.delete(connection)) return
    const source = sourceOf(connection)
    const left = this.#bySource.get(source)! - 1
    if (left === 0) this.#bySource.delete(source)
    else this.#bySource.set(source, left)
  }

  destroyAll(): void {
    for (const connection of this.#taken) connection.destroy()
  }
}

/** The address without its port. */
function sourceOf({ remoteAddress }: Connection): string {
  return remoteAddress.slice(0, remoteAddress.lastIndexOf(':'))
}
