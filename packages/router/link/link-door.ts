/**
 * The door in front of links. How many channels a router may have is bounded, and how many connections a channel: but one
 * router with all of them would leave nothing to the others. So one certificate has only so many connections altogether.
 */
import type { Connection, WireLog } from '@weft/wire'

/** Two links with as many connections as a dialer can be told to make. */
const mostConnections = 400

export class LinkDoor {
  readonly #log: WireLog
  /** By the fingerprint of the leaf. */
  readonly #open = new Map<string, number>()

  constructor(log: WireLog) {
    this.#log = log
  }

  /** False, with the connection destroyed, when there is no room. `onClose` is how its end is noticed. */
  enter(connection: Connection, onClose: (closed: () => void) => void): boolean {
    const { fingerprint = '', remoteAddress: from } = connection
    const count = this.#open.get(fingerprint) ?? 0
    if (count >= mostConnections) {
      this.#log.debug('connection sent away, too many of one router', { from, fingerprint })
      connection.destroy()
      return false
    }
    this.#open.set(fingerprint, count + 1)
    onClose(() => this.#closed(fingerprint))
    return true
  }

  #closed(fingerprint: string): void {
    const left = this.#open.get(fingerprint)! - 1
    if (left === 0) this.#open.delete(fingerprint)
    else this.#open.set(fingerprint, left)
  }
}
