/**
 * Revocations: tokens that end before their time, by token, by session, or all that an identity was issued so far.
 *
 * The id is chosen by whoever revokes, because it names what is revoked. Writing one again starts it anew. They go by
 * themselves once no token they could concern is alive.
 */

import { putRevocation } from '../auth/revoke-identity.ts'
import { ApiError, fieldError } from '../operation/api-error.ts'
import { created } from '../operation/envelope.ts'
import type { Call } from '../operation/operation.ts'
import { bodyContract } from '../resource-kit/body-contracts.ts'
import type { Change } from '../resource-kit/change.ts'
import { defineFields, type RowOf, text, time } from '../resource-kit/fields.ts'
import { defineResource } from '../resource-kit/resource.ts'
import { isUuid } from '../resource-kit/shapes.ts'
import type { Tags } from '../state/row.ts'

const types = ['JTI', 'IDENTITY', 'API_SESSION'] as const

const fields = defineFields({
  type: text({ oneOf: types, setBy: 'server', symbol: true }),
  expiresAt: time({ setBy: 'server', symbol: true }),
  /** Of an identity, only what was issued earlier has ended. */
  issuedBefore: time({ setBy: 'server', shown: 'never', symbol: true }),
})

export type Revocation = RowOf<typeof fields>

declare module '../state/row.ts' {
  interface TableRows {
    revocations: Revocation
  }
}

const requestFields = defineFields({
  id: text({ required: 'on create' }),
  type: text({ oneOf: types, required: 'on create' }),
})

interface Request {
  readonly id: string
  readonly type: (typeof types)[number]
  readonly tags?: Tags
}

export const revocations = defineResource({
  collection: 'revocations',
  singular: 'revocation',
  table: 'revocations',
  permission: 'revocation',
  fields,
  verbs: ['list', 'detail'],
  actions: [
    {
      method: 'POST',
      path: '',
      operationId: 'createRevocation',
      needs: 'create',
      body: bodyContract('revocation', requestFields, 'create'),
      async run({ body }: Call<Request>, kit) {
        await kit.write((change) => revoke(change, body))
        return created('revocations', body.id)
      },
    },
  ],
})

function revoke(change: Change, { id, type, tags = {} }: Request): void {
  if (type === 'IDENTITY') {
    if (change.view.get('identities', id) === undefined) throw new ApiError('NOT_FOUND')
  } else if (!isUuid(id)) throw fieldError('id', 'must be a valid UUID v4', id)
  putRevocation(change, id, type, tags)
}
