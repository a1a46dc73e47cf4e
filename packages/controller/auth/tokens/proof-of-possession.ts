/**
 * Whether the client of a TLS connection holds a certificate that a token is bound to.
 *
 * Only the leaf counts, because only its key was proven. It is either one of those the token names, or one that the
 * network issued to the very session of the token.
 */
import { type Certificate, type NetworkAuthorities, PkiError, spiffeIdOf, verifyChain } from '@weft/pki'
import { presentedCertificates } from '../presented-certificates.ts'
import type { TokenClaims } from './claims.ts'

export interface ProofDeps {
  /** The network's own authorities, as they are now. */
  readonly network: () => Pick<NetworkAuthorities, 'roots' | 'intermediates'>
}

type Bound = Pick<TokenClaims, 'sub' | 'z_asid' | 'z_cfs' | 'z_cae'>

/** True for a token that is bound to nothing, whatever certificate is there. */
export function provesPossession(
  { network }: ProofDeps,
  claims: Bound,
  presented: readonly Buffer[],
  now: number,
): boolean {
  const { z_cfs: fingerprints } = claims
  if (!Array.isArray(fingerprints) || fingerprints.length === 0) return true
  const leaf = presentedCertificates(presented.slice(0, 1))?.leaf
  if (leaf === undefined) return false
  const isInTime = leaf.notBefore <= now && now <= leaf.notAfter
  if (fingerprints.includes(leaf.fingerprint)) return isInTime || claims.z_cae === true
  return isInTime && isOfSession(leaf, claims) && isIssuedByNetwork(network(), leaf, now)
}

function isOfSession(leaf: Certificate, { sub, z_asid }: Bound): boolean {
  try {
    const id = spiffeIdOf(leaf)
    return id?.kind === 'api session' && id.identityId === sub && id.apiSessionId === z_asid
  } catch (error) {
    if (error instanceof PkiError) return false
    throw error
  }
}

function isIssuedByNetwork(network: ReturnType<ProofDeps['network']>, leaf: Certificate, at: number): boolean {
  return verifyChain({ leaf, ...network, at, purpose: 'clientAuth' }).isTrusted
}
