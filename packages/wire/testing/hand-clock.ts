/** A clock that goes when it is told to. */
import type { ChannelClock } from '../channel/surroundings.ts'

export class HandClock implements ChannelClock {
  #time = 1_000_000

  now(): number {
    return Date.UTC(2026, 0, 1) + this.#time
  }

  monotonic(): number {
    return this.#time
  }

  pass(milliseconds: number): void {
    this.#time += milliseconds
  }
}
