/**
 * Whoever holds a certificate of a third-party CA that lets its holders in enrolls by it alone: a new identity is made,
 * named as the CA says. Where the CA says which part of a certificate is the identity's external id, later logins find the
 * identity by that, and any certificate that carries it will do; otherwise this very certificate becomes its credential.
 */
import type { Certificate } from '@weft/pki'
import { externalIdOf } from '../auth/certificate-external-id.ts'
import { presentedCertificates } from '../auth/presented-certificates.ts'
import { ApiError } from '../operation/api-error.ts'
import type { Call } from '../operation/operation.ts'
import type { Change } from '../resource-kit/change.ts'
import { newId } from '../resource-kit/ids.ts'
import type { TableRows } from '../state/row.ts'
import { findOne } from '../state/view.ts'
import type { CaArrivals } from './ca-arrivals.ts'
import { addCertificate, isKnownCertificate } from './certificate-authenticator.ts'
import type { EnrollDeps } from './enroll-deps.ts'
import { freeName, nameByFormat } from './identity-name.ts'
import { vouchingCa } from './vouching-ca.ts'

type Ca = TableRows['cas']

export async function enrollCa(
  { kit, clock, arrivals }: Omit<EnrollDeps, 'signer'> & { readonly arrivals: CaArrivals },
  call: Call,
  requestedName: string | undefined,
): Promise<void> {
  const presented = presentedCertificates(call.clientCertificates())
  const ca = presented && vouchingCa(presented, [...kit.view.rows('cas')].filter(letsHoldersIn), clock.now())
  if (ca === undefined) throw new ApiError('CERT_FAILED_VALIDATION')
  arrivals.admit(ca.id)
  const { leaf } = presented!
  await kit.write(call, (change) => {
    const current = change.view.get('cas', ca.id)
    if (current === undefined || !letsHoldersIn(current)) throw new ApiError('CERT_FAILED_VALIDATION')
    createIdentity(change, current, leaf, requestedName ?? '')
  })
}

function letsHoldersIn({ isVerified, isAutoCaEnrollmentEnabled }: Ca): boolean {
  return isVerified && isAutoCaEnrollmentEnabled
}

function createIdentity(change: Change, ca: Ca, certificate: Certificate, requestedName: string): void {
  const externalId = claimedId(change, ca, certificate)
  if (externalId === undefined && isKnownCertificate(change, certificate)) throw new ApiError('CERT_IN_USE')
  const id = newId('short')
  const { commonName } = certificate
  const wanted = { caName: ca.name, caId: ca.id, commonName, requestedName, identityId: id }
  const name = freeName(change.view, nameByFormat(ca.identityNameFormat, wanted) || id)
  const values = { name, roleAttributes: ca.identityRoles, ...(externalId !== undefined && { externalId }) }
  change.create('identities', values, { id })
  if (externalId !== undefined) return
  addCertificate(change, id, { certificate, pem: certificate.pem, isIssuedByNetwork: false })
}

function claimedId({ view }: Change, { externalIdClaim: claim }: Ca, certificate: Certificate): string | undefined {
  if (claim === null) return undefined
  const externalId = externalIdOf(certificate, claim)
  if (externalId === undefined) throw new ApiError('MISSING_CERT_CLAIM')
  if (findOne(view, 'identities', 'externalId', externalId) !== undefined) {
    throw new ApiError('ENROLLMENT_IDENTITY_ALREADY_ENROLLED')
  }
  return externalId
}
