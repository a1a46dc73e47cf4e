/**
 * A new password on its way into a row: judged by the policy of the identity it is for, then hashed off the event loop.
 */
import { tooManyRequests } from '../operation/api-error.ts'
import type { View } from '../state/view.ts'
import { HashingBusyError, type PasswordHasher } from './password-hash.ts'
import { checkPassword } from './password-rules.ts'

export interface NewPasswordDeps {
  readonly view: View
  readonly hasher: PasswordHasher
}

/** The hash to store. Throws what the policy does not accept, or that too many passwords are waiting. */
export async function hashNewPassword(
  { view, hasher }: NewPasswordDeps,
  identityId: string,
  password: string,
): Promise<string> {
  const identity = view.get('identities', identityId)
  const policy = identity && view.get('authPolicies', identity.authPolicyId)
  if (policy !== undefined) checkPassword(password, policy.primary.updb)
  try {
    return await hasher.hash(password)
  } catch (error) {
    if (!(error instanceof HashingBusyError)) throw error
    throw tooManyRequests(error)
  }
}
