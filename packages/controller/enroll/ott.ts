/** An identity enrolls with its one-time token and gets a certificate for a key of its own making. */
import type { Call } from '../operation/operation.ts'
import type { Change } from '../resource-kit/change.ts'
import { addCertificate } from './certificate-authenticator.ts'
import { readCertificateRequest } from './certificate-request.ts'
import { type EnrollDeps, present } from './enroll-deps.ts'
import { identityOf, openEnrollment, useEnrollment } from './open-enrollment.ts'

export interface OttRequest {
  readonly token: string
  readonly clientCsr: string | undefined
}

/** The certificate with those above it, as PEM. */
export async function enrollOtt(deps: EnrollDeps, call: Call, { token, clientCsr }: OttRequest): Promise<string> {
  const { kit, signer } = deps
  const identityId = identityOf(openEnrollment(kit.view, 'ott', token, present(deps)))
  const request = readCertificateRequest(clientCsr)
  // Before the transaction, where everybody waits for everybody. What it refuses has left nobody with a certificate.
  const { certificate, chainPem } = signer.issueIdentity(request, identityId)
  const enroll = (change: Change) => {
    useEnrollment(change, 'ott', token)
    addCertificate(change, identityId, { certificate, pem: chainPem, isIssuedByNetwork: true })
  }
  await kit.write(call, enroll, { table: 'identities', id: identityId })
  return chainPem
}
