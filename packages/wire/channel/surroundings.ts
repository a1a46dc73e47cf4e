/** What channels are handed from outside: time, chance and somewhere to report to. */
import { randomBytes } from 'node:crypto'

export interface ChannelClock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds since an arbitrary start; never goes back. */
  monotonic(): number
}

export const systemClock: ChannelClock = { now: () => Date.now(), monotonic: () => performance.now() }

/** Fields never hold secrets or tokens. An error goes under `err`. */
export interface WireLog {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
}

export interface Surroundings {
  readonly clock: ChannelClock
  readonly log: WireLog
  randomBytes(size: number): Buffer
}

const silent: WireLog = { debug() {}, info() {}, warn() {}, error() {} }

/** The real ones, with what is given instead. */
export function surroundings(given: Partial<Surroundings> = {}): Surroundings {
  return { clock: systemClock, log: silent, randomBytes: (size) => randomBytes(size), ...given }
}
