/**
 * The JWTs that invite someone into a network.
 *
 * A client verifies them with the public key of the TLS certificate it meets at `iss`, so the signer must be the leaf
 * presented for that host. Claims stand in the order in which peers write them. Signing is synchronous, because tokens
 * are made inside write transactions.
 */
import { type KeyObject, sign } from 'node:crypto'
import type { Certificate } from './certificates.ts'
import { digestOf, keyMatchesCertificate, type TokenAlgorithm, tokenAlgorithmOf } from './keys.ts'
import { PkiError } from './pki-error.ts'

/** What the holder of a token does with it. */
export type EnrollmentMethod = 'ott' | 'ottca' | 'updb' | 'erott' | 'trott'

/** Signs with one key and names its certificate in the header. */
export class TokenSigner {
  readonly algorithm: TokenAlgorithm
  /** The certificate's fingerprint, as `kid`. */
  readonly keyId: string
  readonly certificate: Certificate
  readonly #key: { readonly key: KeyObject; readonly dsaEncoding: 'ieee-p1363' }
  readonly #digest: string
  readonly #header: string

  constructor({ key, certificate }: { readonly key: KeyObject; readonly certificate: Certificate }) {
    if (!keyMatchesCertificate(key, certificate)) throw new PkiError('KEY_MISMATCH', certificate.fingerprint)
    this.algorithm = tokenAlgorithmOf(key)
    this.keyId = certificate.fingerprint
    this.certificate = certificate
    // JWS wants r and s side by side; the default DER form is refused by the Go peers.
    this.#key = { key, dsaEncoding: 'ieee-p1363' }
    this.#digest = digestOf[this.algorithm]
    this.#header = base64url(tokenHeader(this.algorithm, this.keyId))
  }

  /** A compact JWS over the claims, in the order given. */
  sign(claims: object): string {
    const signed = `${this.#header}.${base64url(JSON.stringify(claims))}`
    return `${signed}.${sign(this.#digest, Buffer.from(signed, 'latin1'), this.#key).toString('base64url')}`
  }
}

/** One enrollment, as its token tells it. */
export interface EnrollmentInvitation {
  /** `edge.api.address`: host and port, without scheme. */
  readonly address: string
  readonly method: EnrollmentMethod
  /** The identity or router that enrolls. */
  readonly subjectId: string
  /** The enrollment's token. */
  readonly token: string
  /** Milliseconds; the claim is in whole seconds, rounded down. */
  readonly expiresAt: number
  /** Control-channel addresses of all controllers, such as `tls:ctrl.example.com:6262`. */
  readonly controllerAddresses: readonly string[]
}

/** The JWT of one enrollment of an identity or a router. */
export function signEnrollmentToken(signer: TokenSigner, invitation: EnrollmentInvitation): string {
  return signer.sign(enrollmentClaims(invitation))
}

/** Claims of an enrollment; apart from signing so that their bytes can be compared. */
export function enrollmentClaims(invitation: EnrollmentInvitation): object {
  return {
    iss: `https://${invitation.address}`,
    sub: invitation.subjectId,
    aud: [''],
    exp: Math.floor(invitation.expiresAt / 1000),
    jti: invitation.token,
    em: invitation.method,
    ctrls: invitation.controllerAddresses,
  }
}

/** The JWT with which holders of certificates of a third-party CA enroll by themselves. It does not expire. */
export function signCaToken(signer: TokenSigner, ca: { readonly address: string; readonly caId: string }): string {
  return signer.sign(openInvitation(ca.address, ca.caId, ca.caId, 'ca'))
}

/** The JWT that only says where the network is and how to trust it. `id` is random and stays the same. */
export function signNetworkToken(
  signer: TokenSigner,
  network: { readonly address: string; readonly id: string },
): string {
  return signer.sign(openInvitation(network.address, `https://${network.address}/`, network.id, 'network'))
}

/** The header's text; peers read any order, and this is theirs. */
export function tokenHeader(algorithm: TokenAlgorithm, keyId: string): string {
  return JSON.stringify({ alg: algorithm, kid: keyId, typ: 'JWT' })
}

/** Unlike an enrollment's, this issuer ends in a slash and the audience is named. */
function openInvitation(address: string, subject: string, id: string, method: 'ca' | 'network'): object {
  return { iss: `https://${address}/`, sub: subject, aud: ['openziti-enroller'], jti: id, em: method, ctrls: null }
}

function base64url(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url')
}
