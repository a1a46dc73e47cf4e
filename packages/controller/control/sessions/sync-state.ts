/**
 * What stands on messages about API sessions: to which synchronisation one belongs, and which part of it it is. Routers
 * ignore a synchronisation whose id sorts before one they have seen, so ids only ever ascend.
 */
import type { Clock } from '../../clock.ts'

/** The only way of synchronising that there is. */
export const SYNC_STRATEGY = 'instant'

export interface SyncState {
  readonly id: string
  /** From zero. */
  readonly sequence: number
  readonly isLast: boolean
}

export function syncState({ id, isLast, sequence }: SyncState): string {
  return JSON.stringify({ id, isLast, sequence })
}

const DIGITS = 36

/** Time first, then a count, so that they ascend over restarts too. */
export class SyncIds {
  readonly #clock: Pick<Clock, 'now'>
  #time = 0
  #count = 0

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  next(): string {
    const now = Math.max(this.#time, this.#clock.now())
    this.#count = now === this.#time ? this.#count + 1 : 0
    this.#time = now
    return `c${digits(now, 9)}${digits(this.#count, 15)}`
  }
}

function digits(value: number, length: number): string {
  return Math.floor(value).toString(DIGITS).padStart(length, '0')
}
