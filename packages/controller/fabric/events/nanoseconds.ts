/** Spans of events are whole nanoseconds. */
export function nanoseconds(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds * 1_000_000))
}
