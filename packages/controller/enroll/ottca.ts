/** An identity enrolls with its one-time token and a certificate of the third-party CA that its invitation names. */
import { presentedCertificates } from '../auth/presented-certificates.ts'
import { ApiError } from '../operation/api-error.ts'
import type { Call } from '../operation/operation.ts'
import type { Change } from '../resource-kit/change.ts'
import type { TableRows } from '../state/row.ts'
import type { View } from '../state/view.ts'
import { addCertificate } from './certificate-authenticator.ts'
import { type EnrollDeps, present } from './enroll-deps.ts'
import { identityOf, openEnrollment, useEnrollment } from './open-enrollment.ts'
import { vouchingCa } from './vouching-ca.ts'

export async function enrollOttCa(deps: Omit<EnrollDeps, 'signer'>, call: Call, token: string): Promise<void> {
  const { kit, clock } = deps
  const invitation = openEnrollment(kit.view, 'ottca', token, present(deps))
  const ca = enrollingCa(kit.view, invitation)
  const presented = presentedCertificates(call.clientCertificates())
  if (presented === undefined || vouchingCa(presented, [ca], clock.now()) === undefined) {
    throw new ApiError('CERTIFICATE_FAILED_VALIDATION')
  }
  const { leaf: certificate } = presented
  const enroll = (change: Change) => {
    const enrollment = useEnrollment(change, 'ottca', token)
    if (enrollingCa(change.view, enrollment).id !== ca.id) throw new ApiError('ENROLLMENT_CA_NOT_VALID')
    addCertificate(change, identityOf(enrollment), { certificate, pem: certificate.pem, isIssuedByNetwork: false })
  }
  await kit.write(call, enroll, { table: 'identities', id: identityOf(invitation) })
}

function enrollingCa(view: View, { caId }: TableRows['enrollments']): TableRows['cas'] {
  const ca = caId === null ? undefined : view.get('cas', caId)
  if (!ca?.isVerified || !ca.isOttCaEnrollmentEnabled) throw new ApiError('ENROLLMENT_CA_NOT_VALID')
  return ca
}
