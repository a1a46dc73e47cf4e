/**
 * Login by the TLS certificate of the connection.
 *
 * The leaf decides who somebody is, never a certificate that came along with it. An authority must vouch for it, whenever it
 * was valid; then the identity is found by the certificate itself or, where a third-party CA names identities, by what the
 * certificate says. Only then do the auth policy and the validity count.
 */
import { type Certificate, parseLeafCertificate } from '@weft/pki'
import type { Clock } from '../clock.ts'
import type { TableRows } from '../state/row.ts'
import { findOne, type View } from '../state/view.ts'
import { externalIdOf } from './certificate-external-id.ts'
import type { CertificateTrust } from './certificate-trust.ts'
import { isDisabled } from './disabled.ts'
import { INTERNAL_AUTHENTICATOR, type Login, LoginRefused } from './login.ts'
import { presentedCertificates } from './presented-certificates.ts'

export interface CertificateLoginDeps {
  readonly view: View
  readonly trust: CertificateTrust
  readonly clock: Clock
}

type Ca = TableRows['cas']

export class CertificateLogin {
  readonly #deps: CertificateLoginDeps

  constructor(deps: CertificateLoginDeps) {
    this.#deps = deps
  }

  /** Takes the certificates of the connection as DER, leaf first. Throws `LoginRefused`. */
  login(presented: readonly Buffer[]): Login {
    const { view, trust } = this.#deps
    const certificates = presentedCertificates(presented, trust.intermediates)
    if (certificates === undefined) throw new LoginRefused('no certificate was presented')
    const { leaf, sent } = certificates
    const verdict = trust.verify(leaf, sent, view)
    if (verdict.by === 'nobody') throw new LoginRefused(verdict.message)
    const login =
      (verdict.by === 'registered' ? this.#namedByCa(leaf, verdict.authority.ca) : undefined) ??
      this.#enrolled(leaf, verdict.by === 'network', verdict.by !== 'network' || verdict.isProperChain)
    this.#checkPolicy(login, leaf)
    return login
  }

  /** The identity that a third-party CA names; undefined where it names none. */
  #namedByCa(leaf: Certificate, ca: Ca): Login | undefined {
    const externalId = ca.externalIdClaim === null ? undefined : externalIdOf(leaf, ca.externalIdClaim)
    if (externalId === undefined) return undefined
    const identity = findOne(this.#deps.view, 'identities', 'externalId', externalId)
    if (identity === undefined) throw new LoginRefused('no identity has the external id of the certificate')
    return { identityId: identity.id, authenticatorId: INTERNAL_AUTHENTICATOR, caId: ca.id, leafOfCa: leaf }
  }

  #enrolled(leaf: Certificate, isOfNetwork: boolean, isProperChain: boolean): Login {
    const { fingerprint, pem } = leaf
    const row = findOne(this.#deps.view, 'authenticators', 'certFingerprint', fingerprint)
    if (row === undefined) throw new LoginRefused('the certificate is not enrolled')
    const who = { identityId: row.identityId, authenticatorId: row.id }
    // The fingerprint finds the row; it is the whole certificate that must be the same.
    if (row.certPem !== null && !isSame(row.certPem, leaf)) {
      throw new LoginRefused('another certificate has the same fingerprint', who)
    }
    const isExtendable = isOfNetwork && row.isIssuedByNetwork
    return { ...who, certificate: { fingerprint, pem, isExtendable, isProperChain } }
  }

  #checkPolicy(login: Login, leaf: Certificate): void {
    const { view, clock } = this.#deps
    const identity = view.get('identities', login.identityId)
    const policy = identity && view.get('authPolicies', identity.authPolicyId)
    if (identity === undefined || policy === undefined) throw new LoginRefused('identity is gone', login)
    const now = clock.now()
    if (isDisabled(identity, now)) throw new LoginRefused('identity is disabled', login)
    const { allowed, allowExpiredCerts } = policy.primary.cert
    if (!allowed) throw new LoginRefused('the auth policy does not allow certificates', login)
    if (now < leaf.notBefore) throw new LoginRefused('the certificate is not valid yet', login)
    if (now > leaf.notAfter && !allowExpiredCerts) throw new LoginRefused('the certificate has expired', login)
  }
}

/**
 * Whether a stored certificate, or the leaf of a stored chain, is the one that was presented. Parsing takes longer than
 * everything else here, so it is left for what was written down in another form.
 */
function isSame(stored: string, leaf: Certificate): boolean {
  return stored.startsWith(leaf.pem) || parseLeafCertificate(stored).equals(leaf)
}
