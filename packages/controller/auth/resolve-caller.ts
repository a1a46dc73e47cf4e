/**
 * From the tokens of a request to who is calling.
 *
 * `zt-session` wins when it is there; bearer tokens are then only second factors. Without it, the first bearer token that is
 * an access token of the network is the session, and the others are second factors. A session whose identity is gone or
 * disabled, or whose way in has been closed, is no session. Every resolved call counts as activity.
 */

import type { Clock } from '../clock.ts'
import type { BearerSession, Caller } from '../operation/caller.ts'
import type { Call } from '../operation/operation.ts'
import { findOne, type View } from '../state/view.ts'
import type { AccessTokens } from './access-tokens.ts'
import { bearerTokens } from './bearer-tokens.ts'
import { bearerChallenge, sessionChallenge, unauthenticated, unauthorized } from './challenges.ts'
import { isDisabled } from './disabled.ts'
import type { ExternalTokens } from './external-tokens.ts'
import { type FactorState, outstandingFactors, requiredSignerId } from './outstanding-factors.ts'
import { isStillAllowed } from './primary-factor.ts'
import type { SessionActivity } from './session-activity.ts'

export interface CallerResolverDeps {
  readonly view: View
  readonly activity: SessionActivity
  readonly clock: Clock
  readonly externalTokens: Pick<ExternalTokens, 'isConfirmedBy'>
  /** Absent: no access token is accepted. */
  readonly accessTokens?: AccessTokens | undefined
}

/** What a token stands for, whichever kind it is. */
interface Session extends FactorState {
  readonly id: string
  readonly authenticatorId: string
  readonly bearer?: BearerSession
}

/** Grants are read from the identity's row; the set is made once per version of it. */
const grantsOf = new WeakMap<object, ReadonlySet<string>>()

export class CallerResolver {
  readonly #deps: CallerResolverDeps

  constructor(deps: CallerResolverDeps) {
    this.#deps = deps
  }

  /** Throws what the caller must be told when there is no usable token. Waits only where a token must be verified. */
  resolve(call: Call): Caller | Promise<Caller> {
    const token = call.header('zt-session')?.trim()
    if (token) return this.#bySession(token, call)
    const { accessTokens } = this.#deps
    const tokens = bearerTokens(call)
    if (tokens.length === 0) throw unauthenticated()
    if (accessTokens === undefined) throw noneOfOurs()
    return this.#byAccessToken(accessTokens, tokens, call)
  }

  #bySession(token: string, call: Call): Caller | Promise<Caller> {
    const { view } = this.#deps
    const session = findOne(view, 'apiSessions', 'token', token)
    const refusal = () => unauthorized(sessionChallenge('invalid'))
    if (session === undefined) throw refusal()
    const signerId = requiredSignerId(view, session.identityId)
    const tokens = signerId === undefined ? [] : bearerTokens(call)
    if (signerId === undefined || tokens.length === 0) return this.#callerOf(session, undefined) ?? raise(refusal())
    return this.#confirmed(session, signerId, tokens).then((caller) => caller ?? raise(refusal()))
  }

  async #byAccessToken(accessTokens: AccessTokens, tokens: readonly string[], call: Call): Promise<Caller> {
    let isMalformed = false
    for (const [index, token] of tokens.entries()) {
      const verdict = await accessTokens.verify(token, call)
      if (verdict === 'malformed') isMalformed = true
      if (verdict === 'foreign' || verdict === 'malformed') continue
      if (typeof verdict === 'string') throw unauthorized(bearerChallenge(verdict))
      const { sessionId: id, identityId, authenticatorId, isMfaComplete } = verdict
      // The policy alone decides here: a factor that was enrolled after the login is asked for at the next one.
      const session = { id, identityId, authenticatorId, isMfaComplete, isMfaRequired: false, bearer: verdict }
      const signerId = requiredSignerId(this.#deps.view, identityId)
      const others = tokens.toSpliced(index, 1)
      const caller =
        signerId === undefined ? this.#callerOf(session, undefined) : await this.#confirmed(session, signerId, others)
      return caller ?? raise(unauthorized(bearerChallenge('invalid')))
    }
    throw isMalformed ? unauthorized(bearerChallenge('invalid')) : noneOfOurs()
  }

  /** The caller once the tokens have been looked at for the second factor that the policy asks for. */
  async #confirmed(session: Session, signerId: string, tokens: readonly string[]): Promise<Caller | undefined> {
    const isConfirmed = await this.#deps.externalTokens.isConfirmedBy(signerId, session.identityId, tokens)
    return this.#callerOf(session, isConfirmed ? signerId : undefined)
  }

  #callerOf(session: Session, confirmedBy: string | undefined): Caller | undefined {
    const { view, activity, clock } = this.#deps
    const identity = view.get('identities', session.identityId)
    if (identity === undefined || isDisabled(identity, clock.now())) return undefined
    if (!isStillAllowed(view, identity, session.authenticatorId)) return undefined
    const { bearer } = session
    // A session that was ended while its second factor was verified must not be remembered as used.
    if (bearer === undefined && view.get('apiSessions', session.id) === undefined) return undefined
    if (bearer === undefined) activity.touch(session.id)
    const isPartial = outstandingFactors(view, session, confirmedBy).length > 0
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
      ...(confirmedBy !== undefined && { confirmedBy }),
      ...(bearer !== undefined && { bearer }),
    }
  }
}

/** Tokens came, and each may be good for something: none is for calling. */
function noneOfOurs(): Error {
  return unauthorized(sessionChallenge('missing'), bearerChallenge('missing'))
}

function raise(error: Error): never {
  throw error
}
