/**
 * API sessions: what a login by `POST /authenticate` leaves behind.
 *
 * The token is the credential. It is shown to whoever logged in and to nobody else: lists carry a fingerprint in its place,
 * which tells sessions apart and opens nothing.
 */
import { createHash } from 'node:crypto'
import type { SessionActivity } from '../auth/session-activity.ts'
import { timestamp } from '../clock.ts'
import { defineFields, flag, listOf, type RowOf, reference, text, time } from '../resource-kit/fields.ts'
import { defineResource, type Resource } from '../resource-kit/resource.ts'
import { textShape } from '../resource-kit/shapes.ts'
import type { View } from '../state/view.ts'

const fields = defineFields({
  token: text({ setBy: 'server', shown: 'never', isSecret: true, unique: { reason: () => 'token must be unique' } }),
  identityId: reference('identities', {
    onTargetDeleted: 'cascade',
    setBy: 'server',
    shownAs: 'identity',
    symbol: 'identity',
  }),
  /** Text, not a reference: logins by third-party certificate or external token name none of our authenticators. */
  authenticatorId: text({ setBy: 'server', symbol: 'authenticator' }),
  ipAddress: text({ setBy: 'server', symbol: true }),
  configTypes: listOf(textShape(), { setBy: 'server' }),
  isMfaRequired: flag({ setBy: 'server', symbol: 'mfaRequired' }),
  isMfaComplete: flag({ setBy: 'server', symbol: 'mfaComplete' }),
  /** When a code was accepted last. */
  mfaPassedAt: time({ setBy: 'server', shown: 'never' }),
  isCertExtendable: flag({ setBy: 'server' }),
  improperClientCertChain: flag({ setBy: 'server', shown: 'when set', symbol: true }),
  lastActivityAt: time({ setBy: 'server', symbol: true }),
})

export type ApiSession = RowOf<typeof fields>

declare module '../state/row.ts' {
  interface TableRows {
    apiSessions: ApiSession
  }
}

export function apiSessions({ activity }: { readonly activity: SessionActivity }): Resource {
  return defineResource({
    collection: 'api-sessions',
    singular: 'apiSession',
    table: 'apiSessions',
    permission: 'ops',
    idKind: 'cuid',
    fields,
    verbs: ['list', 'detail', 'delete'],
    operationIds: { list: 'listAPISessions', detail: 'detailAPISessions', delete: 'deleteAPISessions' },
    listContentType: 'application/json; charset=utf-8',
    links: (session) => ({ sessions: `./api-sessions/${session.id}/sessions` }),
    live: {
      token: (session) => tokenFingerprint(session.token),
      authQueries: () => [],
      isCertExtendRequested: (session, { view }) => extendedCertificate(session, view)?.isExtendRequested || undefined,
      isCertKeyRollRequested: (session, { view }) =>
        extendedCertificate(session, view)?.isKeyRollRequested || undefined,
      cachedLastActivityAt: (session) =>
        timestamp(activity.lastUsed(session.id, session.lastActivityAt ?? session.createdAt)),
    },
  })
}

/** What a session was opened with and can be renewed; an administrator's request for that counts in running sessions too. */
function extendedCertificate({ isCertExtendable, authenticatorId }: ApiSession, view: View) {
  return isCertExtendable ? view.get('authenticators', authenticatorId) : undefined
}

/** Looks like a token, is none: a digest in the form of a UUID. */
export function tokenFingerprint(token: string): string {
  const hex = createHash('sha256').update(token).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}
