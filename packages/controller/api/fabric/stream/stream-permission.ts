/** Who may open a management stream, and whether they still may. */
import { isDisabled } from '../../../auth/disabled.ts'
import type { SessionActivity } from '../../../auth/session-activity.ts'
import type { Clock } from '../../../clock.ts'
import type { Caller } from '../../../operation/caller.ts'
import type { EntityAccess } from '../../../operation/operation.ts'
import { allows } from '../../../operation/permissions.ts'
import type { View } from '../../../state/view.ts'

/** Administrators, and who has all rights on operations: there is no right to create them apart. */
export const streamAccess: EntityAccess = { entity: 'ops', action: 'create' }

export interface StreamPermissionDeps {
  readonly view: View
  readonly activity: Pick<SessionActivity, 'touch'>
  readonly clock: Clock
}

/**
 * Whether whoever has opened a stream may keep it. An open stream counts as use of its session. One that was opened with an
 * access token outlives the token, which nobody can renew on it, but not its revocation.
 */
export function mayStay({ view, activity, clock }: StreamPermissionDeps, caller: Caller): boolean {
  const identity = view.get('identities', caller.identityId)
  if (identity === undefined || isDisabled(identity, clock.now())) return false
  const isAdmin = identity.isAdmin || identity.isDefaultAdmin
  if (!allows({ ...caller, isAdmin, grants: new Set(identity.permissions) }, streamAccess)) return false
  const { bearer, sessionId } = caller
  if (bearer === undefined) {
    if (sessionId === undefined || view.get('apiSessions', sessionId) === undefined) return false
    activity.touch(sessionId)
    return true
  }
  const revoked = [bearer.tokenId, bearer.sessionId].some((id) => view.get('revocations', id) !== undefined)
  const ofIdentity = view.get('revocations', bearer.identityId)
  const revokedBefore = ofIdentity && Date.parse(ofIdentity.issuedBefore ?? ofIdentity.createdAt)
  return !revoked && (revokedBefore === undefined || bearer.issuedAt >= revokedBefore)
}
