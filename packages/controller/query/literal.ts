/** The values that tokens stand for. */
import { plainDecimal } from './decimal-text.ts'
import { FilterError } from './filter-error.ts'
import { readInstant } from './instant.ts'
import type { Literal } from './syntax-tree.ts'

const integer = /^-?[0-9]+$/
const maxInteger = 2n ** 63n - 1n
const minInteger = -(2n ** 63n)
/** No integer of 64 bits has more characters; a longer text is not worth the arithmetic. */
const maxIntegerLength = 20

/**
 * Reads a string token. The escapes are undone one kind after the other, backslashes first, as the peers do: `"\\n"` is
 * a line feed.
 */
export function readString(token: string): Literal {
  let value = token.slice(1, -1)
  if (value.includes('\\')) {
    value = value
      .replaceAll('\\\\', '\\')
      .replaceAll('\\"', '"')
      .replaceAll('\\f', '\f')
      .replaceAll('\\n', '\n')
      .replaceAll('\\r', '\r')
      .replaceAll('\\t', '\t')
      .replaceAll('\\\\', '\\')
  }
  return { kind: 'string', value }
}

/** Reads a number token: an integer where it is one of 64 bits, floating point otherwise. */
export function readNumber(token: string): Literal {
  const whole = int64(token)
  if (whole !== undefined) {
    const value = Number(whole)
    return { kind: 'integer', value: BigInt(value) === whole ? value : whole, text: String(whole) }
  }
  const value = Number(token)
  if (Number.isFinite(value)) return { kind: 'float', value }
  const problem = integer.test(token) ? 'value out of range' : 'invalid syntax'
  throw new FilterError(
    `could not parse number as float or int: int(strconv.ParseInt: parsing "${token}": ${problem}) ` +
      `and float(strconv.ParseFloat: parsing "${token}": value out of range)`,
  )
}

/** Reads the number of a `skip` or `limit` clause, which must be an integer. */
export function readInteger(token: string, clause: 'skip' | 'limit'): number {
  const literal = readNumber(token)
  if (literal.kind === 'integer') return Number(literal.value)
  throw new FilterError(`expected integer value for ${clause}, but got *ast.Float64ConstNode`)
}

/** Reads a `datetime(…)` token. */
export function readDatetime(token: string): Literal {
  return { kind: 'datetime', value: readInstant(token) }
}

/** A literal as the text that strings are compared with, or undefined for what has none. */
export function literalText(literal: Literal): string | undefined {
  switch (literal.kind) {
    case 'string':
      return literal.value
    case 'integer':
      return literal.text
    case 'float':
      return plainDecimal(literal.value)
    default:
      return undefined
  }
}

function int64(token: string): bigint | undefined {
  if (token.length > maxIntegerLength || !integer.test(token)) return undefined
  const value = BigInt(token)
  return value >= minInteger && value <= maxInteger ? value : undefined
}
