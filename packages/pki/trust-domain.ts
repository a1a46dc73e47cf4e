/**
 * Which trust domain a controller belongs to. Its certificates decide; configuration counts only where they are
 * silent, and a network without either is named after its root, so that the name stays the same at every start.
 */
import type { Certificate } from './certificates.ts'
import { completeChain } from './complete-chain.ts'
import { parseTrustDomain, spiffeIdOf } from './spiffe.ts'

/** A trust domain and where it was found. */
export interface TrustDomain {
  readonly name: string
  /** A cluster needs `certificate`: the other two could differ from member to member. */
  readonly source: 'certificate' | 'configuration' | 'root fingerprint'
}

/** What a controller knows about itself at start. */
export interface TrustDomainEvidence {
  /** The server chain, leaf first. */
  readonly serverChain: readonly Certificate[]
  readonly caBundle: readonly Certificate[]
  readonly configured?: string
}

/** Looks at the server chain from leaf to root, then up through the bundle, then at the configuration. */
export function resolveTrustDomain({ serverChain, caBundle, configured }: TrustDomainEvidence): TrustDomain {
  const [leaf] = serverChain
  if (leaf === undefined) throw new RangeError('a trust domain needs at least one certificate')
  const path = completeChain(leaf, [...serverChain.slice(1), ...caBundle])
  for (const certificate of path) {
    const id = spiffeIdOf(certificate)
    if (id !== undefined) return { name: id.trustDomain, source: 'certificate' }
  }
  if (configured !== undefined) return { name: parseTrustDomain(configured), source: 'configuration' }
  return { name: path[path.length - 1]!.fingerprint, source: 'root fingerprint' }
}
