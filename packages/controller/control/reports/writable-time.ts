/** Times that routers tell. Their clocks may say anything, and not every number is a date. */
import { timestamp } from '../../clock.ts'

const LATEST = 8.64e15

/** From milliseconds since the epoch. */
export function writableTime(milliseconds: number): string {
  return timestamp(Math.max(0, Math.min(milliseconds, LATEST)))
}
