/** How large frames may be. Checked before any memory is set aside. */
export interface FrameLimits {
  readonly headers: number
  readonly body: number
}

/** Before the peer is known. */
export const helloLimits: FrameLimits = { headers: 16_384, body: 4_192 }

/** Links and edge channels. A Go SDK puts each write of its application into one message, whatever its size. */
export const dataLimits: FrameLimits = { headers: 64 * 1024, body: 64 * 1024 * 1024 }

/** Control, mesh and management channels, where one message can hold a whole data model. */
export const controlLimits: FrameLimits = { headers: 1024 * 1024, body: 256 * 1024 * 1024 }

/**
 * The memory that unfinished large frames may hold together, one for all channels of a process. A frame is charged for
 * what has arrived of it, so twenty bytes that announce a large one reserve nothing.
 */
export class FrameBudget {
  readonly limit: number
  #held = 0

  constructor(limit = 1024 * 1024 * 1024) {
    this.limit = limit
  }

  get held(): number {
    return this.#held
  }

  /** False when it would be too much. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.limit) return false
    this.#held += bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#held -= bytes
  }
}
