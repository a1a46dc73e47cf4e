/** How often something is to happen, written as the peers do (`90s`, `5m`, `1h30m`). */
const PART = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/gy

const MILLISECONDS = { ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const

/** Longer texts are no durations anybody wrote. */
const MAX_TEXT = 64

/** The milliseconds a text stands for, or undefined when it is not a duration. */
export function parseInterval(text: string): number | undefined {
  if (text.length > MAX_TEXT) return undefined
  PART.lastIndex = 0
  let total = 0
  let end = 0
  for (const [part, amount, unit] of text.matchAll(PART)) {
    total += Number(amount) * MILLISECONDS[unit as keyof typeof MILLISECONDS]
    end += part.length
  }
  return end > 0 && end === text.length ? total : undefined
}
