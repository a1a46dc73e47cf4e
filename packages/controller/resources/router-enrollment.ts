/**
 * How routers enroll: each new one is invited in the transaction that makes it, and shows its open invitation until it has
 * enrolled.
 */
import type { Change } from '../resource-kit/change.ts'
import type { Follow, Live } from '../resource-kit/resource.ts'
import type { Row } from '../state/row.ts'
import { findOne, type View } from '../state/view.ts'
import { expiry, type InvitationSigner, issueEnrollment } from './enrollment-issuing.ts'
import type { RouterKind } from './router-fields.ts'

type EnrollingKind = Exclude<RouterKind, 'fabric'>

const ways = {
  edge: { method: 'erott', subject: 'edgeRouterId' },
  transit: { method: 'trott', subject: 'transitRouterId' },
} as const

interface EnrollingRouter extends Row {
  readonly kind: RouterKind
  readonly isVerified: boolean
}

export function inviteRouter(change: Change, signer: InvitationSigner, kind: EnrollingKind, routerId: string): void {
  const { method, subject } = ways[kind]
  const expiresAt = expiry(change.now, signer.routerDuration)
  issueEnrollment(change, signer, { method, expiresAt, [subject]: routerId })
}

/** What follows from a new router of a kind: its invitation. */
export function inviteNewRouters(signer: InvitationSigner, kind: EnrollingKind): Follow<EnrollingRouter> {
  return (change, next, before) => {
    if (before === undefined && next?.kind === kind) inviteRouter(change, signer, kind, next.id)
  }
}

/** The open invitation, as members of the router's record; none of them once it is verified. */
export function invitationMembers(kind: EnrollingKind): Readonly<Record<string, Live<EnrollingRouter>>> {
  const open = (router: EnrollingRouter, view: View) => {
    if (router.kind !== kind || router.isVerified) return undefined
    return findOne(view, 'enrollments', ways[kind].subject, router.id)
  }
  return {
    enrollmentToken: (router, { view }) => open(router, view)?.token,
    enrollmentJwt: (router, { view }) => open(router, view)?.jwt,
    enrollmentCreatedAt: (router, { view }) => open(router, view)?.createdAt,
    enrollmentExpiresAt: (router, { view }) => open(router, view)?.expiresAt,
  }
}
