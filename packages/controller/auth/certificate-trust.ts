/**
 * Which authority vouches for a client certificate: the network's own, or one that an operator has registered and that has
 * proven to hold its key. Whether a certificate has expired is a question of auth policies, not of trust.
 */
import { type Certificate, type Identity, parseLeafCertificate, verifyChain } from '@weft/pki'
import type { TableRows } from '../state/row.ts'
import type { View } from '../state/view.ts'

export type Voucher = { readonly by: 'network' } | { readonly by: 'ca'; readonly caId: string }

type Ca = TableRows['cas']

/** Parsed once per version of a row. */
const certificateOfCa = new WeakMap<Ca, Certificate>()

/** The network's own authorities: those that are trusted, and those between them and a leaf. */
export interface NetworkAuthorities {
  readonly roots: readonly Certificate[]
  readonly intermediates: readonly Certificate[]
}

/** The authorities above the controller's own certificates, which are those above everything the network issues. */
export function networkAuthorities({ caBundle, client, servers }: Identity): NetworkAuthorities {
  const own = [...(client === undefined ? [] : [client]), ...servers]
  return { roots: caBundle, intermediates: own.flatMap(({ chain }) => chain.filter(({ isCa }) => isCa)) }
}

export class CertificateTrust {
  readonly #network: NetworkAuthorities

  constructor(network: NetworkAuthorities) {
    this.#network = network
  }

  voucherFor(leaf: Certificate, view: View): Voucher | undefined {
    if (verifyChain({ leaf, ...this.#network, at: 'any time' }).isTrusted) return { by: 'network' }
    for (const ca of view.rows('cas')) {
      if (!ca.isVerified) continue
      if (verifyChain({ leaf, roots: [caCertificate(ca)], at: 'any time' }).isTrusted) return { by: 'ca', caId: ca.id }
    }
    return undefined
  }
}

export function caCertificate(ca: Ca): Certificate {
  let certificate = certificateOfCa.get(ca)
  if (certificate === undefined) {
    certificate = parseLeafCertificate(ca.certPem)
    certificateOfCa.set(ca, certificate)
  }
  return certificate
}
