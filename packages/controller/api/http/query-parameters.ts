/** Query parameters that an operation declares with a type or a closed set of values. */
import { type ApiError, fieldError } from '../../operation/api-error.ts'
import type { QueryParameter } from '../../operation/operation.ts'

/** Throws the refusal for the first declared parameter that is missing or has a wrong value. Others are not looked at. */
export function checkParameters(parameters: readonly QueryParameter[], query: URLSearchParams): void {
  for (const { name, kind, isRequired } of parameters) {
    const values = query.getAll(name).filter((value) => value !== '')
    if (values.length === 0) {
      if (isRequired) throw fieldError(name, `${name} in query is required`)
      continue
    }
    // Of repeated parameters the first one counts, but none may be wrong. A boolean is never wrong: what does not
    // read as true means false.
    for (const value of values) {
      if (kind === 'integer' && !isInt64(value))
        throw wrong(name, `must be of type int64: ${JSON.stringify(value)}`, value)
      if (typeof kind === 'object' && !kind.oneOf.includes(value)) {
        throw wrong(name, `should be one of [${kind.oneOf.join(' ')}]`, value)
      }
    }
  }
}

function wrong(name: string, what: string, value: string): ApiError {
  return fieldError(name, `${name} in query ${what}`, value)
}

const LONGEST_SAFE = 18
const LONGEST = 32

/** Decimal digits with an optional sign, within 64 bits. */
export function isInt64(text: string): boolean {
  const start = text.charCodeAt(0) === 0x2d || text.charCodeAt(0) === 0x2b ? 1 : 0
  if (text.length === start || text.length > LONGEST) return false
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x30 || code > 0x39) return false
  }
  if (text.length - start <= LONGEST_SAFE) return true
  const value = BigInt(text.slice(start)) * (text.charCodeAt(0) === 0x2d ? -1n : 1n)
  return BigInt.asIntN(64, value) === value
}
