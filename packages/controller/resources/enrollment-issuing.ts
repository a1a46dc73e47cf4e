/**
 * Issuing an enrollment: a one-time token and the signed invitation that carries it.
 *
 * Identities, routers and authenticators that re-enroll all come here, so every enrollment is made in the transaction of
 * what it enrolls.
 */
import { randomUUID } from 'node:crypto'
import type { Change, CreateOptions } from '../resource-kit/change.ts'
import type { TableRows } from '../state/row.ts'

export type EnrollmentMethod = 'ott' | 'ottca' | 'updb' | 'erott' | 'trott'

/** Signs invitations; the controller's server key, reachable at the invitation's issuer. */
export interface InvitationSigner {
  invite(invitation: {
    readonly method: EnrollmentMethod
    readonly subjectId: string
    readonly token: string
    /** Milliseconds. */
    readonly expiresAt: number
  }): string
  /** Milliseconds an identity's or a router's first enrollment lasts. */
  readonly identityDuration: number
  readonly routerDuration: number
}

export interface EnrollmentRequest {
  readonly method: EnrollmentMethod
  readonly expiresAt: string
  readonly identityId?: string
  readonly edgeRouterId?: string
  readonly transitRouterId?: string
  readonly caId?: string
  readonly username?: string
}

export function issueEnrollment(
  change: Change,
  signer: InvitationSigner,
  request: EnrollmentRequest,
  options: CreateOptions = { idKind: 'short' },
): TableRows['enrollments'] {
  return change.create('enrollments', { ...request, ...newInvitation(signer, request) }, options)
}

/** A fresh token and its invitation; the old ones of a refreshed enrollment stop working. */
export function newInvitation(signer: InvitationSigner, request: EnrollmentRequest): { token: string; jwt: string } {
  const { method, identityId, edgeRouterId, transitRouterId, expiresAt } = request
  const subjectId = identityId ?? edgeRouterId ?? transitRouterId
  if (subjectId === undefined) throw new Error('an enrollment needs a subject')
  const token = randomUUID()
  return { token, jwt: signer.invite({ method, subjectId, token, expiresAt: Date.parse(expiresAt) }) }
}

export function expiry(now: string, duration: number): string {
  return new Date(Date.parse(now) + duration).toISOString()
}
