/**
 * How long a second factor counts.
 *
 * A code is good until its time is over. Waking or unlocking the endpoint asks for a new one within five minutes, counted
 * from the first such event since the last code: further ones do not start the time anew.
 */
import type { MfaDemand, MfaState } from './posture-demand.ts'

/** How long a session may go on after an event that asks for a new code. */
export const promptGraceMilliseconds = 5 * 60_000

export interface MfaStanding {
  readonly isPassing: boolean
  /** When a new code is due, in milliseconds since the epoch; undefined when none is or was accepted for ever. */
  readonly dueAt: number | undefined
}

export function mfaStanding(demand: MfaDemand, state: MfaState, now: number): MfaStanding {
  const { passedAt, wokenAt, unlockedAt } = state
  if (passedAt === undefined) return { isPassing: false, dueAt: now }
  const limits: number[] = []
  if (demand.timeoutSeconds > 0) limits.push(passedAt + demand.timeoutSeconds * 1000)
  if (demand.promptOnWake && isAfter(wokenAt, passedAt)) limits.push(wokenAt! + promptGraceMilliseconds)
  if (demand.promptOnUnlock && isAfter(unlockedAt, passedAt)) limits.push(unlockedAt! + promptGraceMilliseconds)
  if (limits.length === 0) return { isPassing: true, dueAt: undefined }
  const dueAt = Math.min(...limits)
  return { isPassing: now < dueAt, dueAt }
}

/** The state after an endpoint has woken or was unlocked. */
export function withEndpointEvents(
  state: MfaState,
  events: { readonly woken?: boolean | undefined; readonly unlocked?: boolean | undefined },
  now: number,
): MfaState {
  const { passedAt, wokenAt, unlockedAt } = state
  return {
    passedAt,
    wokenAt: events.woken ? firstSince(passedAt, wokenAt, now) : wokenAt,
    unlockedAt: events.unlocked ? firstSince(passedAt, unlockedAt, now) : unlockedAt,
  }
}

function firstSince(passedAt: number | undefined, known: number | undefined, now: number): number {
  return passedAt !== undefined && isAfter(known, passedAt) ? known! : now
}

function isAfter(time: number | undefined, other: number): boolean {
  return time !== undefined && time > other
}
