/**
 * Opening an API session for someone whose primary factor was accepted, and showing it to them.
 */
import { randomUUID } from 'node:crypto'
import type { Certificate } from '@weft/pki'
import { timestamp } from '../clock.ts'
import type { Call } from '../operation/operation.ts'
import type { Change } from '../resource-kit/change.ts'
import type { Kit } from '../resource-kit/kit.ts'
import type { TableRows } from '../state/row.ts'
import { findOne, type View } from '../state/view.ts'
import { isDisabled } from './disabled.ts'
import { isStillVouchedFor, type Login, LoginRefused, type ProvenCertificate } from './login.ts'
import { outstandingFactors } from './outstanding-factors.ts'
import type { SessionActivity } from './session-activity.ts'

type ApiSession = TableRows['apiSessions']

/** What a client says of itself when it logs in; kept on its identity. */
export interface ClientInfo {
  readonly configTypes: readonly string[]
  readonly sdkInfo: Readonly<Record<string, string>> | undefined
  readonly envInfo: Readonly<Record<string, string>> | undefined
}

/**
 * Takes note of a login, on whichever API it was made. Looks again at what the factor was accepted for: it may have been
 * disabled or removed while it was being checked.
 */
export function acceptLogin(change: Change, login: Login, info: ClientInfo): void {
  const identity = change.view.get('identities', login.identityId)
  if (identity === undefined || isDisabled(identity, Date.parse(change.now))) {
    throw new LoginRefused('identity is disabled or gone', login)
  }
  if (!isStillVouchedFor(change.view, login)) throw new LoginRefused('what vouched for the identity is gone', login)
  if (login.certificate !== undefined) keepCertificate(change, login.authenticatorId, login.certificate)
  keepClientInfo(change, login.identityId, info)
}

/** Opens the API session of a login. */
export function openSession(change: Change, login: Login, info: ClientInfo, ipAddress: string): ApiSession {
  acceptLogin(change, login, info)
  const { certificate } = login
  const mfa = findOne(change.view, 'mfas', 'identityId', login.identityId)
  const session = change.create(
    'apiSessions',
    {
      token: randomUUID(),
      identityId: login.identityId,
      authenticatorId: login.authenticatorId,
      ipAddress,
      configTypes: knownConfigTypes(change.view, info.configTypes),
      isMfaRequired: mfa?.isVerified ?? false,
      isCertExtendable: certificate?.isExtendable ?? false,
      improperClientCertChain: certificate !== undefined && !certificate.isProperChain,
      lastActivityAt: change.now,
    },
    { idKind: 'cuid' },
  )
  if (login.leafOfCa !== undefined) keepSessionCertificate(change, session.id, login.leafOfCa)
  return session
}

/** Routers let a session in by the certificates that it is known with, and this one no authenticator has. */
function keepSessionCertificate(change: Change, apiSessionId: string, leaf: Certificate): void {
  const { pem: certificate, fingerprint, commonName, notBefore, notAfter } = leaf
  const validity = { validFrom: timestamp(notBefore), validTo: timestamp(notAfter) }
  const values = { apiSessionId, certificate, fingerprint, subject: `CN=${commonName}`, ...validity }
  change.create('apiSessionCertificates', values, { idKind: 'short' })
}

/** Names or ids; unknown ones are dropped, `all` is kept as it is. */
export function knownConfigTypes(view: View, wanted: readonly string[]): readonly string[] {
  if (wanted.includes('all')) return ['all']
  const ids = wanted.map((name) => (view.get('configTypes', name) ?? findOne(view, 'configTypes', 'name', name))?.id)
  return [...new Set(ids.filter((id) => id !== undefined))].sort()
}

/** What a client has told of itself, where it is new; whoever says nothing takes nothing back. */
export function keepClientInfo(change: Change, identityId: string, { sdkInfo, envInfo }: ClientInfo): void {
  const identity = change.get('identities', identityId)
  const values = { ...(isTold(sdkInfo) && { sdkInfo }), ...(isTold(envInfo) && { envInfo }) }
  const isNew = Object.entries(values).some(
    ([name, value]) => JSON.stringify(identity[name as 'sdkInfo']) !== JSON.stringify(value),
  )
  if (isNew) change.update('identities', identityId, values)
}

function isTold(info: Readonly<Record<string, string>> | undefined): boolean {
  return info !== undefined && Object.keys(info).length > 0
}

/** Whether the chain was complete, and the certificate itself where only its fingerprint was known. */
function keepCertificate(change: Change, id: string, { pem, isProperChain }: ProvenCertificate): void {
  const { certPem, lastAuthResolvedToRoot } = change.get('authenticators', id)
  if (certPem !== null && lastAuthResolvedToRoot === isProperChain) return
  change.update('authenticators', id, { certPem: certPem ?? pem, lastAuthResolvedToRoot: isProperChain })
}

/**
 * The session as its owner sees it: with the token, what is outstanding, and when it ends. `confirmedBy` is the signer
 * whose token came with the request.
 */
export function ownSessionRecord(
  { kit, activity, sessionTimeout }: { kit: Kit; activity: SessionActivity; sessionTimeout: number },
  call: Call,
  session: ApiSession,
  confirmedBy = call.caller.confirmedBy,
): Record<string, unknown> {
  const lastUsed = activity.lastUsed(session.id, session.lastActivityAt ?? session.createdAt)
  return {
    ...kit.record('api-sessions', session, call),
    token: session.token,
    authQueries: outstandingFactors(kit.view, session, confirmedBy),
    expiresAt: timestamp(lastUsed + sessionTimeout),
    expirationSeconds: Math.floor(sessionTimeout / 1000),
  }
}
