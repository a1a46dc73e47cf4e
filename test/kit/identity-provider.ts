/** An identity provider that a controller may trust: it signs tokens with a key whose certificate the controller is told. */
import { systemClock } from '@weft/controller'
import { CertificateAuthority, TokenSigner } from '@weft/pki'
import type { Json } from './api-client.ts'

const LIFETIME_SECONDS = 600

export class IdentityProvider {
  readonly issuer: string
  readonly audience = 'weft'
  readonly certificate: string
  /** By which tokens name the key, unless the controller is told another name for it. */
  readonly keyId: string
  readonly #signer: TokenSigner

  private constructor(issuer: string, { certificate, key }: CertificateAuthority) {
    this.issuer = issuer
    this.certificate = certificate.pem
    this.#signer = new TokenSigner({ key, certificate })
    this.keyId = this.#signer.keyId
  }

  static async create(issuer: string): Promise<IdentityProvider> {
    const authority = await CertificateAuthority.createRoot({ subject: { commonName: issuer } }, { clock: systemClock })
    return new IdentityProvider(issuer, authority)
  }

  /** The body of the signer that makes a controller trust it. */
  signer(name: string, more: Json = {}): Json {
    const { issuer, audience, certificate: certPem, keyId: kid } = this
    return { name, issuer, audience, certPem, kid, enabled: true, useExternalId: true, ...more }
  }

  /** A token that says of whom it is; `claims` adds to that, or changes it. */
  token(subject: string, claims: Json = {}): string {
    const now = Math.floor(Date.now() / 1_000)
    const { issuer: iss, audience: aud } = this
    return this.#signer.sign({ iss, aud, sub: subject, iat: now, exp: now + LIFETIME_SECONDS, ...claims })
  }
}
