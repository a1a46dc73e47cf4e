/**
 * The answer of `/health-checks`, in the form that monitors of the peers read: keys in alphabetical order, four blanks
 * of indentation, and the status 200 whatever it says.
 */
import type { HealthState } from './health-check.ts'

export function healthDocument(states: readonly HealthState[], form: 'whole' | 'short'): string {
  const document = {
    data: {
      checks: states.map(form === 'short' ? shortOf : wholeOf),
      healthy: states.every(({ error }) => error === undefined),
    },
    meta: {},
  }
  return `${JSON.stringify(document, undefined, 4)}\n`
}

function shortOf({ id, error }: HealthState) {
  return { healthy: error === undefined, id }
}

function wholeOf(state: HealthState) {
  const { id, error, details, consecutiveFailures, failingSince, duration, time } = state
  return {
    ...(error === undefined ? {} : { consecutiveFailures }),
    ...(details === undefined ? {} : { details: details.value }),
    ...(error === undefined ? {} : { err: { message: error } }),
    ...(failingSince === undefined ? {} : { failingSince: wholeSeconds(failingSince) }),
    healthy: error === undefined,
    id,
    lastCheckDuration: durationText(duration),
    lastCheckTime: wholeSeconds(time),
  }
}

/** `14.27µs`, `1.2ms`, `2.5s`: how the peers write a duration. */
function durationText(milliseconds: number): string {
  if (milliseconds < 1) return `${trimmed(milliseconds * 1_000)}µs`
  return milliseconds < 1_000 ? `${trimmed(milliseconds)}ms` : `${trimmed(milliseconds / 1_000)}s`
}

function trimmed(value: number): string {
  return String(Number(value.toFixed(2)))
}

function wholeSeconds(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`
}
