/**
 * What an auth policy asks of a password. Applied wherever one is set: by an administrator, by its owner, at enrollment.
 */
import { type ApiError, fieldError } from '../operation/api-error.ts'

export interface PasswordRules {
  readonly minPasswordLength: number
  readonly requireSpecialChar: boolean
  readonly requireNumberChar: boolean
  readonly requireMixedCase: boolean
}

/** Throws the first rule that a password breaks. The refusal never repeats the password. */
export function checkPassword(password: string, rules: PasswordRules): void {
  if ([...password].length < rules.minPasswordLength) {
    throw refused(`must be at least ${rules.minPasswordLength} characters long`)
  }
  if (rules.requireNumberChar && !/\p{Nd}/u.test(password)) throw refused('must contain a digit')
  if (rules.requireMixedCase && !(/\p{Lu}/u.test(password) && /\p{Ll}/u.test(password))) {
    throw refused('must contain upper and lower case letters')
  }
  if (rules.requireSpecialChar && !/[^\p{L}\p{N}\s]/u.test(password)) {
    throw refused('must contain a character that is neither letter nor digit')
  }
}

function refused(reason: string): ApiError {
  return fieldError('password', `password ${reason}`)
}
