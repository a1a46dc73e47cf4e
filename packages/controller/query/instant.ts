/**
 * The instants that filters name. Rows hold times as text with milliseconds while a filter may name nanoseconds, so an
 * instant knows the last millisecond that is not after it and whether it is exactly that one.
 */
import { FilterError } from './filter-error.ts'

export interface Instant {
  /** The API's text form of the last millisecond that is not after the instant. */
  readonly floor: string
  /** Whether the instant is that millisecond; otherwise no time in a row equals it. */
  readonly isExact: boolean
  /** The instant as refusals quote it. */
  readonly quoted: string
}

const layout = '2006-01-02T15:04:05Z07:00'
const parts = /^(\d+)-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/
/** Sorts after every year of four digits; the text form of later years would sort before them. */
const afterAllYears = ':'

/** Reads a `datetime(…)` token. Refuses what has the shape of a time but is none. */
export function readInstant(token: string): Instant {
  const text = token
    .slice(token.indexOf('(') + 1, -1)
    .trim()
    .toUpperCase()
  const match = parts.exec(text)
  if (match === null) throw new FilterError(`could not parse datetime (${token})`)
  const [, yearText = '', month = '', day = '', hour = '', minute = '', second = '', fraction = ''] = match
  const refuse = (reason: string) => new FilterError(`parsing time "${text}"${reason}`)
  if (yearText.length < 4) throw refuse(` as "${layout}": cannot parse "${text}" as "2006"`)
  if (yearText.length > 4) throw refuse(` as "${layout}": cannot parse "${text.slice(4)}" as "-"`)
  if (Number(second) > 59) throw refuse(': second out of range')

  const wall = new Date(0)
  wall.setUTCFullYear(Number(yearText), Number(month) - 1, Number(day))
  if (wall.getUTCDate() !== Number(day)) throw refuse(': day out of range')
  const nanoseconds = fraction.slice(0, 9).padEnd(9, '0')
  wall.setUTCHours(Number(hour), Number(minute), Number(second), Number(nanoseconds.slice(0, 3)))
  const offset = match[8] === undefined ? '+0000' : `${match[8]}${match[9]}${match[10]}`
  const offsetMinutes = Number(`${offset[0]}1`) * (Number(offset.slice(1, 3)) * 60 + Number(offset.slice(3)))

  const utc = new Date(wall.getTime() - offsetMinutes * 60_000)
  const shown = nanoseconds.replace(/0+$/, '')
  const clock = `${hour}:${minute}:${second}${shown === '' ? '' : `.${shown}`}`
  return {
    floor: utc.getUTCFullYear() > 9999 ? afterAllYears : utc.toISOString(),
    isExact: nanoseconds.endsWith('000000'),
    quoted: `${yearText}-${month}-${day} ${clock} ${offsetMinutes === 0 ? '+0000 UTC' : `${offset} ${offset}`}`,
  }
}
