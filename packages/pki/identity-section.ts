/**
 * The `identity` section of a configuration file, loaded into what TLS needs.
 *
 * Everything that is wrong is found in one go, each with the path of the key that has to be changed. What would make
 * every connection fail is a problem; what a running network can live with for a while (a certificate out of its time,
 * a key file others can read) is a warning.
 */
import type { KeyObject } from 'node:crypto'
import { type Certificate, encodeCertificates } from './certificates.ts'
import type { Clock } from './clock.ts'
import { completeChain, withoutRoot } from './complete-chain.ts'
import { extendedKeyUsageId } from './extensions.ts'
import { encodePrivateKey } from './keys.ts'
import { type IdentityProblem, isBlank, isRecord, SectionReader } from './section-reader.ts'
import { verifyChain } from './verify-chain.ts'

/** Which keys must be there: a controller has all, a listener serves, a client dials, a visitor only trusts. */
export type IdentityRole = 'controller' | 'listener' | 'client' | 'visitor'

/** How to read a section. */
export interface IdentitySectionOptions {
  /** What relative paths are relative to. */
  readonly baseDirectory: string
  readonly clock: Clock
  readonly role?: IdentityRole
  /** Where the section stands, for messages. */
  readonly path?: string
}

/** A leaf with its key, in both forms: parsed, and as `tls.createSecureContext` takes them. */
export interface KeyedCertificate {
  readonly certificate: Certificate
  /** Leaf first, root left out. */
  readonly chain: readonly Certificate[]
  readonly certPem: string
  readonly key: KeyObject
  readonly keyPem: string
}

/** A section that loaded. */
export interface Identity {
  readonly client: KeyedCertificate | undefined
  /** Those of `server_cert` first, then the alternatives: the first that covers a host is the one to present. */
  readonly servers: readonly KeyedCertificate[]
  readonly caBundle: readonly Certificate[]
  readonly caPem: string
  /** The key and certificate files it was read from, to be watched for changes. */
  readonly files: readonly string[]
}

/** The outcome: an identity, or why there is none. */
export interface LoadedIdentity {
  /** Undefined if there is any problem. */
  readonly identity: Identity | undefined
  readonly problems: readonly IdentityProblem[]
  readonly warnings: readonly IdentityProblem[]
}

const required: Readonly<Record<IdentityRole, readonly string[]>> = {
  controller: ['cert', 'server_cert', 'key', 'ca'],
  listener: ['server_cert', 'ca'],
  client: ['cert', 'key'],
  visitor: ['ca'],
}
const maxAlternatives = 64

/** Reads and checks the section; never throws for what is in it or in its files. */
export async function loadIdentitySection(section: unknown, options: IdentitySectionOptions): Promise<LoadedIdentity> {
  const reader = new SectionReader(options)
  const identity = await new SectionLoader(reader, options).load(section)
  const { problems, warnings } = reader
  return { identity: problems.length === 0 ? identity : undefined, problems, warnings }
}

class SectionLoader {
  readonly #reader: SectionReader
  readonly #role: IdentityRole
  readonly #path: string

  constructor(reader: SectionReader, { role = 'controller', path = 'identity' }: IdentitySectionOptions) {
    this.#reader = reader
    this.#role = role
    this.#path = path
  }

