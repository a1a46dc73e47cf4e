/** An identity enrolls with its one-time token and chooses the password for the user name it was invited under. */
import { hashNewPassword } from '../auth/new-password.ts'
import type { PasswordHasher } from '../auth/password-hash.ts'
import { fieldError } from '../operation/api-error.ts'
import type { Call } from '../operation/operation.ts'
import type { Change } from '../resource-kit/change.ts'
import { type EnrollDeps, present } from './enroll-deps.ts'
import { identityOf, openEnrollment, useEnrollment } from './open-enrollment.ts'

export interface UpdbRequest {
  readonly token: string
  readonly password: string | undefined
}

export type UpdbDeps = Omit<EnrollDeps, 'signer'> & { readonly hasher: PasswordHasher }

/** The user name to log in with: the invitation's, whatever the request says. */
export async function enrollUpdb(deps: UpdbDeps, call: Call, { token, password }: UpdbRequest): Promise<string> {
  const { kit, hasher } = deps
  const invited = identityOf(openEnrollment(kit.view, 'updb', token, present(deps)))
  if (!password) throw fieldError('password', 'password is required')
  const passwordHash = await hashNewPassword({ view: kit.view, hasher }, invited, password)
  const enroll = (change: Change) => {
    const enrollment = useEnrollment(change, 'updb', token)
    const username = enrollment.username ?? ''
    const values = { method: 'updb', identityId: identityOf(enrollment), username, passwordHash }
    change.create('authenticators', values, { idKind: 'short' })
    return username
  }
  return await kit.write(call, enroll, { table: 'identities', id: invited })
}
