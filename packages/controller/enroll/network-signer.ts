/**
 * What this controller signs in the name of the network, and the authorities that peers are told about.
 *
 * The signing certificate may be replaced while the controller runs. What it has issued before stays trusted: authorities
 * are added to those known at start, and none is taken away.
 */

import {
  type Certificate,
  type CertificateRequest,
  EnrollmentIssuer,
  gatherAuthorities,
  type Identity,
  type IssuedCertificate,
  type NetworkAuthorities,
  type SigningCertificate,
} from '@weft/pki'
import { networkAuthorities, type NetworkAuthorities as TrustedAuthorities } from '../auth/certificate-trust.ts'
import { answeringFor, readCertificateRequest } from './certificate-request.ts'

export interface NetworkSignerOptions {
  readonly signing: SigningCertificate
  readonly trustDomain: string
  readonly identity: Identity
  /** What web servers with certificates of their own trust. */
  readonly anchors: readonly Certificate[]
}

/** What an API session gets for a certificate request. */
export interface SessionCertificate extends IssuedCertificate {
  /** All authorities of the network. */
  readonly caPem: string
}

/** Issues certificates to API sessions; what is wrong with a request is an `ApiError`. */
export interface SessionCertificateIssuer {
  issueSessionCertificate(wanted: {
    readonly csr: string
    readonly identityId: string
    readonly apiSessionId: string
    readonly certificateId: string
    /** Milliseconds; half a day unless told otherwise. */
    readonly lifetime?: number
  }): SessionCertificate
}

export class NetworkSigner implements SessionCertificateIssuer {
  readonly #identity: Identity
  readonly #trustDomain: string
  #issuer: EnrollmentIssuer
  #authorities: NetworkAuthorities
  #trusted: TrustedAuthorities

  constructor({ signing, trustDomain, identity, anchors }: NetworkSignerOptions) {
    this.#identity = identity
    this.#trustDomain = trustDomain
    this.#issuer = new EnrollmentIssuer({ authority: signing.authority, trustDomain })
    this.#authorities = gatherAuthorities(identity.caBundle, signing.authorities, anchors)
    this.#trusted = networkAuthorities(identity, this.#authorities.all)
  }

  /** Everything that peers should trust from now on. */
  get authorities(): NetworkAuthorities {
    return this.#authorities
  }

  /** Who vouches for the certificates of clients. */
  get trusted(): TrustedAuthorities {
    return this.#trusted
  }

  /** Signs with another certificate from now on. */
  renew({ authority, authorities }: SigningCertificate): void {
    this.#issuer = new EnrollmentIssuer({ authority, trustDomain: this.#trustDomain })
    this.#authorities = gatherAuthorities(this.#authorities.all, authorities)
    this.#trusted = networkAuthorities(this.#identity, this.#authorities.all)
  }

  issueIdentity(request: CertificateRequest, identityId: string): IssuedCertificate {
    return answeringFor(() => this.#issuer.issueIdentity({ request, identityId }))
  }

  extendIdentity(request: CertificateRequest, current: Certificate): IssuedCertificate {
    return answeringFor(() => this.#issuer.extendIdentity({ request, current }))
  }

  /** Throws a `PkiError` for what is wrong with the request; there are two of them, and the caller knows which. */
  issueRouterClient(request: CertificateRequest, routerId: string): IssuedCertificate {
    return this.#issuer.issueRouterClient({ request, routerId })
  }

  /** Likewise. */
  issueRouterServer(request: CertificateRequest, routerId: string): IssuedCertificate {
    return this.#issuer.issueRouterServer({ request, routerId })
  }

  issueSessionCertificate({
    csr,
    ...wanted
  }: Parameters<SessionCertificateIssuer['issueSessionCertificate']>[0]): SessionCertificate {
    const request = readCertificateRequest(csr)
    const issued = answeringFor(() => this.#issuer.issueApiSession({ request, ...wanted }))
    return { ...issued, caPem: this.#authorities.pem }
  }
}
