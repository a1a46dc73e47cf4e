/**
 * The enrollment that can be asked for together with a new identity: made in the same transaction, so that an identity
 * that was promised one always has it.
 */
import { ApiError } from '../operation/api-error.ts'
import type { Change } from '../resource-kit/change.ts'
import { optionalObject } from '../resource-kit/fields.ts'
import type { Follow } from '../resource-kit/resource.ts'
import { flagShape, optional, textShape } from '../resource-kit/shapes.ts'
import type { Row } from '../state/row.ts'
import { expiry, type InvitationSigner, issueEnrollment } from './enrollment-issuing.ts'

/** Exactly one method counts, the first of `ott`, `ottca`, `updb`. */
export const firstEnrollment = optionalObject(
  { ott: optional(flagShape), ottca: optional(textShape()), updb: optional(textShape({ max: 100 })) },
  { setBy: 'creator', isTransient: true },
)

interface WithEnrollment extends Row {
  readonly enrollment: {
    readonly ott: boolean | undefined
    readonly ottca: string | undefined
    readonly updb: string | undefined
  } | null
}

export function createFirstEnrollment(signer: InvitationSigner): Follow<WithEnrollment> {
  return (change: Change, next, before) => {
    const wanted = before === undefined ? next?.enrollment : undefined
    if (!wanted) return
    const common = { identityId: next!.id, expiresAt: expiry(change.now, signer.identityDuration) }
    if (wanted.ott) issueEnrollment(change, signer, { ...common, method: 'ott' })
    else if (wanted.ottca) {
      if (change.view.get('cas', wanted.ottca) === undefined) {
        throw new ApiError('NOT_FOUND', { cause: { field: 'caId', reason: 'ca not found', value: wanted.ottca } })
      }
      issueEnrollment(change, signer, { ...common, method: 'ottca', caId: wanted.ottca })
    } else if (wanted.updb) issueEnrollment(change, signer, { ...common, method: 'updb', username: wanted.updb })
  }
}
