/** Counts connections whose handshake is under way, and cuts those that are too many, altogether or from one address. */
import type { Socket } from 'node:net'
import type { HandshakeWindow } from './handshake-window.ts'

export interface PendingLimits {
  readonly total: number
  readonly perSource: number
  /** Lets in fewer while peers are not served in time. */
  readonly window?: HandshakeWindow | undefined
}

export class PendingSockets {
  readonly #limits: PendingLimits
  readonly #pending = new Map<string, string>()
  readonly #bySource = new Map<string, number>()

  constructor(limits: PendingLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#pending.size
  }

  /** Counts a new socket until it closes or is `done`. False, with the socket destroyed, when there is no room. */
  admit(socket: Socket): boolean {
    const source = socket.remoteAddress ?? ''
    const count = this.#bySource.get(source) ?? 0
    const { total, perSource, window } = this.#limits
    if (this.#pending.size >= Math.min(total, window?.size ?? total) || count >= perSource) {
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
    if (this.#forget(keyOf(socket))) this.#limits.window?.succeeded()
  }

  /** The handshake has failed: not in time, or for a reason that says nothing of how busy this process is. */
  failed(error: Error): void {
    if ((error as NodeJS.ErrnoException).code === 'ERR_TLS_HANDSHAKE_TIMEOUT') this.#limits.window?.failed()
  }

  #forget(key: string): boolean {
    const source = this.#pending.get(key)
    if (source === undefined) return false
    this.#pending.delete(key)
    const count = this.#bySource.get(source)! - 1
    if (count === 0) this.#bySource.delete(source)
    else this.#bySource.set(source, count)
    return true
  }
}

function keyOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`
}
