/**
 * Builds and checks the path from a leaf to a trusted root.
 *
 * Only the leaf is judged: what else a peer sent can help to build the path and can never become the identity. The
 * search costs a bounded number of signature checks, whatever certificates are thrown at it. Constraints that are not
 * evaluated (name constraints, unknown critical extensions) refuse the path instead of being overlooked.
 */
import type { Certificate } from './certificates.ts'
import { extendedKeyUsageId, type Purpose } from './extensions.ts'
import { isStrongSignature, keyWeakness } from './key-strength.ts'

/** The question: who, through whom, trusted by whom, when and for what. */
export interface ChainRequest {
  readonly leaf: Certificate
  /** Candidates between leaf and root, in any order; not trusted. */
  readonly intermediates?: readonly Certificate[]
  /** Trusted because the operator said so; need not be self-signed. */
  readonly roots: readonly Certificate[]
  /** The moment at which all must be valid, or `any time` where a policy decides about expiry afterwards. */
  readonly at: number | 'any time'
  /** What the leaf must be good for; a certificate without extended key usages is good for everything. */
  readonly purpose?: Purpose
}

/** From the least to the most telling: of several failed paths the one that came furthest is reported. */
export const chainRefusals = [
  'UNKNOWN_ISSUER',
  'SELF_SIGNED',
  'BAD_SIGNATURE',
  'ISSUER_IS_NOT_CA',
  'PATH_TOO_LONG',
  'TOO_COMPLEX',
  'UNSUPPORTED_CONSTRAINT',
  'WEAK_SIGNATURE',
  'WEAK_KEY',
  'WRONG_PURPOSE',
  'NOT_YET_VALID',
  'EXPIRED',
] as const

/** Why a leaf is not trusted. */
export type ChainRefusal = (typeof chainRefusals)[number]

/** The answer. */
export type ChainVerdict =
  | { readonly isTrusted: true /** Leaf first, root last. */; readonly chain: readonly Certificate[] }
  | { readonly isTrusted: false; readonly reason: ChainRefusal; readonly message: string }

const maxAuthorities = 8
const maxSignatureChecks = 64

interface Refusal {
  readonly reason: ChainRefusal
  readonly message: string
}

/** Never throws for what is in the certificates. */
export function verifyChain(request: ChainRequest): ChainVerdict {
  return new PathSearch(request).run()
}

class PathSearch {
  readonly #request: ChainRequest
  #checksLeft = maxSignatureChecks
  #refusal: Refusal

  constructor(request: ChainRequest) {
    this.#request = request
    this.#refusal = unknownIssuer(request.leaf)
  }

