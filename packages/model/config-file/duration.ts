/**
 * Durations in the notation of Go: `5s`, `1m30s`, `1.5h`, `250ms`. In memory a duration is a number of milliseconds.
 */
const unitMilliseconds: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  '\u00b5s': 1e-3,
  '\u03bcs': 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}
const part = /([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/uy
// Go counts nanoseconds in 63 bits: a bit over 292 years.
const longest = 2 ** 63 / 1e6
const longestNotation = 100

export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute

/** Milliseconds, or undefined when the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  if (text.length > longestNotation) return undefined
  const sign = text.startsWith('-') ? -1 : 1
  const body = text.replace(/^[-+]/u, '')
  if (body === '0') return 0
  let total = 0
  let at = 0
  while (at < body.length) {
    part.lastIndex = at
    const found = part.exec(body)
    if (!found) return undefined
    total += Number(found[1]) * unitMilliseconds[found[2]!]!
    at = part.lastIndex
  }
  if (at === 0 || total > longest) return undefined
  const nanosecondExact = total < 1e9 ? Math.round(total * 1e6) / 1e6 : total
  return nanosecondExact === 0 ? 0 : sign * nanosecondExact
}

/** The shortest usual notation: 5400000 is `1h30m`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 0) return `-${formatDuration(-milliseconds)}`
  if (milliseconds === 0) return '0s'
  if (milliseconds < 1) return milliseconds < 1e-3 ? `${milliseconds * 1e6}ns` : `${milliseconds * 1e3}us`
  if (milliseconds < second) return `${milliseconds}ms`
  const hours = Math.floor(milliseconds / hour)
  const minutes = Math.floor((milliseconds % hour) / minute)
  const seconds = Math.round(milliseconds % minute) / second
  return (hours > 0 ? `${hours}h` : '') + (minutes > 0 ? `${minutes}m` : '') + (seconds > 0 ? `${seconds}s` : '')
}
