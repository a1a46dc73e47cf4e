/**
 * The caller's own API session.
 */
import { ownSessionRecord } from '../../auth/open-session.ts'
import type { SessionActivity } from '../../auth/session-activity.ts'
import { ApiError } from '../../operation/api-error.ts'
import { answerData, empty } from '../../operation/envelope.ts'
import type { Call, Operation } from '../../operation/operation.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { codeContract } from './mfa-code.ts'

export interface CurrentSessionDeps {
  readonly kit: Kit
  readonly activity: SessionActivity
  /** Milliseconds. */
  readonly sessionTimeout: number
}

export function currentSessionOperations(deps: CurrentSessionDeps): Operation[] {
  const { kit } = deps
  return [
    {
      operationId: 'getCurrentAPISession',
      method: 'GET',
      path: '/current-api-session',
      access: 'partial',
      handle: (call) => answerData(ownSessionRecord(deps, call, sessionOf(kit, call))),
    },
    {
      operationId: 'deleteCurrentAPISession',
      method: 'DELETE',
      path: '/current-api-session',
      access: 'partial',
      async handle(call) {
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
      handle: () => {
        // The token proves a second factor to routers, for sessions that are tokens themselves. A stored session is none.
        throw new ApiError('INVALID_BACKING_TOKEN_TYPE')
      },
    },
  ]
}

function sessionOf(kit: Kit, { caller }: Call) {
  const session = kit.view.get('apiSessions', caller.sessionId ?? '')
  if (session === undefined) throw new ApiError('UNAUTHORIZED')
  return session
}