  run(): ChainVerdict {
    const { leaf, roots } = this.#request
    // An operator may trust a self-signed certificate itself.
    const chain = roots.some((root) => root.equals(leaf)) ? this.#judged([leaf]) : this.#extend([leaf])
    return chain === undefined ? { isTrusted: false, ...this.#refusal } : { isTrusted: true, chain }
  }

  #extend(path: readonly Certificate[]): readonly Certificate[] | undefined {
    const child = path[path.length - 1]!
    for (const root of this.#request.roots) {
      if (!this.#isIssuedBy(child, root)) continue
      const chain = this.#judged([...path, root])
      if (chain !== undefined) return chain
    }
    for (const candidate of this.#request.intermediates ?? []) {
      if (path.some((certificate) => certificate.equals(candidate))) continue
      if (!this.#isIssuedBy(child, candidate)) continue
      if (path.length >= maxAuthorities) {
        this.#note('PATH_TOO_LONG', `more than ${maxAuthorities} authorities above the leaf`)
        return undefined
      }
      const chain = this.#extend([...path, candidate])
      if (chain !== undefined) return chain
    }
    return undefined
  }

  /** Names first, because they cost nothing; then what the issuer may do; the signature last. */
  #isIssuedBy(child: Certificate, issuer: Certificate): boolean {
    if (!child.x509.checkIssued(issuer.x509)) return false
    if (!issuer.isCa) return this.#note('ISSUER_IS_NOT_CA', `${shown(issuer)} may not sign certificates`)
    const weakness = keyWeakness(issuer.publicKey)
    if (weakness !== undefined) return this.#note('WEAK_KEY', `${shown(issuer)} has ${weakness}`)
    if (this.#checksLeft === 0) return this.#note('TOO_COMPLEX', 'too many certificates with the same names')
    this.#checksLeft--
    if (child.isSignedBy(issuer)) return true
    return this.#note('BAD_SIGNATURE', `${shown(child)} was not signed by ${shown(issuer)}`)
  }

  #judged(chain: readonly Certificate[]): readonly Certificate[] | undefined {
    const { at, purpose } = this.#request
    const refusal =
      constraintRefusal(chain) ??
      strengthRefusal(chain) ??
      (purpose === undefined ? undefined : purposeRefusal(chain, purpose)) ??
      (at === 'any time' ? undefined : validityRefusal(chain, at))
    if (refusal === undefined) return chain
    this.#note(refusal.reason, refusal.message)
    return undefined
  }

  #note(reason: ChainRefusal, message: string): false {
    if (chainRefusals.indexOf(reason) > chainRefusals.indexOf(this.#refusal.reason)) this.#refusal = { reason, message }
    return false
  }
}

function unknownIssuer(leaf: Certificate): Refusal {
  const isOwnIssuer = leaf.x509.subject === leaf.x509.issuer
  return isOwnIssuer
    ? { reason: 'SELF_SIGNED', message: `${shown(leaf)} is signed by itself and is not trusted` }
    : { reason: 'UNKNOWN_ISSUER', message: `no trusted authority has issued ${shown(leaf)}` }
}

function constraintRefusal(chain: readonly Certificate[]): Refusal | undefined {
  let authoritiesBelow = 0
  for (const [index, certificate] of chain.entries()) {
    const { hasNameConstraints, pathLength, unknownCritical } = certificate.content
    const unsupported = hasNameConstraints ? 'name constraints' : unknownCritical[0]
    if (unsupported !== undefined) {
      return {
        reason: 'UNSUPPORTED_CONSTRAINT',
        message: `${shown(certificate)} carries a constraint that is not supported: ${unsupported}`,
      }
    }
    if (index === 0) continue
    if (pathLength !== undefined && authoritiesBelow > pathLength) {
      return { reason: 'PATH_TOO_LONG', message: `${shown(certificate)} allows ${pathLength} authorities below it` }
    }
    // A self-issued certificate (an authority's new key under its old name) is not counted.
    if (certificate.x509.subject !== certificate.x509.issuer) authoritiesBelow++
  }
  return undefined
}

function strengthRefusal(chain: readonly Certificate[]): Refusal | undefined {
  for (const [index, certificate] of chain.entries()) {
    const weakness = keyWeakness(certificate.publicKey)
    if (weakness !== undefined) return { reason: 'WEAK_KEY', message: `${shown(certificate)} has ${weakness}` }
    // Nobody relies on the signature of what is trusted by itself.
    const isRoot = index === chain.length - 1
    if (!isRoot && !isStrongSignature(certificate.x509.signatureAlgorithmOid)) {
      return { reason: 'WEAK_SIGNATURE', message: `${shown(certificate)} is signed with an outdated algorithm` }
    }
  }
  return undefined
}

function purposeRefusal(chain: readonly Certificate[], purpose: Purpose): Refusal | undefined {
  const [leaf] = chain
  // Whoever holds an authority's key signs for others with it; that it is a client, too, is nobody's intention.
  if (purpose === 'clientAuth' && leaf?.isCa) {
    return { reason: 'WRONG_PURPOSE', message: `${shown(leaf)} is an authority and not for ${purpose}` }
  }
  const accepted: readonly string[] = [extendedKeyUsageId[purpose], extendedKeyUsageId.any]
  for (const certificate of chain) {
    const usages = certificate.x509.keyUsage as readonly string[] | undefined
    if (usages !== undefined && !usages.some((usage) => accepted.includes(usage))) {
      return { reason: 'WRONG_PURPOSE', message: `${shown(certificate)} is not for ${purpose}` }
    }
  }
  return undefined
}

function validityRefusal(chain: readonly Certificate[], at: number): Refusal | undefined {
  for (const certificate of chain) {
    if (at > certificate.notAfter) {
      return { reason: 'EXPIRED', message: `${shown(certificate)} expired at ${time(certificate.notAfter)}` }
    }
    if (at < certificate.notBefore) {
      return { reason: 'NOT_YET_VALID', message: `${shown(certificate)} is valid from ${time(certificate.notBefore)}` }
    }
  }
  return undefined
}

function shown(certificate: Certificate): string {
  return `certificate ${certificate.fingerprint} ${JSON.stringify(certificate.commonName.slice(0, 64))}`
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
