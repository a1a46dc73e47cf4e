/** Which of the third-party CAs vouches for the certificate with which somebody enrolls. */
import { verifyChain } from '@weft/pki'
import { caCertificate } from '../auth/certificate-trust.ts'
import type { PresentedCertificates } from '../auth/presented-certificates.ts'
import type { TableRows } from '../state/row.ts'

type Ca = TableRows['cas']

/** The CA at the end of the leaf's chain, if the leaf is a client's and all of the chain is valid at this moment. */
export function vouchingCa({ leaf, sent }: PresentedCertificates, cas: readonly Ca[], at: number): Ca | undefined {
  const roots = cas.map(caCertificate)
  const verdict = verifyChain({ leaf, intermediates: sent, roots, at, purpose: 'clientAuth' })
  return verdict.isTrusted ? cas[roots.indexOf(verdict.chain[verdict.chain.length - 1]!)] : undefined
}