  async load(section: unknown): Promise<Identity | undefined> {
    const reader = this.#reader
    if (!isRecord(section)) {
      reader.problem(this.#path, 'must be a section with cert, server_cert, key and ca')
      return undefined
    }
    for (const name of this.#missing(section)) reader.problem(`${this.#path}.${name}`, 'is missing')
    const at = (name: string) => `${this.#path}.${name}`
    const caBundle = (await reader.trustBundle(section['ca'], at('ca'))) ?? []
    const key = await reader.key(section['key'], at('key'))
    const serverKey = isBlank(section['server_key']) ? key : await reader.key(section['server_key'], at('server_key'))

    const clientChain = await reader.certificates(section['cert'], at('cert'))
    const client = this.#keyed(clientChain?.[0], clientChain ?? [], key, caBundle, at('cert'))
    // A client may hold a certificate of an authority that only its controller knows.
    if (client !== undefined && caBundle.length > 0 && this.#role !== 'client') {
      this.#checkTrust(client, caBundle, at('cert'))
    }

    const servers = await this.#servers(section['server_cert'], serverKey, caBundle, at('server_cert'))
    for (const [index, entry] of this.#alternatives(section['alt_server_certs'], at('alt_server_certs')).entries()) {
      const where = `${at('alt_server_certs')}[${index}]`
      if (isBlank(entry['server_cert'])) reader.problem(`${where}.server_cert`, 'is missing')
      const own = isBlank(entry['server_key']) ? key : await reader.key(entry['server_key'], `${where}.server_key`)
      servers.push(...(await this.#servers(entry['server_cert'], own, caBundle, `${where}.server_cert`)))
    }
    return { client, servers, caBundle, caPem: encodeCertificates(caBundle), files: reader.files }
  }

  /** `key` stands in wherever a certificate has no key of its own. */
  #missing(section: Record<string, unknown>): string[] {
    const alternatives = Array.isArray(section['alt_server_certs']) ? section['alt_server_certs'].filter(isRecord) : []
    const needsKey =
      !isBlank(section['cert']) ||
      (!isBlank(section['server_cert']) && isBlank(section['server_key'])) ||
      alternatives.some((entry) => isBlank(entry['server_key']))
    const names = new Set(required[this.#role])
    if (needsKey) names.add('key')
    return [...names].filter((name) => isBlank(section[name]))
  }

  /** One file may hold the chains of several leaves. */
  async #servers(
    value: unknown,
    key: KeyObject | undefined,
    caBundle: readonly Certificate[],
    path: string,
  ): Promise<KeyedCertificate[]> {
    const certificates = await this.#reader.certificates(value, path)
    if (certificates === undefined) return []
    const leaves = certificates.filter(isServerLeaf)
    if (leaves.length === 0) {
      leaves.push(certificates[0]!)
      this.#reader.warning(path, 'has neither DNS names nor IP addresses, so that no client can match it to a host')
    }
    return leaves.flatMap((leaf) => {
      const keyed = this.#keyed(leaf, certificates, key, caBundle, path)
      return keyed === undefined ? [] : [keyed]
    })
  }

  #alternatives(value: unknown, path: string): Record<string, unknown>[] {
    if (value === undefined || value === null) return []
    if (!Array.isArray(value) || !value.every(isRecord)) {
      this.#reader.problem(path, 'must be a list of sections with server_cert and server_key')
      return []
    }
    if (value.length > maxAlternatives) {
      this.#reader.problem(path, `has more than ${maxAlternatives} entries`)
      return []
    }
    return value
  }

  #keyed(
    certificate: Certificate | undefined,
    beside: readonly Certificate[],
    key: KeyObject | undefined,
    caBundle: readonly Certificate[],
    path: string,
  ): KeyedCertificate | undefined {
    if (certificate === undefined || key === undefined) return undefined
    this.#reader.checkTime(certificate, path)
    if (!this.#reader.checkKey(key, certificate, path)) return undefined
    const chain = withoutRoot(completeChain(certificate, [...beside, ...caBundle]))
    return { certificate, chain, certPem: encodeCertificates(chain), key, keyPem: encodePrivateKey(key) }
  }

  #checkTrust({ certificate, chain }: KeyedCertificate, roots: readonly Certificate[], path: string): void {
    const verdict = verifyChain({ leaf: certificate, intermediates: chain.slice(1), roots, at: 'any time' })
    if (!verdict.isTrusted) this.#reader.problem(path, `is not trusted by ${this.#path}.ca: ${verdict.message}`)
  }
}

/** A certificate with host names, or one that says it is for servers; the latter may be an authority. */
function isServerLeaf(certificate: Certificate): boolean {
  const { dns, ip } = certificate.names
  if (!certificate.isCa && (dns.length > 0 || ip.length > 0)) return true
  const usages = (certificate.x509.keyUsage ?? []) as readonly string[]
  return usages.includes(extendedKeyUsageId.serverAuth) || usages.includes(extendedKeyUsageId.any)
}
