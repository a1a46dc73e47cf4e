/**
 * Enrollments: open invitations. Whoever holds the token becomes the identity or router it names, so what belongs to an
 * administrator is seen and touched by administrators only.
 */
import { ApiError, fieldError, refusal } from '../api/api-error.ts'
import { created, empty } from '../api/envelope.ts'
import type { Call } from '../api/operation.ts'
import type { Caller } from '../auth/caller.ts'
import { bodyContract } from '../resource-kit/body-contracts.ts'
import type { Change } from '../resource-kit/change.ts'
import { defineFields, optionalReference, optionalText, type RowOf, text, time } from '../resource-kit/fields.ts'
import { defineResource, type Resource } from '../resource-kit/resource.ts'
import type { View } from '../state/view.ts'
import { type EnrollmentRequest, type InvitationSigner, issueEnrollment, newInvitation } from './enrollment-issuing.ts'
import { invalidField } from './invalid-field.ts'

const fields = defineFields({
  method: text({ oneOf: ['ott', 'ottca', 'updb', 'erott', 'trott'], setBy: 'server' }),
  token: text({ setBy: 'server', isSecret: true, unique: { reason: () => 'token must be unique' } }),
  jwt: text({ setBy: 'server', isSecret: true }),
  expiresAt: time({ setBy: 'server' }),
  identityId: optionalReference('identities', {
    setBy: 'server',
    onTargetDeleted: 'cascade',
    shown: 'when set',
    shownAs: 'identity',
    symbol: 'identity',
  }),
  edgeRouterId: optionalReference('routers', {
    setBy: 'server',
    onTargetDeleted: 'cascade',
    shown: 'when set',
    shownAs: 'edgeRouter',
    collection: 'edge-routers',
    symbol: 'edgeRouter',
  }),
  transitRouterId: optionalReference('routers', {
    setBy: 'server',
    onTargetDeleted: 'cascade',
    shown: 'when set',
    shownAs: 'transitRouter',
    collection: 'transit-routers',
    symbol: 'transitRouter',
  }),
  caId: optionalReference('cas', { setBy: 'server', onTargetDeleted: 'cascade', shown: 'when set', symbol: true }),
  username: optionalText({ setBy: 'server', shown: 'when set' }),
})

export type Enrollment = RowOf<typeof fields>

declare module '../state/row.ts' {
  interface TableRows {
    enrollments: Enrollment
  }
}

const requestFields = defineFields({
  method: text({ oneOf: ['ott', 'ottca', 'updb'], required: 'on create' }),
  identityId: text({ required: 'on create' }),
  expiresAt: time({ required: 'on create' }),
  caId: optionalText(),
  username: optionalText(),
})

type Request = Omit<RowOf<typeof requestFields>, 'method'> & { readonly method: 'ott' | 'ottca' | 'updb' }

const refreshFields = defineFields({ expiresAt: time({ required: 'on create' }) })

export function enrollments({ invitations }: { readonly invitations: InvitationSigner }): Resource {
  return defineResource({
    collection: 'enrollments',
    singular: 'enrollment',
    table: 'enrollments',
    permission: 'enrollment',
    fields,
    verbs: ['list', 'detail', 'delete'],
    isVisible: (enrollment, caller, view) => caller.isAdmin || !belongsToAdmin(enrollment, view),
    actions: [
      {
        method: 'POST',
        path: '',
        operationId: 'createEnrollment',
        needs: 'create',
        body: bodyContract('enrollment', requestFields, 'create'),
        async run(call: Call<Request>, kit) {
          const row = await kit.write((change) => createEnrollment(change, invitations, call.body, call.caller))
          return created('enrollments', row.id)
        },
      },
      {
        method: 'POST',
        path: '/{id}/refresh',
        operationId: 'refreshEnrollment',
        needs: 'update',
        body: bodyContract('refresh', refreshFields, 'create'),
        async run(call: Call<{ readonly expiresAt: string }>, kit) {
          const id = call.params['id']!
          await kit.write((change) => refresh(change, invitations, id, call.body.expiresAt))
          return empty
        },
      },
    ],
  })
}

function createEnrollment(change: Change, signer: InvitationSigner, request: Request, caller: Caller): Enrollment {
  const { identityId, method, expiresAt, caId, username } = request
  const identity = change.view.get('identities', identityId)
  if (identity === undefined) throw invalidField('identityId', identityId, 'identity not found')
  if (!caller.isAdmin && (identity.isAdmin || identity.isDefaultAdmin)) {
    throw refusal('UNAUTHORIZED', 'only administrators may enroll an administrator')
  }
  if (identity.typeId === 'Router') throw invalidField('identityId', identityId, 'routers enroll by themselves')
  if (expiresAt! <= change.now) throw invalidField('expiresAt', expiresAt!, 'expiresAt must be in the future')
  if (method === 'ottca' && (!caId || change.view.get('cas', caId) === undefined)) {
    throw invalidField('caId', caId ?? '', 'ca not found')
  }
  if (method === 'updb' && !username) throw invalidField('username', '', 'username not provided')
  for (const open of change.view.find('enrollments', 'identityId', identityId)) {
    if (open.method !== method) continue
    const cause = { field: 'method', reason: 'enrollment of same method exists', value: method }
    throw new ApiError('ENROLLMENT_EXISTS', { cause })
  }
  const extras = { ...(method === 'ottca' && { caId: caId! }), ...(method === 'updb' && { username: username! }) }
  return issueEnrollment(change, signer, { method, identityId, expiresAt: expiresAt!, ...extras }, { idKind: 'uuid' })
}

function refresh(change: Change, signer: InvitationSigner, id: string, expiresAt: string): void {
  const enrollment = change.view.get('enrollments', id)
  if (enrollment === undefined || (!change.caller?.isAdmin && belongsToAdmin(enrollment, change.view))) {
    throw new ApiError('NOT_FOUND')
  }
  if (enrollment.identityId === null) {
    throw fieldError('id', 'only enrollments of identities can be refreshed; re-enroll the router instead', id)
  }
  if (expiresAt <= change.now) throw fieldError('expiresAt', 'must be after the current date and time', expiresAt)
  const request = { ...enrollment, expiresAt } as unknown as EnrollmentRequest
  change.update('enrollments', id, { expiresAt, ...newInvitation(signer, request) })
}

function belongsToAdmin(enrollment: Enrollment, view: View): boolean {
  const identity = enrollment.identityId === null ? undefined : view.get('identities', enrollment.identityId)
  return identity !== undefined && (identity.isAdmin || identity.isDefaultAdmin)
}
