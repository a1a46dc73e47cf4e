/**
 * A certificate as the rest of Weft sees it: parsed once, completely, and immutable.
 *
 * Parsing and signatures are the platform's (`X509Certificate`: synchronous, OpenSSL); what it tells only as display
 * text comes from `certificate-content.ts`. A certificate that either of the two refuses is never made.
 */
import { type KeyObject, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { type CertificateContent, readCertificateContent } from './certificate-content.ts'
import type { AlternativeNames } from './extensions.ts'
import { certificateFingerprint } from './fingerprint.ts'
import { decodePem, encodePem, type PemLimits, pemLimits } from './pem.ts'
import { PkiError } from './pki-error.ts'

const label = 'CERTIFICATE'

/** Made by `fromDer` or from PEM by the functions below. */
export class Certificate {
  readonly der: Buffer
  readonly x509: X509Certificate
  /** Lower-case hex SHA-1 of the DER. */
  readonly fingerprint: string
  /** Milliseconds since 1970, as are all times of this package. */
  readonly notBefore: number
  readonly notAfter: number
  readonly content: CertificateContent
  #pem: string | undefined
  #signers: WeakMap<Certificate, boolean> | undefined

  private constructor(der: Buffer, x509: X509Certificate, content: CertificateContent) {
    this.der = der
    this.x509 = x509
    this.content = content
    this.fingerprint = certificateFingerprint(der)
    this.notBefore = x509.validFromDate.getTime()
    this.notAfter = x509.validToDate.getTime()
  }

  /** Refuses with `BAD_DER` what is not exactly one well-formed certificate. */
  static fromDer(bytes: Uint8Array): Certificate {
    const der = Buffer.from(bytes)
    let x509: X509Certificate
    try {
      x509 = new X509Certificate(der)
      // Touches the key: one that cannot be read is found here and not in the middle of a handshake.
      void x509.publicKey
    } catch (cause) {
      throw new PkiError('BAD_DER', undefined, { cause })
    }
    if (!x509.raw.equals(der)) throw new PkiError('BAD_DER', 'there are bytes after the certificate')
    const certificate = new Certificate(der, x509, readCertificateContent(der))
    if (Number.isNaN(certificate.notBefore) || Number.isNaN(certificate.notAfter)) {
      throw new PkiError('BAD_DER', 'the validity is not a time')
    }
    return certificate
  }

  get commonName(): string {
    return this.content.commonName
  }

  get names(): AlternativeNames {
    return this.content.names
  }

  /** True if the basic constraints say that this may sign certificates. */
  get isCa(): boolean {
    return this.content.isCa
  }

  get publicKey(): KeyObject {
    return this.x509.publicKey
  }

  get pem(): string {
    this.#pem ??= encodePem(label, this.der)
    return this.#pem
  }

  /** Whether the key of another certificate made the signature; checked once, since neither can change. */
  isSignedBy(issuer: Certificate): boolean {
    this.#signers ??= new WeakMap()
    let isSigned = this.#signers.get(issuer)
    if (isSigned === undefined) {
      isSigned = this.x509.verify(issuer.publicKey)
      this.#signers.set(issuer, isSigned)
    }
    return isSigned
  }

  /** True if subject and issuer are one name and the certificate's own key made the signature. */
  get isSelfSigned(): boolean {
    return this.x509.checkIssued(this.x509) && this.x509.verify(this.publicKey)
  }

  /** Whether a client that dials `host` (DNS name or IP address, IPv6 with or without brackets) accepts this leaf. */
  coversHost(host: string): boolean {
    const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
    const matched = isIP(bare) ? this.x509.checkIP(bare) : this.x509.checkHost(bare, { subject: 'never' })
    return matched !== undefined
  }

  equals(other: Certificate): boolean {
    return this.der.equals(other.der)
  }
}

/** All certificates of a PEM text, in order; at least one, and nothing but certificates. */
export function parseCertificates(pem: string, limits: PemLimits = pemLimits): Certificate[] {
  return decodePem(pem, limits).map((block) => {
    if (block.label !== label) throw new PkiError('WRONG_BLOCK_TYPE', `expected ${label}, found ${block.label}`)
    return Certificate.fromDer(block.der)
  })
}

/** The first certificate of a PEM text: the leaf of a chain. What follows it must be certificates too. */
export function parseLeafCertificate(pem: string, limits: PemLimits = pemLimits): Certificate {
  return parseCertificates(pem, limits)[0]!
}

/** One PEM text from several certificates. */
export function encodeCertificates(certificates: Iterable<Certificate>): string {
  return Array.from(certificates, (certificate) => certificate.pem).join('')
}

/** The same certificates without repetitions, in order of first appearance. */
export function uniqueCertificates(certificates: Iterable<Certificate>): Certificate[] {
  return [
    ...new Map(Array.from(certificates, (certificate) => [certificate.der.toString('latin1'), certificate])).values(),
  ]
}
