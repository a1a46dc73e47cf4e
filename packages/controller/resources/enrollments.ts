/**
 * Enrollments: open invitations. Whoever holds the token becomes the identity or router it names, so what belongs to an
 * administrator is seen and touched by administrators only.
 */
import { ApiError, fieldError, refusal } from '../operation/api-error.ts'
import type { Caller } from '../operation/caller.ts'
import { created, empty } from '../operation/envelope.ts'
import type { Call } from '../operation/operation.ts'
import { requestContract } from '../resource-kit/body-contracts.ts'
import type { Change } from '../resource-kit/change.ts'
import { defineFields, optionalReference, optionalText, type RowOf, text, time } from '../resource-kit/fields.ts'
import { defineResource, type Resource } from '../resource-kit/resource.ts'
import type { View } from '../state/view.ts'
import { usernameLimits } from './authenticator-actions.ts'
import { type EnrollmentRequest, type InvitationSigner, issueEnrollment, newInvitation } from './enrollment-issuing.ts'
import { isAdministrator } from './identities.ts'
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
  /** Not shown: the peers never fill this member. */
  username: optionalText({ setBy: 'server', shown: 'never' }),
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
  username: optionalText(usernameLimits),
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
    rules: [isOnlyOneOfItsMethod],
    isVisible: (enrollment, caller, view) => mayManage(caller, enrollment.identityId, view),
    guard: (caller, _action, before, _body, view) => {
      if (before !== undefined) refuseUnlessAdmin(caller, before.identityId, view)
    },
    actions: [
      {
        method: 'POST',
        path: '',
        operationId: 'createEnrollment',
        needs: 'create',
        body: requestContract('enrollment', requestFields),
        async run(call: Call<Request>, kit) {
          const row = await kit.write((change) => {
            refuseUnlessAdmin(call.caller, call.body.identityId, change.view)
            return createEnrollment(change, invitations, call.body)
          })
          return created('enrollments', row.id)
        },
      },
      {
        method: 'POST',
        path: '/{id}/refresh',
        operationId: 'refreshEnrollment',
        needs: 'update',
        body: requestContract('refresh', refreshFields),
        async run(call: Call<{ readonly expiresAt: string }>, kit) {
          const id = call.params['id']!
          if (kit.view.get('enrollments', id) === undefined) throw new ApiError('NOT_FOUND')
          await kit.write((change) => refresh(change, invitations, kit.row(change.view), call.body.expiresAt))
          return empty
        },
      },
    ],
  })
}

function createEnrollment(change: Change, signer: InvitationSigner, request: Request): Enrollment {
  const { identityId, method, expiresAt, caId, username } = request
  const identity = change.view.get('identities', identityId)
  if (identity === undefined) throw invalidField('identityId', identityId, 'identity not found')
  if (identity.typeId === 'Router') throw invalidField('identityId', identityId, 'routers enroll by themselves')
  if (expiresAt! <= change.now) throw invalidField('expiresAt', expiresAt!, 'expiresAt must be in the future')
  if (method === 'ottca' && (!caId || change.view.get('cas', caId) === undefined)) {
    throw invalidField('caId', caId ?? '<nil>', 'ca not found')
  }
  if (method === 'updb' && !username) throw invalidField('username', '<nil>', 'username not provided')
  const extras = { ...(method === 'ottca' && { caId: caId! }), ...(method === 'updb' && { username: username! }) }
  return issueEnrollment(change, signer, { method, identityId, expiresAt: expiresAt!, ...extras }, { idKind: 'uuid' })
}

/** Whichever way it comes about: by itself, with a new identity, or in place of an authenticator. */
function isOnlyOneOfItsMethod(next: Enrollment, before: Enrollment | undefined, change: Change): void {
  if (before !== undefined || next.identityId === null) return
  for (const open of change.view.find('enrollments', 'identityId', next.identityId)) {
    if (open.method !== next.method) continue
    const cause = { field: 'method', reason: 'enrollment of same method exists', value: next.method }
    throw new ApiError('ENROLLMENT_EXISTS', { cause })
  }
}

function refresh(change: Change, signer: InvitationSigner, enrollment: Enrollment, expiresAt: string): void {
  const { id } = enrollment
  if (enrollment.identityId === null) {
    throw fieldError('id', 'only enrollments of identities can be refreshed; re-enroll the router instead', id)
  }
  if (expiresAt <= change.now) throw fieldError('expiresAt', 'must be after the current date and time', expiresAt)
  const request = { ...enrollment, expiresAt } as unknown as EnrollmentRequest
  change.update('enrollments', id, { expiresAt, ...newInvitation(signer, request) })
}

function mayManage(caller: Caller, identityId: string | null, view: View): boolean {
  const identity = identityId === null ? undefined : view.get('identities', identityId)
  return caller.isAdmin || identity === undefined || !isAdministrator(identity)
}

function refuseUnlessAdmin(caller: Caller, identityId: string | null, view: View): void {
  if (mayManage(caller, identityId, view)) return
  throw refusal('UNAUTHORIZED', 'non-admins may not manage enrollments for admin identities')
}
