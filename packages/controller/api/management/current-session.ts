/**
 * The caller's own API session.
 */
import { ownSessionRecord } from '../../auth/open-session.ts'
import type { SecondFactor } from '../../auth/second-factor.ts'
import type { SessionActivity } from '../../auth/session-activity.ts'
import type { NetworkTokens } from '../../auth/tokens/network-tokens.ts'
import { revokeSession, tokenSessionRecord } from '../../auth/tokens/token-session.ts'
import { type Clock, timestamp } from '../../clock.ts'
import { ApiError } from '../../operation/api-error.ts'
import { answerData, empty } from '../../operation/envelope.ts'
import type { Answer, Call, Operation } from '../../operation/operation.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { type CodeBody, codeContract } from './mfa-code.ts'

export interface CurrentSessionDeps {
  readonly kit: Kit
  readonly clock: Clock
  readonly activity: SessionActivity
  /** Milliseconds. */
  readonly sessionTimeout: number
  readonly factor: SecondFactor
  readonly tokens: Pick<NetworkTokens, 'signTotp'>
}

export function currentSessionOperations(deps: CurrentSessionDeps): Operation[] {
  const { kit } = deps
  return [
    {
      operationId: 'getCurrentAPISession',
      method: 'GET',
      path: '/current-api-session',
      access: 'partial',
      handle: (call) => {
        const { bearer } = call.caller
        if (bearer !== undefined) return answerData(tokenSessionRecord(kit, call, bearer, deps.clock.now()))
        return answerData(ownSessionRecord(deps, call, sessionOf(kit, call)))
      },
    },
    {
      operationId: 'deleteCurrentAPISession',
      method: 'DELETE',
      path: '/current-api-session',
      access: 'partial',
      async handle(call) {
        const { bearer } = call.caller
        if (bearer !== undefined) {
          await kit.write(call, (change) => revokeSession(change, bearer.sessionId))
          return empty
        }
        const { id } = sessionOf(kit, call)
        await kit.write(call, (change) => change.remove('apiSessions', id))
        return empty
      },
    },
    {
      operationId: 'createTotpToken',
      method: 'POST',
      path: '/current-api-session/totp-token',
      access: 'session',
      body: codeContract('mfaValidation'),
      handle: (call: Call<CodeBody>) => totpToken(deps, call),
    },
  ]
}

/** Proves a second factor to routers, for sessions that are tokens themselves. A stored session is none. */
async function totpToken({ kit, factor, tokens }: CurrentSessionDeps, call: Call<CodeBody>): Promise<Answer> {
  const { bearer } = call.caller
  if (bearer === undefined) throw new ApiError('INVALID_BACKING_TOKEN_TYPE')
  await kit.write(call, (change) => {
    const mfa = factor.of(change.view, bearer.identityId)
    if (mfa?.isVerified !== true) throw new ApiError('MFA_NOT_ENROLLED')
    factor.spend(change, mfa, call.body.code, ['totp'])
  })
  const { token, issuedAt } = tokens.signTotp(bearer)
  return answerData({ issuedAt: timestamp(issuedAt), token }, null)
}

function sessionOf(kit: Kit, { caller }: Call) {
  const session = kit.view.get('apiSessions', caller.sessionId ?? '')
  if (session === undefined) throw new ApiError('UNAUTHORIZED')
  return session
}
