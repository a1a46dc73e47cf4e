/**
 * A certificate authority: a key, its certificate, and what it issues.
 *
 * Everything is backdated by five minutes, because the first thing a new certificate meets is a clock that runs
 * behind; nothing outlives its issuer, because a chain is worth no more than its shortest member. Leaves state their
 * purpose, and unless the caller names others their key usages fit the kind of key: an EC key does not encipher.
 */
import type { KeyObject } from 'node:crypto'
import { type Certificate, encodeCertificates } from './certificates.ts'
import type { Clock } from './clock.ts'
import { readElement, readElements } from './der.ts'
import { type DistinguishedName, encodeName } from './distinguished-name.ts'
import {
  type AlternativeNames,
  authorityKeyIdentifier,
  basicConstraints,
  extendedKeyUsage,
  type KeyUsage,
  keyIdentifierOf,
  keyUsage,
  type Purpose,
  subjectAltName,
  subjectKeyIdentifier,
} from './extensions.ts'
import { sortHosts } from './hosts.ts'
import { defaultKeyKind, generatePrivateKey, type KeyKind, keyMatchesCertificate, publicKeyOf } from './keys.ts'
import { PkiError } from './pki-error.ts'
import { signCertificate } from './sign-certificate.ts'
import { formatSpiffeId } from './spiffe.ts'

const minute = 60_000
const day = 24 * 60 * minute

/** How far behind a peer's clock may run and still accept what was issued this instant. */
export const backdating = 5 * minute
/** Ten years for authorities, one for leaves. */
export const authorityLifetime = 3650 * day
export const leafLifetime = 365 * day

/** What an authority is loaded from. */
export interface AuthorityMaterial {
  readonly certificate: Certificate
  readonly key: KeyObject
  /** The authorities between this one and its root, nearest first, without the root. */
  readonly issuers?: readonly Certificate[]
}

/** A new authority; P-256 and ten years unless told otherwise. */
export interface AuthorityRequest {
  readonly subject: DistinguishedName
  readonly keyKind?: KeyKind
  readonly lifetime?: number
  /** How many further authorities may stand below it: any number below a root, none below an intermediate. */
  readonly pathLength?: number
}

/** A new leaf; one year unless told otherwise. */
export interface LeafRequest {
  /** A name, or the DER of one that is taken over from a request. */
  readonly subject: DistinguishedName | Buffer
  readonly publicKey: KeyObject
  readonly purposes: readonly [Purpose, ...Purpose[]]
  readonly names: Partial<AlternativeNames>
  readonly keyUsages?: readonly KeyUsage[]
  readonly lifetime?: number
}

/** A leaf and the chain that goes with it to peers: leaf first, root left out. */
export interface IssuedCertificate {
  readonly certificate: Certificate
  readonly chain: readonly Certificate[]
  readonly chainPem: string
}

/** Signs leaves and further authorities; synchronous but for making keys. */
export class CertificateAuthority {
  readonly certificate: Certificate
  /** This authority and those above it, without the root: what follows a leaf in a chain. */
  readonly chain: readonly Certificate[]
  /** Handed out for storing it; signing happens here. */
  readonly key: KeyObject
  readonly #clock: Clock

  /** Refuses a certificate that may not sign and a key that is not its own. */
  constructor(material: AuthorityMaterial, deps: { readonly clock: Clock }) {
    const { certificate, key, issuers = [] } = material
    if (!certificate.isCa) throw new PkiError('NOT_A_CA', certificate.fingerprint)
    if (!keyMatchesCertificate(key, certificate)) throw new PkiError('KEY_MISMATCH', certificate.fingerprint)
    this.certificate = certificate
    this.key = key
    this.chain = [...(certificate.isSelfSigned ? [] : [certificate]), ...issuers]
    this.#clock = deps.clock
  }

  /** A new root; if it names a trust domain, everything below it belongs to that. */
  static async createRoot(
    request: AuthorityRequest & { readonly trustDomain?: string },
    deps: { readonly clock: Clock },
  ): Promise<CertificateAuthority> {
    const { trustDomain, pathLength } = request
    const key = await generatePrivateKey(request.keyKind ?? defaultKeyKind)
    const publicKeyInfo = publicKeyInfoOf(publicKeyOf(key))
    const subject = encodeName(request.subject)
    const identifier = keyIdentifierFor(publicKeyInfo)
    const now = deps.clock.now()
    const certificate = signCertificate(
      {
        issuer: subject,
        subject,
        notBefore: now - backdating,
        notAfter: now + (request.lifetime ?? authorityLifetime),
        publicKeyInfo,
        extensions: [
          basicConstraints({ isCa: true, ...(pathLength !== undefined && { pathLength }) }),
          keyUsage(['digitalSignature', 'keyCertSign', 'cRLSign']),
          subjectKeyIdentifier(identifier),
          authorityKeyIdentifier(identifier),
          ...(trustDomain === undefined
            ? []
            : [subjectAltName({ uri: [formatSpiffeId({ kind: 'trust domain', trustDomain })] })]),
        ],
      },
      key,
    )
    return new CertificateAuthority({ certificate, key }, deps)
  }

