/** Orders what a chain file and a trust bundle hold into the path above a leaf. Builds, and judges nothing. */
import type { Certificate } from './certificates.ts'

const maxAuthorities = 8

/** The leaf and, as far as the pool reaches, its issuers up to a self-signed root. */
export function completeChain(leaf: Certificate, pool: Iterable<Certificate>): Certificate[] {
  const chain = [leaf]
  const candidates = new Set(pool)
  for (let top = leaf; chain.length <= maxAuthorities && !top.isSelfSigned; top = chain[chain.length - 1]!) {
    const issuer = [...candidates].find((it) => it.isCa && isIssuedBy(top, it))
    if (issuer === undefined) break
    candidates.delete(issuer)
    chain.push(issuer)
  }
  return chain
}

/** A chain as it goes to peers: they have the root or do not trust it. A self-signed leaf stays. */
export function withoutRoot(chain: readonly Certificate[]): Certificate[] {
  return chain.filter((certificate, index) => index === 0 || !certificate.isSelfSigned)
}

function isIssuedBy(child: Certificate, issuer: Certificate): boolean {
  return child.x509.checkIssued(issuer.x509) && child.x509.verify(issuer.publicKey)
}
