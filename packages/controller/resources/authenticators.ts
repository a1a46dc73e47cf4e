/**
 * Authenticators: the credentials of identities, a password or a certificate.
 *
 * At most one of each kind per identity. The password's hash is kept and never shown, filtered by or journaled.
 */
import { revokeIdentity } from '../auth/revoke-identity.ts'
import { fieldError } from '../operation/api-error.ts'
import type { Change } from '../resource-kit/change.ts'
import { defineFields, flag, optionalText, type RowOf, reference, text, time } from '../resource-kit/fields.ts'
import { defineResource, type Resource } from '../resource-kit/resource.ts'
import { type AuthenticatorActionDeps, authenticatorActions } from './authenticator-actions.ts'
import { refuseSecondAuthenticator } from './one-authenticator-per-method.ts'

const inUniqueIndex = (value: string, table: string) => `duplicate value '${value}' in unique index on ${table} store`

const fields = defineFields({
  method: text({ oneOf: ['updb', 'cert'], setBy: 'server', symbol: true }),
  identityId: reference('identities', {
    setBy: 'server',
    onTargetDeleted: 'cascade',
    shownAs: 'identity',
    symbol: 'identity',
  }),
  username: optionalText({
    setBy: 'server',
    shown: 'when set',
    symbol: 'updbUsername',
    unique: { field: 'updbUsername', reason: inUniqueIndex },
  }),
  passwordHash: optionalText({ setBy: 'server', shown: 'never', isSecret: true }),
  certPem: optionalText({ setBy: 'server', shown: 'when set', symbol: true }),
  certFingerprint: optionalText({ setBy: 'server', shown: 'never', symbol: true, unique: { reason: inUniqueIndex } }),
  publicKeyPrint: optionalText({ setBy: 'server', shown: 'never', symbol: true }),
  isIssuedByNetwork: flag({ setBy: 'server', shown: 'when set', symbol: true }),
  isExtendRequested: flag({ setBy: 'server', shown: 'never', symbol: true }),
  isKeyRollRequested: flag({ setBy: 'server', shown: 'never', symbol: true }),
  extendRequestedAt: time({ setBy: 'server', shown: 'never', symbol: true }),
  lastAuthResolvedToRoot: flag({ setBy: 'server', shown: 'when set', symbol: true }),
  lastExtendRolledKeys: flag({ setBy: 'server', shown: 'never', symbol: true }),
  unverifiedCertPem: optionalText({ setBy: 'server', shown: 'never' }),
  unverifiedFingerprint: optionalText({ setBy: 'server', shown: 'never' }),
})

export type Authenticator = RowOf<typeof fields>

declare module '../state/row.ts' {
  interface TableRows {
    authenticators: Authenticator
  }
}

export function authenticators(deps: AuthenticatorActionDeps): Resource {
  return defineResource({
    collection: 'authenticators',
    singular: 'authenticator',
    table: 'authenticators',
    permission: 'authenticator',
    fields,
    verbs: ['list', 'detail', 'delete'],
    rules: [isOneOfItsMethod, isNotOfARouter],
    follow: [endsItsSessions],
    links: ({ identityId }) => ({ identities: `./identities/${identityId}` }),
    live: {
      fingerprint: ({ certFingerprint }) => certFingerprint ?? undefined,
      isExtendRequested: (row) => (row.isIssuedByNetwork && row.isExtendRequested) || undefined,
      isKeyRollRequested: (row) => (row.isIssuedByNetwork && row.isKeyRollRequested) || undefined,
      extendRequestedAt: (row) => (row.isIssuedByNetwork && row.extendRequestedAt) || undefined,
    },
    actions: authenticatorActions(deps),
  })
}

function isOneOfItsMethod(next: Authenticator, before: Authenticator | undefined, change: Change): void {
  if (before === undefined) refuseSecondAuthenticator(change, next.identityId, next.method)
}

function isNotOfARouter(next: Authenticator, before: Authenticator | undefined, change: Change): void {
  if (before !== undefined) return
  if (change.get('identities', next.identityId).typeId === 'Router') {
    throw fieldError('identityId', 'may not create authenticators for router identities', next.identityId)
  }
}

function endsItsSessions(change: Change, next: Authenticator | undefined, before: Authenticator | undefined): void {
  if (next !== undefined || before === undefined) return
  for (const session of [...change.view.find('apiSessions', 'identityId', before.identityId)]) {
    if (session.authenticatorId === before.id) change.remove('apiSessions', session.id)
  }
  // Which tokens go back to it is known to nobody but their bearers.
  revokeIdentity(change, before.identityId)
}
