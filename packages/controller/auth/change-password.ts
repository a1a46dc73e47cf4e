/**
 * Writing a new password: whoever came in by the old one is out.
 *
 * Sessions that the authenticator opened end, and with them every token of the identity, because only its bearer knows what
 * a token goes back to. The session that makes the change stays: it has just shown that it may.
 */
import type { Change } from '../resource-kit/change.ts'
import { revokeIdentity } from './revoke-identity.ts'

export interface ChangedCredentials {
  readonly username?: string
  readonly passwordHash?: string
}

/** Changes a password authenticator; without a new hash, nobody's access changes. */
export function changeCredentials(
  change: Change,
  authenticatorId: string,
  values: ChangedCredentials,
  { keptSession }: { readonly keptSession: string | undefined },
): void {
  const { identityId } = change.update('authenticators', authenticatorId, { ...values })
  if (values.passwordHash === undefined) return
  for (const session of [...change.view.find('apiSessions', 'identityId', identityId)]) {
    if (session.authenticatorId === authenticatorId && session.id !== keptSession) {
      change.remove('apiSessions', session.id)
    }
  }
  revokeIdentity(change, identityId)
}