  /** An authority below this one, with the same trust domain; by default it signs leaves only. */
  async createIntermediate(request: AuthorityRequest): Promise<CertificateAuthority> {
    const pathLength = request.pathLength ?? 0
    const key = await generatePrivateKey(request.keyKind ?? defaultKeyKind)
    const publicKey = publicKeyOf(key)
    const uri = this.certificate.names.uri
    const certificate = this.#sign(encodeName(request.subject), publicKey, request.lifetime ?? authorityLifetime, [
      basicConstraints({ isCa: true, pathLength }),
      keyUsage(['digitalSignature', 'keyCertSign', 'cRLSign']),
      ...(uri.length > 0 ? [subjectAltName({ uri })] : []),
    ])
    return new CertificateAuthority({ certificate, key, issuers: this.chain }, { clock: this.#clock })
  }

  /** Any leaf. What may stand in it is the caller's decision; nothing is taken from a request unseen. */
  issue(request: LeafRequest): IssuedCertificate {
    const { subject, publicKey, purposes, names } = request
    const hasNames = Object.values(names).some((list) => list.length > 0)
    const subjectDer = Buffer.isBuffer(subject) ? subject : encodeName(subject)
    const certificate = this.#sign(subjectDer, publicKey, request.lifetime ?? leafLifetime, [
      basicConstraints({ isCa: false }),
      keyUsage(request.keyUsages ?? usagesOf(publicKey)),
      extendedKeyUsage(purposes),
      ...(hasNames ? [subjectAltName(names)] : []),
    ])
    const chain = [certificate, ...this.chain]
    return { certificate, chain, chainPem: encodeCertificates(chain) }
  }

  /** A server's leaf for the given hosts (DNS names, IPv4 and IPv6 addresses) and, for a controller, its SPIFFE id. */
  issueServerCertificate(request: {
    readonly subject: DistinguishedName | Buffer
    readonly publicKey: KeyObject
    readonly hosts: readonly string[]
    readonly spiffeId?: string
    readonly lifetime?: number
  }): IssuedCertificate {
    const { hosts, spiffeId, ...leaf } = request
    return this.issue({ ...leaf, purposes: ['serverAuth'], names: { ...sortHosts(hosts), uri: listed(spiffeId) } })
  }

  /** A client's leaf; the SPIFFE id is its only alternative name. */
  issueClientCertificate(request: {
    readonly subject: DistinguishedName | Buffer
    readonly publicKey: KeyObject
    readonly spiffeId?: string
    readonly lifetime?: number
  }): IssuedCertificate {
    const { spiffeId, ...leaf } = request
    return this.issue({ ...leaf, purposes: ['clientAuth'], names: { uri: listed(spiffeId) } })
  }

  #sign(subject: Buffer, publicKey: KeyObject, lifetime: number, extensions: readonly Buffer[]): Certificate {
    const { certificate } = this
    const now = this.#clock.now()
    if (now >= certificate.notAfter) {
      throw new PkiError('CA_EXPIRED', `at ${new Date(certificate.notAfter).toISOString()}`)
    }
    const identifier = certificate.content.subjectKeyIdentifier ?? keyIdentifierOf(certificate.content.publicKeyBits)
    const publicKeyInfo = publicKeyInfoOf(publicKey)
    return signCertificate(
      {
        issuer: certificate.content.subject,
        subject,
        notBefore: now - backdating,
        notAfter: Math.min(now + lifetime, certificate.notAfter),
        publicKeyInfo,
        extensions: [
          ...extensions,
          subjectKeyIdentifier(keyIdentifierFor(publicKeyInfo)),
          authorityKeyIdentifier(identifier),
        ],
      },
      this.key,
    )
  }
}

function publicKeyInfoOf(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' })
}

function keyIdentifierFor(publicKeyInfo: Buffer): Buffer {
  const [, bits] = readElements(readElement(publicKeyInfo).content, 2)
  return keyIdentifierOf(bits!.content.subarray(1))
}

function usagesOf(publicKey: KeyObject): readonly KeyUsage[] {
  return publicKey.asymmetricKeyType === 'rsa' ? ['digitalSignature', 'keyEncipherment'] : ['digitalSignature']
}

function listed(value: string | undefined): string[] {
  return value === undefined ? [] : [value]
}
