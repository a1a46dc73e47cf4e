/**
 * Who vouches for the certificate a client has presented: the network itself, or an authority that an operator has
 * registered.
 *
 * Only the leaf is judged, because only its key was proven. Whether it has expired is left to the auth policy that
 * applies once the identity is known. Clients should send their whole chain; one that sends the leaf alone is helped
 * out with the network's own intermediates, and the answer says so.
 */
import type { Certificate } from './certificates.ts'
import type { NetworkAuthorities } from './network-authorities.ts'
import { type ChainRefusal, verifyChain } from './verify-chain.ts'

/** A registered authority; the caller hands in only those that may vouch at this moment. */
export interface RegisteredAuthority {
  readonly certificate: Certificate
}

/** What the client has sent, and who may vouch for it. */
export interface ClientCertificateRequest<Registered extends RegisteredAuthority> {
  readonly leaf: Certificate
  /** The other certificates of the handshake; unproven. */
  readonly sent?: readonly Certificate[]
  readonly network: Pick<NetworkAuthorities, 'roots' | 'intermediates'>
  readonly registered?: Iterable<Registered>
}

/** The answer; chains are leaf first, root last. */
export type ClientCertificateVerdict<Registered extends RegisteredAuthority> =
  | {
      readonly by: 'network'
      readonly chain: readonly Certificate[]
      /** False if the chain was complete only with the network's own intermediates. */
      readonly isProperChain: boolean
    }
  | { readonly by: 'registered'; readonly chain: readonly Certificate[]; readonly authority: Registered }
  | { readonly by: 'nobody'; readonly reason: ChainRefusal; readonly message: string }

/** Never throws for what is in the certificates; three bounded searches at most, however many authorities there are. */
export function verifyClientCertificate<Registered extends RegisteredAuthority>(
  request: ClientCertificateRequest<Registered>,
): ClientCertificateVerdict<Registered> {
  const { leaf, sent = [], network } = request
  const search = { leaf, at: 'any time', purpose: 'clientAuth' } as const

  const proper = verifyChain({ ...search, intermediates: sent, roots: network.roots })
  if (proper.isTrusted) return { by: 'network', chain: proper.chain, isProperChain: true }

  const intermediates = [...network.intermediates, ...sent]
  const completed = verifyChain({ ...search, intermediates, roots: network.roots })
  if (completed.isTrusted) return { by: 'network', chain: completed.chain, isProperChain: false }

  const registered = [...(request.registered ?? [])]
  const roots = registered.map(({ certificate }) => certificate)
  const foreign = verifyChain({ ...search, intermediates: sent, roots })
  if (foreign.isTrusted) {
    const root = foreign.chain[foreign.chain.length - 1]!
    return { by: 'registered', chain: foreign.chain, authority: registered[roots.indexOf(root)]! }
  }
  const { reason, message } = completed.reason === 'UNKNOWN_ISSUER' ? foreign : completed
  return { by: 'nobody', reason, message }
}
