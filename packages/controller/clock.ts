/** Time as the controller uses it: wall time for what is shown and stored, monotonic time for waits and limits. */
export interface Clock {
  /** Milliseconds since the epoch, UTC. */
  now(): number
  /** Milliseconds since an arbitrary start; never goes back. */
  monotonic(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}

/** The API's text form of a time: UTC, exactly three fraction digits. */
export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
