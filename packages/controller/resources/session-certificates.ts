/**
 * Certificates given to API sessions whose owner has none: routers demand one. They end with their session.
 *
 * They are reached through `current-api-session/certificates` alone and have no collection of their own.
 */
import { defineFields, type RowOf, reference, text, time } from '../resource-kit/fields.ts'
import { defineResource } from '../resource-kit/resource.ts'

const fields = defineFields({
  apiSessionId: reference('apiSessions', { setBy: 'server', onTargetDeleted: 'cascade', symbol: 'apiSession' }),
  /** The leaf and what leads to a root, PEM. */
  certificate: text({ setBy: 'server' }),
  fingerprint: text({ setBy: 'server', symbol: true }),
  subject: text({ setBy: 'server', symbol: true }),
  validFrom: time({ setBy: 'server' }),
  validTo: time({ setBy: 'server' }),
})

export type SessionCertificate = RowOf<typeof fields>

declare module '../state/row.ts' {
  interface TableRows {
    apiSessionCertificates: SessionCertificate
  }
}

export const sessionCertificates = defineResource({
  collection: 'api-session-certificates',
  singular: 'apiSessionCertificate',
  table: 'apiSessionCertificates',
  permission: 'ops',
  idKind: 'short',
  fields,
  verbs: [],
})
