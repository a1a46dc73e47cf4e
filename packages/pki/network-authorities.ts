/**
 * The authorities of one's own network, gathered from every place where an operator may have put one, and sorted into
 * where trust ends (roots) and what lies on the way there (intermediates).
 *
 * Peers are told about all of them: in the trust bundle, beside every enrollment's answer and every session certificate.
 * A root must be in here long before anything is issued under it, because clients learn of it only when they next ask.
 */
import { type Certificate, encodeCertificates, uniqueCertificates } from './certificates.ts'

/** In order of first appearance, without repetitions. */
export interface NetworkAuthorities {
  readonly all: readonly Certificate[]
  /** Self-signed, or without an issuer in here: the operator has put them in, and nothing above them is known. */
  readonly roots: readonly Certificate[]
  readonly intermediates: readonly Certificate[]
  /** All of them, as the `ca` and `cas` of answers. */
  readonly pem: string
}

/**
 * From the identity's `ca`, the signing certificate with its `ca`, and the `ca` of every listener's identity.
 * Certificates that are not authorities are left out.
 */
export function gatherAuthorities(...sources: readonly Iterable<Certificate>[]): NetworkAuthorities {
  const given = sources.flatMap((source) => [...source])
  const all = uniqueCertificates(given).filter((certificate) => certificate.isCa)
  const isIntermediate = (certificate: Certificate) =>
    !certificate.isSelfSigned &&
    all.some((issuer) => certificate.x509.checkIssued(issuer.x509) && certificate.x509.verify(issuer.publicKey))
  const intermediates = all.filter(isIntermediate)
  const roots = all.filter((certificate) => !intermediates.includes(certificate))
  return { all, roots, intermediates, pem: encodeCertificates(all) }
}
