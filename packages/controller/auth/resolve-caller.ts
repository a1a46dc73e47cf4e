/**
 * From the token of a request to who is calling.
 *
 * `zt-session` wins when it is there; bearer tokens are then only second factors. A session whose identity is gone or
 * disabled is no session. Every resolved call counts as activity.
 */

import type { Clock } from '../clock.ts'
import { type Caller, nobody } from '../operation/caller.ts'
import type { Call } from '../operation/operation.ts'
import type { TableRows } from '../state/row.ts'
import { findOne, type View } from '../state/view.ts'
import { bearerChallenge, sessionChallenge, unauthenticated, unauthorized } from './challenges.ts'
import { isDisabled } from './disabled.ts'
import { outstandingFactors } from './outstanding-factors.ts'
import type { SessionActivity } from './session-activity.ts'

export interface CallerResolverDeps {
  readonly view: View
  readonly activity: SessionActivity
  readonly clock: Clock
}

/** Grants are read from the identity's row; the set is made once per version of it. */
const grantsOf = new WeakMap<object, ReadonlySet<string>>()

export class CallerResolver {
  readonly #deps: CallerResolverDeps

  constructor(deps: CallerResolverDeps) {
    this.#deps = deps
  }

  /** Throws what the caller must be told when there is no usable token. */
  resolve(call: Call): Caller {
    const token = call.header('zt-session')?.trim()
    if (token) return this.#bySession(token)
    const authorization = call.header('authorization')
    if (authorization?.startsWith('Bearer ')) throw unauthorized(bearerChallenge('invalid'))
    throw unauthenticated()
  }

  #bySession(token: string): Caller {
    const session = findOne(this.#deps.view, 'apiSessions', 'token', token)
    const caller = session === undefined ? nobody : this.#callerOf(session)
    if (caller === nobody) throw unauthorized(sessionChallenge('invalid'))
    return caller
  }

  #callerOf(session: TableRows['apiSessions']): Caller {
    const { view, activity, clock } = this.#deps
    const identity = view.get('identities', session.identityId)
    if (identity === undefined || isDisabled(identity, clock.now())) return nobody
    activity.touch(session.id)
    const isPartial = outstandingFactors(view, session).length > 0
    let grants = grantsOf.get(identity)
    if (grants === undefined) {
      grants = new Set(identity.permissions)
      grantsOf.set(identity, grants)
    }
    return {
      kind: isPartial ? 'partial' : 'full',
      identityId: identity.id,
      identityName: identity.name,
      isAdmin: identity.isAdmin || identity.isDefaultAdmin,
      grants,
      sessionId: session.id,
    }
  }
}
