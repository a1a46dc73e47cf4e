/** The refusal for a value that is well formed and means nothing here; some operations word it this way. */
import { type ApiError, refusal } from '../operation/api-error.ts'

const LONGEST_SHOWN = 64

export function invalidField(field: string, value: string, reason: string): ApiError {
  const shown = value.length > LONGEST_SHOWN ? `${value.slice(0, LONGEST_SHOWN)}...` : value
  return refusal('INVALID_FIELD', `the value '${shown}' for '${field}' is invalid: ${reason}`)
}
