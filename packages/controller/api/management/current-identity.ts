/**
 * The caller's own identity and credentials.
 *
 * Everything is looked up through the caller: an authenticator of somebody else is not found, whatever its id. Changing a
 * password takes the present one, and wrong guesses count like failed logins.
 */

import { changeCredentials } from '../../auth/change-password.ts'
import { LoginRefused } from '../../auth/login.ts'
import { hashNewPassword } from '../../auth/new-password.ts'
import type { PasswordHasher } from '../../auth/password-hash.ts'
import type { PasswordLogin } from '../../auth/password-login.ts'
import { ApiError, notFound } from '../../operation/api-error.ts'
import { answerData, empty } from '../../operation/envelope.ts'
import { type Answer, type Call, listParameters, type Operation } from '../../operation/operation.ts'
import { bodyContract } from '../../resource-kit/body-contracts.ts'
import { password } from '../../resource-kit/fields.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { Lister } from '../../resource-kit/lists.ts'
import { credentialFields, type NewCredentials } from '../../resources/authenticator-actions.ts'
import type { TableRows } from '../../state/row.ts'
import type { View } from '../../state/view.ts'

export interface CurrentIdentityDeps {
  readonly kit: Kit
  readonly passwords: PasswordLogin
  readonly hasher: PasswordHasher
}

type Authenticator = TableRows['authenticators']

interface OwnCredentials extends NewCredentials {
  readonly currentPassword: string
}

const PATH = '/current-identity/authenticators'
const ownCredentialFields = { ...credentialFields, currentPassword: password({ required: 'always' }) }

export function currentIdentityOperations(deps: CurrentIdentityDeps): Operation[] {
  const { kit } = deps
  const lister = new Lister(kit, kit.registry.resource('authenticators'))
  return [
    {
      operationId: 'getCurrentIdentity',
      method: 'GET',
      path: '/current-identity',
      access: 'session',
      // The peers answer this one without meta.
      handle: (call) => answerData(ownIdentity(kit, call), null),
    },
    {
      operationId: 'listCurrentIdentityAuthenticators',
      method: 'GET',
      path: PATH,
      access: 'session',
      parameters: listParameters,
      handle: (call) => ownAuthenticators(kit, lister, call),
    },
    {
      operationId: 'detailCurrentIdentityAuthenticator',
      method: 'GET',
      path: `${PATH}/{id}`,
      access: 'session',
      handle: (call) => answerData(asOwn(kit.record('authenticators', ownAuthenticator(kit.view, call), call))),
    },
    {
      operationId: 'updateCurrentIdentityAuthenticator',
      method: 'PUT',
      path: `${PATH}/{id}`,
      access: 'session',
      body: bodyContract('authenticator', ownCredentialFields, 'update'),
      handle: (call: Call<OwnCredentials>) => changeOwnCredentials(deps, call),
    },
    {
      operationId: 'patchCurrentIdentityAuthenticator',
      method: 'PATCH',
      path: `${PATH}/{id}`,
      access: 'session',
      body: bodyContract('authenticator', ownCredentialFields, 'patch'),
      handle: (call: Call<OwnCredentials>) => changeOwnCredentials(deps, call),
    },
  ]
}

function ownIdentity(kit: Kit, call: Call) {
  const identity = kit.view.get('identities', call.caller.identityId)
  if (identity === undefined) throw new ApiError('UNAUTHORIZED')
  const _links = { self: { href: './current-identity' }, mfa: { href: './current-identity/mfa' } }
  return { ...kit.record('identities', identity, call), _links }
}

/** The list is bounded to the caller before the caller's filter is looked at, so no filter widens it. */
function ownAuthenticators(kit: Kit, lister: Lister, call: Call): Answer {
  const own = kit.view.find('authenticators', 'identityId', call.caller.identityId).map(({ id }) => id)
  const answer = lister.few(call, own)
  const { data, meta } = answer.body as { readonly data: readonly Record<string, unknown>[]; readonly meta: unknown }
  return { ...answer, body: { data: data.map(asOwn), meta } }
}

function asOwn(record: Readonly<Record<string, unknown>>) {
  return { ...record, _links: { self: { href: `.${PATH}/${record['id']}` } } }
}

/** The authenticator of `{id}`, if it is the caller's. */
export function ownAuthenticator(view: View, call: Call): Authenticator {
  const id = call.params['id']!
  const row = view.get('authenticators', id)
  if (row === undefined || row.identityId !== call.caller.identityId) throw notFound('authenticator', id)
  return row
}

async function changeOwnCredentials({ kit, passwords, hasher }: CurrentIdentityDeps, call: Call<OwnCredentials>) {
  const { password: wanted, currentPassword, ...values } = call.body
  const row = passwordAuthenticator(kit.view, call)
  await confirm(passwords, row, currentPassword)
  const confirmed = passwordAuthenticator(kit.view, call)
  const hashed = wanted && { passwordHash: await hashNewPassword({ view: kit.view, hasher }, row.identityId, wanted) }
  await kit.write(call, (change) => {
    const { id, passwordHash } = passwordAuthenticator(change.view, call)
    // Changed by somebody else in the meantime: what was confirmed is not the present password any more.
    if (passwordHash !== confirmed.passwordHash) throw wrongPassword()
    changeCredentials(change, id, { ...values, ...hashed }, { keptSession: call.caller.sessionId })
  })
  return empty
}

function passwordAuthenticator(view: View, call: Call): Authenticator {
  const row = ownAuthenticator(view, call)
  if (row.method !== 'updb') throw new ApiError('CAN_NOT_UPDATE_AUTHENTICATOR')
  return row
}

async function confirm(passwords: PasswordLogin, row: Authenticator, currentPassword: string): Promise<void> {
  try {
    await passwords.confirm(row, currentPassword)
  } catch (error) {
    if (error instanceof LoginRefused) throw wrongPassword(error)
    throw error
  }
}

function wrongPassword(origin?: LoginRefused): ApiError {
  const cause = { field: 'currentPassword', reason: 'invalid current password', value: '' }
  return new ApiError('UNAUTHORIZED', { cause, origin })
}
