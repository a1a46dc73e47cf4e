/**
 * Routers enroll with their one-time token, and extend what they have over a connection that their present certificate has
 * proven. Either way they get two certificates: one to dial with, by which they are known, and one to listen with.
 */
import { type CertificateRequest, type IssuedCertificate, parseLeafCertificate } from '@weft/pki'
import { presentedCertificates } from '../auth/presented-certificates.ts'
import { ApiError, refusal } from '../operation/api-error.ts'
import type { Call } from '../operation/operation.ts'
import type { Change } from '../resource-kit/change.ts'
import type { TableRows } from '../state/row.ts'
import { findOne, type View } from '../state/view.ts'
import { answeringFor, readCertificateRequest } from './certificate-request.ts'
import { type EnrollDeps, present } from './enroll-deps.ts'
import type { NetworkSigner } from './network-signer.ts'
import { openEnrollment, useEnrollment } from './open-enrollment.ts'

export interface RouterRequests {
  readonly certCsr: string | undefined
  readonly serverCertCsr: string | undefined
}

export interface RouterCertificates {
  readonly client: IssuedCertificate
  readonly server: IssuedCertificate
}

export interface ReadRequests {
  readonly client: CertificateRequest
  readonly server: CertificateRequest
}

export async function enrollRouter(
  deps: EnrollDeps,
  call: Call,
  { method, token, ...requests }: RouterRequests & { readonly method: 'erott' | 'trott'; readonly token: string },
): Promise<RouterCertificates> {
  const { kit, signer } = deps
  const { edgeRouterId, transitRouterId } = openEnrollment(kit.view, method, token, present(deps))
  const routerId = edgeRouterId ?? transitRouterId
  if (routerId === null) throw new ApiError('INVALID_ENROLLMENT_TOKEN')
  if (!requests.certCsr) throw refusal('MISSING_OR_INVALID_CSR', invalidClient())
  if (!requests.serverCertCsr) throw refusal('MISSING_OR_INVALID_CSR', invalidServer())
  const issued = certify(signer, routerId, readRequests(requests))
  const enroll = (change: Change) => {
    useEnrollment(change, method, token)
    keep(change, routerId, issued)
  }
  await kit.write(call, enroll, { table: 'routers', id: routerId })
  return issued
}

/** New certificates in place of those a router has; the old ones stop working at once. */
export async function extendRouter(
  { kit, signer }: Omit<EnrollDeps, 'clock'>,
  call: Call,
  requests: RouterRequests,
): Promise<RouterCertificates> {
  const { id } = presentRouter(kit.view, call)
  const issued = certify(signer, id, readRequests(requests))
  const extend = (change: Change) => keep(change, presentRouter(change.view, call).id, issued)
  await kit.write(call, extend, { table: 'routers', id })
  return issued
}

const invalidClient = () => 'invalid client CSR'
const invalidServer = () => 'invalid server CSR'

/** Refuses what cannot be read or names another key. */
export function readRequests({ certCsr, serverCertCsr }: RouterRequests): ReadRequests {
  const client = readCertificateRequest(certCsr, invalidClient)
  return { client, server: readCertificateRequest(serverCertCsr, invalidServer) }
}

/** Before the transaction, where everybody waits for everybody. */
export function certify(signer: NetworkSigner, routerId: string, requests: ReadRequests): RouterCertificates {
  const client = answeringFor(() => signer.issueRouterClient(requests.client, routerId), invalidClient)
  return { client, server: answeringFor(() => signer.issueRouterServer(requests.server, routerId), invalidServer) }
}

/** The router is known by these from now on. */
export function keep(change: Change, routerId: string, { client }: RouterCertificates): void {
  change.update('routers', routerId, {
    isVerified: true,
    fingerprint: client.certificate.fingerprint,
    certPem: client.certificate.pem,
    unverifiedFingerprint: null,
    unverifiedCertPem: null,
  })
}

/** The router whose certificate this connection has proven. */
function presentRouter(view: View, call: Call): TableRows['routers'] {
  const leaf = presentedCertificates(call.clientCertificates())?.leaf
  const router = leaf && findOne(view, 'routers', 'fingerprint', leaf.fingerprint)
  // Whole certificates are compared: a fingerprint is a name, not a proof.
  const isProven = router?.isVerified && router.certPem !== null && parseLeafCertificate(router.certPem).equals(leaf!)
  if (!isProven || router.disabled) throw new ApiError('UNAUTHORIZED')
  return router
}
