/**
 * Turns the bytes of a body into a JSON value: UTF-8 only, a bounded depth, the first value counts and what follows it
 * does not, no key that could reach an object's prototype.
 *
 * The depth is checked before parsing, so that nothing later has to fear its own recursion.
 */
import { isUtf8 } from 'node:buffer'
import { unparsableBody } from '../../operation/api-error.ts'
import { describeSyntaxError } from './json-syntax.ts'

/** Config data and JSON schemas are the deepest things anyone sends. */
const DEEPEST_NESTING = 100

/** The value of a body; undefined when there is only white space. Throws `COULD_NOT_PARSE_BODY`. */
export function parseJsonBody(bytes: Buffer, name: string): unknown {
  if (!isUtf8(bytes)) throw unparsableBody(name, 'the body is not valid UTF-8')
  const text = bytes.toString('utf8')
  const start = skipSpace(text, 0)
  if (start === text.length) return undefined
  const end = endOfFirstValue(text, start)
  if (end < 0) throw unparsableBody(name, `it is nested deeper than ${DEEPEST_NESTING} levels`)
  const value = wellFormed(start === 0 && end === text.length ? text : text.slice(start, end))
  try {
    const parsed: unknown = mayNamePrototype(value) ? JSON.parse(value, withoutPrototype) : JSON.parse(value)
    if (MAY_OVERFLOW.test(value)) JSON.parse(value, refuseInfinite)
    return parsed
  } catch (error) {
    if (error instanceof TooLargeNumber) throw unparsableBody(name, 'it holds a number that is too large')
    // The parser's error is dropped, not kept as the cause: its message quotes the body.
    throw unparsableBody(name, describeSyntaxError(value))
  }
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && isSpace(text.charCodeAt(at))) at++
  return at
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** Where the value that begins at `start` ends, be it well-formed or not; -1 when it is nested too deeply. */
function endOfFirstValue(text: string, start: number): number {
  let depth = 0
  let at = start
  while (at < text.length) {
    const code = text.charCodeAt(at)
    at++
    if (code === 0x22) at = endOfString(text, at)
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > DEEPEST_NESTING) return -1
    } else if (code === 0x7d || code === 0x5d) depth--
    else if (depth > 0 || !isSpace(code)) continue
    else return at - 1
    if (depth <= 0) return at
  }
  return text.length
}

/** The index after the closing quote of a string whose first character is at `from`. */
function endOfString(text: string, from: number): number {
  let at = from
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return text.length
    let escapes = quote
    while (escapes > from && text.charCodeAt(escapes - 1) === 0x5c) escapes--
    if ((quote - escapes) % 2 === 0) return quote + 1
    at = quote + 1
  }
}

/** Escaped halves of surrogate pairs become U+FFFD, since no store and no peer can hold them as they are. */
function wellFormed(text: string): string {
  if (!text.includes('\\ud') && !text.includes('\\uD')) return text
  return text.replace(
    /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)/g,
    (found) => (found.length === 6 ? '\\ufffd' : found),
  )
}

/** Any number that could leave the range has three digits of exponent, or that many digits before it. Linear in time. */
const MAY_OVERFLOW = /\d[eE]\+?\d{3}|(?<!\d)\d{200}/

class TooLargeNumber extends Error {}

/** Infinity has no form in JSON: kept, it would be another value after the next start. */
function refuseInfinite(_key: string, value: unknown): unknown {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) throw new TooLargeNumber()
  return value
}

function mayNamePrototype(text: string): boolean {
  return text.includes('__proto__') || text.includes('\\u005f') || text.includes('\\u005F')
}

function withoutPrototype(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value
}
