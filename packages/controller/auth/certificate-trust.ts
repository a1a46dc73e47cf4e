/**
 * Which authority vouches for a client certificate: the network's own, or one that an operator has registered and that has
 * proven to hold its key. Whether a certificate has expired is a question of auth policies, not of trust.
 */
import {
  type Certificate,
  type ClientCertificateVerdict,
  gatherAuthorities,
  type Identity,
  parseLeafCertificate,
  uniqueCertificates,
  verifyChain,
  verifyClientCertificate,
} from '@weft/pki'
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

/**
 * Trusted is what the operator has said so of: the identity's `ca`, and what else is handed in (the signing certificate, the
 * `ca` of web servers). The chains of the controller's own certificates only help to build a path: a server certificate
 * may come from a public authority, which vouches for no client.
 */
export function networkAuthorities(
  { caBundle, client, servers }: Identity,
  ...others: readonly Iterable<Certificate>[]
): NetworkAuthorities {
  const { roots, intermediates } = gatherAuthorities(caBundle, ...others)
  const own = [...(client === undefined ? [] : [client]), ...servers]
  const onTheWay = own.flatMap(({ chain }) => chain.filter(({ isCa }) => isCa))
  return { roots, intermediates: uniqueCertificates([...intermediates, ...onTheWay]) }
}

/** A third-party CA that may vouch for clients. */
export interface TrustedCa {
  readonly certificate: Certificate
  readonly ca: Ca
}

export class CertificateTrust {
  readonly #network: () => NetworkAuthorities

  /** The network's authorities are asked for each time: they change when certificates are replaced. */
  constructor(network: () => NetworkAuthorities) {
    this.#network = network
  }

  /** What clients send along with their own certificate, as a rule. */
  get intermediates(): readonly Certificate[] {
    return this.#network().intermediates
  }

  /** Who vouches for the certificate of a client's connection; third-party CAs must be verified and open to logins. */
  verify(leaf: Certificate, sent: readonly Certificate[], view: View): ClientCertificateVerdict<TrustedCa> {
    const registered = view
      .rows('cas')
      .filter(({ isVerified, isAuthEnabled }) => isVerified && isAuthEnabled)
      .map((ca) => ({ certificate: caCertificate(ca), ca }))
    return verifyClientCertificate({ leaf, sent, network: this.#network(), registered })
  }

  /** Who vouches for a certificate that somebody hands in. */
  voucherFor(leaf: Certificate, view: View): Voucher | undefined {
    if (verifyChain({ leaf, ...this.#network(), at: 'any time' }).isTrusted) return { by: 'network' }
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
