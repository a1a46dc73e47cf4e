import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../operation/api-error.ts'
import { checkPassword, type PasswordRules } from './password-rules.ts'

const lenient: PasswordRules = {
  minPasswordLength: 5,
  requireSpecialChar: false,
  requireNumberChar: false,
  requireMixedCase: false,
}
const strict: PasswordRules = {
  minPasswordLength: 12,
  requireSpecialChar: true,
  requireNumberChar: true,
  requireMixedCase: true,
}

const cases: [PasswordRules, string, string | undefined][] = [
  [lenient, 'admin', undefined],
  [lenient, 'abcd', 'password must be at least 5 characters long'],
  [lenient, '🔑🔑🔑🔑', 'password must be at least 5 characters long'],
  [strict, 'Correct-horse-1', undefined],
  [strict, 'Grüße-aus-Bern-7', undefined],
  [strict, 'Correct-1', 'password must be at least 12 characters long'],
  [strict, 'Correct-horse-one', 'password must contain a digit'],
  [strict, 'correct-horse-1', 'password must contain upper and lower case letters'],
  [strict, 'CORRECT-HORSE-1', 'password must contain upper and lower case letters'],
  [strict, 'CorrectHorse 123', 'password must contain a character that is neither letter nor digit'],
]

for (const [rules, password, reason] of cases) {
  test(`${password} under ${rules === strict ? 'strict' : 'lenient'} rules: ${reason ?? 'accepted'}`, () => {
    if (reason === undefined) return checkPassword(password, rules)
    assert.throws(
      () => checkPassword(password, rules),
      (error) => {
        assert.ok(error instanceof ApiError)
        assert.deepEqual(error.detail, { field: 'password', reason, value: '' })
        return true
      },
    )
  })
}
