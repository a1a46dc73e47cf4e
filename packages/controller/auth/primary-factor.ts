/**
 * Whether what a session was opened with is still a way in: the auth policy may have been changed since, or another one may
 * apply, and an external signer may have been disabled. Asked with every request, so it counts at once.
 */
import type { TableRows } from '../state/row.ts'
import type { View } from '../state/view.ts'
import { INTERNAL_AUTHENTICATOR, signerOfAuthenticator } from './login.ts'

type Identity = TableRows['identities']

/** `authenticatorId` as a login tells it; an empty one is that of a session which nobody logged in for. */
export function isStillAllowed(view: View, { authPolicyId }: Identity, authenticatorId: string): boolean {
  const primary = view.get('authPolicies', authPolicyId)?.primary
  if (primary === undefined || authenticatorId === '') return true
  if (authenticatorId === INTERNAL_AUTHENTICATOR) return primary.cert.allowed
  const signerId = signerOfAuthenticator(authenticatorId)
  if (signerId !== undefined) {
    const { allowed, allowedSigners } = primary.extJwt
    const isEnabled = view.get('externalJwtSigners', signerId)?.enabled ?? false
    return isEnabled && allowed && (allowedSigners.length === 0 || allowedSigners.includes(signerId))
  }
  const authenticator = view.get('authenticators', authenticatorId)
  if (authenticator === undefined) return false
  return authenticator.method === 'cert' ? primary.cert.allowed : primary.updb.allowed
}
