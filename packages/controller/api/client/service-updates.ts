/** `GET /current-api-session/service-updates`: whether clients should fetch their services again. */
import { timestamp } from '../../clock.ts'
import { answerData } from '../../operation/envelope.ts'
import type { Call, Operation } from '../../operation/operation.ts'
import type { View } from '../../state/view.ts'
import type { ServiceChanges } from './service-changes.ts'

export interface ServiceUpdatesDeps {
  readonly view: View
  readonly changes: ServiceChanges
}

export function serviceUpdateOperations({ view, changes }: ServiceUpdatesDeps): Operation[] {
  return [
    {
      operationId: 'listServiceUpdates',
      method: 'GET',
      path: '/current-api-session/service-updates',
      access: 'session',
      handle({ caller }: Call) {
        const { identityId, sessionId } = caller
        const asking = { identityId, sessionId, since: sessionBegin(view, caller) }
        return answerData({ lastChangeAt: changes.lastChangeAt(asking) })
      },
    },
  ]
}

function sessionBegin(view: View, { sessionId, bearer }: Call['caller']): string {
  if (bearer !== undefined) return timestamp(bearer.issuedAt)
  return view.get('apiSessions', sessionId ?? '')?.createdAt ?? timestamp(0)
}
