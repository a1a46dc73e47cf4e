/** Counts connections whose handshake is under way, and cuts those that are too many, altogether or from one address. */
import type { Socket } from 'node:net'

export class PendingSockets {
  readonly #limit: number
  readonly #limitPerSource: number
  readonly #pending = new Map<string, string>()
  readonly #bySource = new Map<string, number>()

  constructor(limit: number, limitPerSource: number) {
    this.#limit = limit
    this.#limitPerSource = limitPerSource
  }

  get size(): number {
    return this.#pending.size
  }

  /** Counts a new socket until it closes or is `done`. False, with the socket destroyed, when there is no room. */
  admit(socket: Socket): boolean {
    const source = socket.remoteAddress ?? ''
    const count = this.#bySource.get(source) ?? 0
    if (this.#pending.size >= this.#limit || count >= this.#limitPerSource) {
      socket.destroy()
      return false
    }
    const key = keyOf(socket)
    this.#pending.set(key, source)
    this.#bySource.set(source, count + 1)
    socket.once('close', () => this.#forget(key))
    return true
  }

  /** The handshake is over; a TLS socket has the addresses of the socket below it. */
  done(socket: Socket): void {
    this.#forget(keyOf(socket))
  }

  #forget(key: string): void {
    const source = this.#pending.get(key)
    if (source === undefined) return
    this.#pending.delete(key)
    const count = this.#bySource.get(source)! - 1
    if (count === 0) this.#bySource.delete(source)
    else this.#bySource.set(source, count)
  }
}

function keyOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`
}
