/**
 * The door in front of the control plane. Whoever has not enrolled as a router is sent away before anything is read, and a
 * router holds few connections: so nobody can take the places in which hellos wait, or the memory of channels.
 */
import type { Connection } from '@weft/wire'
import type { Logger } from '../log/logger.ts'
import { findOne, type View } from '../state/view.ts'

export interface ControlDoorDeps {
  readonly view: View
  readonly log: Logger
  /** Judges those that get through. */
  readonly accept: (connection: Connection) => void
}

/** A router has two or three; those that it has lost may not have been noticed yet. */
const MOST_CONNECTIONS = 16

/** A connection and how its end is noticed. */
export interface Arrival {
  readonly connection: Connection
  onClose(closed: () => void): void
}

export class ControlDoor {
  readonly #deps: ControlDoorDeps
  /** By the fingerprint of the leaf. */
  readonly #open = new Map<string, number>()

  constructor(deps: ControlDoorDeps) {
    this.#deps = deps
  }

  enter({ connection, onClose }: Arrival): void {
    const problem = this.#problemOf(connection.fingerprint)
    if (problem !== undefined) {
      this.#deps.log.debug('connection sent away', { from: connection.remoteAddress, problem })
      connection.destroy()
      return
    }
    this.#count(connection.fingerprint!, 1)
    onClose(() => this.#count(connection.fingerprint!, -1))
    this.#deps.accept(connection)
  }

  #problemOf(fingerprint: string | undefined): string | undefined {
    const router = fingerprint && findOne(this.#deps.view, 'routers', 'fingerprint', fingerprint)
    if (!router) return 'no router has enrolled with its certificate'
    return this.#countOf(fingerprint) < MOST_CONNECTIONS ? undefined : 'the router has too many connections'
  }

  #countOf(fingerprint: string): number {
    return this.#open.get(fingerprint) ?? 0
  }

  #count(fingerprint: string, change: 1 | -1): void {
    const count = this.#countOf(fingerprint) + change
    if (count === 0) this.#open.delete(fingerprint)
    else this.#open.set(fingerprint, count)
  }
}
