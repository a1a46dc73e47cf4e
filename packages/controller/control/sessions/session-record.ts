/**
 * An API session with an opaque token, as routers are told of it. They let its client in only by a certificate that they
 * were told of too: those of its identity, and those that were issued to the session.
 */
import type { ControlMessageInit } from '@weft/wire/messages'
import { outstandingFactors, requiredSignerId } from '../../auth/outstanding-factors.ts'
import type { TableRows } from '../../state/row.ts'
import type { View } from '../../state/view.ts'

type ApiSession = TableRows['apiSessions']

export type SessionRecord = NonNullable<ControlMessageInit<'apiSessionAdded'>['body']['apiSessions']>[number]

/**
 * Whether its client has given every factor that is asked for once. A token that must come with each request is asked for
 * where sessions for services are made.
 */
export function isComplete(view: View, session: ApiSession): boolean {
  return outstandingFactors(view, session, requiredSignerId(view, session.identityId)).length === 0
}

export function sessionRecord(view: View, { id, token, identityId }: ApiSession): SessionRecord {
  return { token, certFingerprints: [...fingerprints(view, id, identityId)], id, identityId }
}

function fingerprints(view: View, sessionId: string, identityId: string): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { certFingerprint } of view.find('authenticators', 'identityId', identityId)) {
    if (certFingerprint !== null) found.add(certFingerprint)
  }
  // Whether one is in its time is the router's to say: it sees the certificate itself.
  for (const { fingerprint } of view.find('apiSessionCertificates', 'apiSessionId', sessionId)) found.add(fingerprint)
  return found
}
