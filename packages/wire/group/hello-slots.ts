/** How many connections may be between their handshake and the answer to their hello: altogether, and from one host. */
import type { Connection } from '../transport/connection.ts'

/** Two options of a configuration. */
export interface ConnectOptions {
  readonly maxOutstandingConnects: number
  readonly maxQueuedConnects: number
}

/** Their defaults, with Go peers too: together they stand for the bound that an acceptor has by itself. */
const usual: ConnectOptions = { maxOutstandingConnects: 16, maxQueuedConnects: 1 }

/** How many connections may be without an answer to their hello; undefined for the usual number. */
export function maxHellosOf({ maxOutstandingConnects, maxQueuedConnects }: ConnectOptions): number | undefined {
  const isUsual =
    maxOutstandingConnects === usual.maxOutstandingConnects && maxQueuedConnects === usual.maxQueuedConnects
  return isUsual ? undefined : maxOutstandingConnects + maxQueuedConnects
}

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
