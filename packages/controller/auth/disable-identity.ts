/**
 * Disabling an identity ends what it has: its API sessions go, and tokens issued before now are revoked, in the same
 * transaction.
 */
import type { Change } from '../resource-kit/change.ts'
import { isDisabled } from './disabled.ts'
import { revokeIdentity } from './revoke-identity.ts'

/** No time beyond this can be written down. */
const LATEST = Date.UTC(9999, 11, 31)

/** Zero or negative minutes: until it is enabled again. */
export function disableIdentity(change: Change, identityId: string, minutes: number): void {
  const before = change.get('identities', identityId)
  const now = Date.parse(change.now)
  const disabledUntil = minutes > 0 ? new Date(Math.min(now + minutes * 60_000, LATEST)).toISOString() : null
  change.update('identities', identityId, { disabledAt: change.now, disabledUntil })
  for (const session of [...change.view.find('apiSessions', 'identityId', identityId)]) {
    change.remove('apiSessions', session.id)
  }
  if (!isDisabled(before, now)) revokeIdentity(change, identityId)
}

/** After too many wrong passwords. Whoever is disabled already stays so for as long as that was meant. */
export function lockOutIdentity(change: Change, identityId: string, minutes: number): void {
  const identity = change.get('identities', identityId)
  if (!isDisabled(identity, Date.parse(change.now))) disableIdentity(change, identityId, minutes)
}

export function enableIdentity(change: Change, identityId: string): void {
  change.update('identities', identityId, { disabledAt: null, disabledUntil: null })
}
