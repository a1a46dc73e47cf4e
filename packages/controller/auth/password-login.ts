/**
 * Login by user name and password.
 *
 * All refusals look and cost the same: an unknown user is hashed against nothing, and whether the identity is disabled or its
 * policy forbids passwords is only looked at after the hash has been computed.
 */

import type { Clock } from '../clock.ts'
import { tooManyRequests } from '../operation/api-error.ts'
import type { Kit } from '../resource-kit/kit.ts'
import type { TableRows } from '../state/row.ts'
import { findOne } from '../state/view.ts'
import { lockOutIdentity } from './disable-identity.ts'
import { isDisabled } from './disabled.ts'
import { type Login, LoginRefused } from './login.ts'
import type { LoginAttempts } from './login-attempts.ts'
import { HashingBusyError, type PasswordHasher } from './password-hash.ts'

type Authenticator = TableRows['authenticators']

export interface PasswordLoginDeps {
  readonly kit: Kit
  readonly hasher: PasswordHasher
  readonly attempts: LoginAttempts
  readonly clock: Clock
}

export class PasswordLogin {
  readonly #deps: PasswordLoginDeps

  constructor(deps: PasswordLoginDeps) {
    this.#deps = deps
  }

  async login(username: string, password: string): Promise<Login> {
    const { kit, hasher } = this.#deps
    const authenticator = findOne(kit.view, 'authenticators', 'username', username)
    if (authenticator !== undefined) return this.confirm(authenticator, password)
    await orBusy(() => hasher.verifyNothing(password))
    throw new LoginRefused('unknown user name')
  }

  /** Checks the password of an authenticator that is known already. A wrong one counts as a failed login. */
  async confirm(authenticator: Authenticator, password: string): Promise<Login> {
    const { kit, hasher, attempts, clock } = this.#deps
    const who = { identityId: authenticator.identityId, authenticatorId: authenticator.id }
    const verdict = await orBusy(() => hasher.verify(password, authenticator.passwordHash ?? ''))
    const identity = kit.view.get('identities', who.identityId)
    const policy = identity && kit.view.get('authPolicies', identity.authPolicyId)
    if (identity === undefined || policy === undefined) throw new LoginRefused('identity is gone', who)
    if (!policy.primary.updb.allowed) throw new LoginRefused('the auth policy does not allow passwords', who)
    if (!verdict.isRight) {
      const { maxAttempts, lockoutDurationMinutes } = policy.primary.updb
      if (attempts.failed(authenticator.id, maxAttempts)) {
        await kit.writeAsController((change) => lockOutIdentity(change, identity.id, lockoutDurationMinutes))
      }
      throw new LoginRefused('wrong password', who)
    }
    if (isDisabled(identity, clock.now())) throw new LoginRefused('identity is disabled', who)
    attempts.succeeded(authenticator.id)
    if (verdict.isOutdated) return this.#strengthen(authenticator, password)
    return { ...who, passwordHash: authenticator.passwordHash ?? undefined }
  }

  /** A hash that was changed meanwhile stays, by another login or to another password: the password is held against it. */
  async #strengthen({ id, identityId, passwordHash: weak }: Authenticator, password: string): Promise<Login> {
    const { kit, hasher } = this.#deps
    const passwordHash = await orBusy(() => hasher.hash(password))
    const now = await kit.writeAsController((change) => {
      const row = change.view.get('authenticators', id)
      return row?.passwordHash === weak ? change.update('authenticators', id, { passwordHash }) : row
    })
    const who = { identityId, authenticatorId: id }
    if (now === undefined) throw new LoginRefused('the authenticator is gone', who)
    return now.passwordHash === passwordHash ? { ...who, passwordHash } : this.confirm(now, password)
  }
}

async function orBusy<T>(hashing: () => Promise<T>): Promise<T> {
  try {
    return await hashing()
  } catch (error) {
    if (!(error instanceof HashingBusyError)) throw error
    throw tooManyRequests(error)
  }
}
