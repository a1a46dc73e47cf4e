/**
 * The certificates a controller gives to those who enroll, each from a request that has proven its key.
 *
 * A name by which a peer is recognised never comes from the request: it would let anyone ask to be someone else.
 * Identities and sessions get nothing but their SPIFFE id; routers get the host names they ask for, because only they
 * know where they are reached, and their own SPIFFE id instead of any they ask for.
 */
import type { CertificateAuthority, IssuedCertificate } from './authority.ts'
import type { CertificateRequest } from './certificate-request.ts'
import type { Certificate } from './certificates.ts'
import type { DistinguishedName } from './distinguished-name.ts'
import type { AlternativeNames, KeyUsage, Purpose } from './extensions.ts'
import { sortHosts } from './hosts.ts'
import { PkiError } from './pki-error.ts'
import { formatSpiffeId, isSpiffeUri, parseTrustDomain } from './spiffe.ts'

/** Peers look for all three, whatever the kind of key. */
const keyUsages: readonly KeyUsage[] = ['digitalSignature', 'keyEncipherment', 'dataEncipherment']

/** An API session's certificate ends with the working day, so that a forgotten one is worth nothing. */
export const apiSessionCertificateLifetime = 12 * 60 * 60_000

const maxFurtherNames = 128
/** One URI that Go cannot parse makes the whole certificate unreadable to it. */
const uriPattern = /^[a-z][a-z0-9+.-]*:(?:[\w.~:/?#@!$&'()*+,;=[\]-]|%[0-9a-f]{2})+$/i
const emptyName = Buffer.of(0x30, 0)

/** Who gets a certificate for the key of a request; one year unless told otherwise. */
interface Applicant {
  readonly request: CertificateRequest
  readonly lifetime?: number
}

/** Issues in the name of one network. */
export class EnrollmentIssuer {
  readonly authority: CertificateAuthority
  readonly trustDomain: string

  constructor({ authority, trustDomain }: { readonly authority: CertificateAuthority; readonly trustDomain: string }) {
    this.authority = authority
    this.trustDomain = parseTrustDomain(trustDomain)
  }

  /** For an identity: the subject it asks for, and its SPIFFE id as the only alternative name. */
  issueIdentity({ request, identityId, lifetime }: Applicant & { readonly identityId: string }): IssuedCertificate {
    const uri = formatSpiffeId({ kind: 'identity', trustDomain: this.trustDomain, identityId })
    const subject = request.subject.equals(emptyName) ? { commonName: identityId } : request.subject
    return this.#issue(request, { subject, purpose: 'clientAuth', names: { uri: [uri] }, lifetime })
  }

  /** For an API session: from the request only the key. Half a day unless told otherwise. */
  issueApiSession({
    request,
    identityId,
    apiSessionId,
    certificateId,
    lifetime = apiSessionCertificateLifetime,
  }: Applicant & {
    readonly identityId: string
    readonly apiSessionId: string
    readonly certificateId: string
  }): IssuedCertificate {
    const { trustDomain } = this
    const uri = formatSpiffeId({ kind: 'api session', trustDomain, identityId, apiSessionId, certificateId })
    const subject = { commonName: identityId }
    return this.#issue(request, { subject, purpose: 'clientAuth', names: { uri: [uri] }, lifetime })
  }

  /**
   * In place of a certificate that an identity already has: the subject it asks for, all other names from the present
   * certificate, whoever has issued that.
   */
  extendIdentity({ request, current, lifetime }: Applicant & { readonly current: Certificate }): IssuedCertificate {
    const subject = request.subject.equals(emptyName) ? current.content.subject : request.subject
    return this.#issue(request, { subject, purpose: 'clientAuth', names: current.names, lifetime })
  }

  /** With which a router dials: it must ask under its own id (`CSR_NAMES_ANOTHER`). */
  issueRouterClient({ request, routerId, lifetime }: Applicant & { readonly routerId: string }): IssuedCertificate {
    if (request.commonName !== routerId) {
      throw new PkiError('CSR_NAMES_ANOTHER', `the common name is not "${routerId}"`)
    }
    const names = this.#routerNames(request, routerId)
    return this.#issue(request, { subject: request.subject, purpose: 'clientAuth', names, lifetime })
  }

  /** With which a router listens. A request under another common name is answered under the router's id. */
  issueRouterServer({ request, routerId, lifetime }: Applicant & { readonly routerId: string }): IssuedCertificate {
    const subject = request.commonName === routerId ? request.subject : { commonName: routerId }
    const names = this.#routerNames(request, routerId)
    return this.#issue(request, { subject, purpose: 'serverAuth', names, lifetime })
  }

  #routerNames({ names }: CertificateRequest, routerId: string): AlternativeNames {
    if (names.email.length + names.uri.length > maxFurtherNames) {
      throw new PkiError('BAD_CSR', `more than ${maxFurtherNames} e-mail addresses and URIs`)
    }
    for (const uri of names.uri) {
      if (!uriPattern.test(uri) || !URL.canParse(uri)) throw new PkiError('BAD_CSR', 'it asks for a malformed URI')
    }
    const own = formatSpiffeId({ kind: 'router', trustDomain: this.trustDomain, routerId })
    const uri = [...names.uri.filter((wanted) => !isSpiffeUri(wanted)), own]
    return { ...sortHosts([...names.dns, ...names.ip]), email: names.email, uri }
  }

  #issue(
    { publicKey }: CertificateRequest,
    content: {
      readonly subject: DistinguishedName | Buffer
      readonly purpose: Purpose
      readonly names: Partial<AlternativeNames>
      readonly lifetime: number | undefined
    },
  ): IssuedCertificate {
    const { purpose, ...rest } = content
    return this.authority.issue({ ...rest, publicKey, purposes: [purpose], keyUsages })
  }
}
