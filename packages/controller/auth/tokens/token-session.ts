/**
 * A session that consists of tokens alone: how its owner sees it, and how it ends.
 */
import { timestamp } from '../../clock.ts'
import type { BearerSession } from '../../operation/caller.ts'
import type { Call } from '../../operation/operation.ts'
import type { Change } from '../../resource-kit/change.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import type { TableRows } from '../../state/row.ts'
import { outstandingFactors } from '../outstanding-factors.ts'
import { putRevocation } from '../revoke-identity.ts'

/** In the form of a stored session; it ends with its token. */
export function tokenSessionRecord(kit: Kit, call: Call, session: BearerSession, now: number): Record<string, unknown> {
  const since = timestamp(session.issuedAt)
  const row = {
    id: session.sessionId,
    createdAt: since,
    updatedAt: since,
    tags: {},
    isSystem: false,
    token: session.token,
    identityId: session.identityId,
    authenticatorId: session.authenticatorId,
    ipAddress: session.remoteAddress,
    configTypes: session.configTypes,
    isMfaRequired: false,
    isMfaComplete: session.isMfaComplete,
    isCertExtendable: session.isCertExtendable,
    isCertExtendRequested: session.isCertExtendRequested,
    isCertKeyRollRequested: session.isCertKeyRollRequested,
    improperClientCertChain: session.improperClientCertChain,
    lastActivityAt: timestamp(now),
  } as unknown as TableRows['apiSessions']
  const state = { identityId: session.identityId, isMfaRequired: false, isMfaComplete: session.isMfaComplete }
  return {
    ...kit.record('api-sessions', row, call),
    token: session.token,
    cachedLastActivityAt: timestamp(now),
    authQueries: outstandingFactors(kit.view, state, call.caller.confirmedBy),
    expiresAt: timestamp(session.expiresAt),
    expirationSeconds: Math.max(0, Math.floor((session.expiresAt - now) / 1000)),
  }
}

/** Ends all tokens of a session at once. */
export function revokeSession(change: Change, sessionId: string): void {
  putRevocation(change, sessionId, 'API_SESSION')
}
