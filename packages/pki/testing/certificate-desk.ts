/** What a controller does with certificates that are there: log in by them, extend them, and end the former ones. */
import { parseCertificateRequest } from '../certificate-request.ts'
import { type Certificate, parseLeafCertificate } from '../certificates.ts'
import type { EnrollmentIssuer } from '../enrollment-issuer.ts'

/** A request under a certificate. */
export interface DeskRequest {
  readonly path: string
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  readonly body: string
  readonly leaf: Certificate | undefined
}

/** Status and body of the answer. */
export type DeskAnswer = readonly [status: number, body: object]

const token = 'a-session-token'
const authenticatorPath = '/current-identity/authenticators/auth1'
const unauthorized: DeskAnswer = [401, { error: { code: 'UNAUTHORIZED', message: 'The request is not authorized' } }]

export class CertificateDesk {
  /** Fingerprints: of the certificate that counts, and of one that was issued and not shown yet. */
  inForce: string | undefined
  pending: string | undefined
  isExtendable = true
  isKeyRollRequested = false
  readonly #issuer: EnrollmentIssuer
  readonly #authorities: string

  constructor(issuer: EnrollmentIssuer, authorities: string) {
    this.#issuer = issuer
    this.#authorities = authorities
  }

  /** Undefined if the path is none of its own. */
  answer({ path, headers, body, leaf }: DeskRequest): DeskAnswer | undefined {
    const isHolder = leaf !== undefined && leaf.fingerprint === this.inForce
    const hasSession = isHolder && headers['zt-session'] === token
    switch (path) {
      case '/authenticate':
        return isHolder ? this.#session() : unauthorized
      case `${authenticatorPath}/extend`:
        return hasSession
          ? this.#extend(leaf, (JSON.parse(body) as { clientCertCsr: string }).clientCertCsr)
          : unauthorized
      case `${authenticatorPath}/extend-verify`:
        return hasSession ? this.#verify((JSON.parse(body) as { clientCert: string }).clientCert) : unauthorized
      case '/enroll/extend/router':
        return isHolder ? this.#extendRouter(leaf, JSON.parse(body) as RouterRequests) : unauthorized
      default:
        return undefined
    }
  }

  #session(): DeskAnswer {
    const { isExtendable: isCertExtendable, isKeyRollRequested: isCertKeyRollRequested } = this
    return [200, { data: { token, authenticatorId: 'auth1', isCertExtendable, isCertKeyRollRequested } }]
  }

  #extend(present: Certificate, csr: string): DeskAnswer {
    const request = parseCertificateRequest(csr)
    const { certificate, chainPem } = this.#issuer.extendIdentity({ request, current: present })
    this.pending = certificate.fingerprint
    return [200, { data: { clientCert: chainPem, ca: this.#authorities } }]
  }

  #verify(clientCert: string): DeskAnswer {
    if (parseLeafCertificate(clientCert).fingerprint !== this.pending)
      return [400, { error: { code: 'INVALID_CLIENT_CERT' } }]
    this.inForce = this.pending
    this.pending = undefined
    return [200, { data: {} }]
  }

  #extendRouter(present: Certificate, { certCsr, serverCertCsr }: RouterRequests): DeskAnswer {
    const routerId = present.commonName
    const client = this.#issuer.issueRouterClient({ request: parseCertificateRequest(certCsr), routerId })
    const server = this.#issuer.issueRouterServer({ request: parseCertificateRequest(serverCertCsr), routerId })
    this.inForce = client.certificate.fingerprint
    return [200, { data: { cert: client.chainPem, serverCert: server.chainPem } }]
  }
}

interface RouterRequests {
  readonly certCsr: string
  readonly serverCertCsr: string
}
