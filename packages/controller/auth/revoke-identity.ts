/**
 * Ends every token that an identity was issued before now. Written in the transaction that disables or deletes it.
 */
import type { Change } from '../resource-kit/change.ts'
import type { Tags } from '../state/row.ts'

/** How long a revocation must be remembered: no token lives longer. */
export const LONGEST_TOKEN_MILLISECONDS = 24 * 60 * 60 * 1000

export function revokeIdentity(change: Change, identityId: string): void {
  putRevocation(change, identityId, 'IDENTITY')
}

/** A revocation under an id; one that is there already starts anew. */
export function putRevocation(change: Change, id: string, type: string, tags: Tags = {}): void {
  change.remove('revocations', id)
  const expiresAt = new Date(Date.parse(change.now) + LONGEST_TOKEN_MILLISECONDS).toISOString()
  change.create('revocations', { type, expiresAt, issuedBefore: change.now, tags }, { id })
}
