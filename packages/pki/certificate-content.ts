/**
 * What the platform's certificate object does not tell, or tells only as display text: the common name, the alternative
 * names one by one, the constraints, the key identifiers and which critical extensions nobody here understands.
 *
 * Read once from the DER when a certificate is made, so that a `Certificate` never fails later.
 */
import {
  contextTag,
  type DerElement,
  derTag,
  expectTag,
  readElement,
  readElements,
  readObjectIdentifier,
} from './der.ts'
import { type AlternativeNames, extensionId, generalNameTag } from './extensions.ts'
import { formatIpAddress } from './ip-address.ts'
import { PkiError } from './pki-error.ts'

/** Everything read from the DER here; views, not copies. */
export interface CertificateContent {
  /** The subject as it stands in the certificate, for copying into what it signs. */
  readonly subject: Buffer
  readonly commonName: string
  readonly names: AlternativeNames
  readonly isCa: boolean
  /** How many further authorities may stand below this one; undefined means any number. */
  readonly pathLength: number | undefined
  readonly publicKeyBits: Buffer
  readonly subjectKeyIdentifier: Buffer | undefined
  readonly hasNameConstraints: boolean
  /** Object identifiers of critical extensions that this package does not evaluate. */
  readonly unknownCritical: readonly string[]
}

const commonNameId = '2.5.4.3'
const maxNames = 1_000
const version = contextTag(0, 'constructed')
const extensionsTag = contextTag(3, 'constructed')
const keyIdentifierTag = derTag.octetString
const evaluated = new Set<string>(Object.values(extensionId))

interface Extension {
  readonly isCritical: boolean
  readonly value: Buffer
}

/** Reads the DER of a certificate that the platform has already parsed. */
export function readCertificateContent(der: Buffer): CertificateContent {
  const [tbs] = readElements(expectTag(readElement(der), derTag.sequence), 3)
  const fields = readElements(expectTag(tbs, derTag.sequence), 10)
  // Version is left out in the oldest certificates; then everything stands one place further to the front.
  const first = fields[0]?.tag === version ? 1 : 0
  const subject = fields[first + 4]
  const [, publicKey] = readElements(expectTag(fields[first + 5], derTag.sequence), 2)
  const extensions = readExtensions(fields.find((field) => field.tag === extensionsTag))
  return {
    subject: subjectBytes(subject),
    commonName: readCommonName(subject),
    names: readNames(extensions.get(extensionId.subjectAltName)),
    ...readBasicConstraints(extensions.get(extensionId.basicConstraints)),
    publicKeyBits: expectTag(publicKey, derTag.bitString).subarray(1),
    subjectKeyIdentifier: readKeyIdentifier(extensions.get(extensionId.subjectKeyIdentifier)),
    hasNameConstraints: extensions.has(extensionId.nameConstraints),
    unknownCritical: [...extensions].filter(([id, it]) => it.isCritical && !evaluated.has(id)).map(([id]) => id),
  }
}

function subjectBytes(subject: DerElement | undefined): Buffer {
  expectTag(subject, derTag.sequence)
  return subject!.bytes
}

function readExtensions(holder: DerElement | undefined): Map<string, Extension> {
  const extensions = new Map<string, Extension>()
  if (holder === undefined) return extensions
  for (const entry of readElements(expectTag(readElement(holder.content), derTag.sequence))) {
    const parts = readElements(expectTag(entry, derTag.sequence), 3)
    const id = readObjectIdentifier(expectTag(parts[0], derTag.objectIdentifier))
    if (extensions.has(id)) throw new PkiError('BAD_DER', `extension ${id} stands there twice`)
    const isCritical = parts.length === 3 && expectTag(parts[1], derTag.boolean)[0] !== 0
    extensions.set(id, { isCritical, value: expectTag(parts.at(-1), derTag.octetString) })
  }
  return extensions
}

/** The last one counts where there are several, as it does for the Go peers. */
function readCommonName(subject: DerElement | undefined): string {
  let commonName = ''
  for (const relative of readElements(expectTag(subject, derTag.sequence))) {
    for (const attribute of readElements(expectTag(relative, derTag.set))) {
      const [id, value] = readElements(expectTag(attribute, derTag.sequence), 2)
      if (value === undefined) throw new PkiError('BAD_DER', 'a name without a value')
      if (readObjectIdentifier(expectTag(id, derTag.objectIdentifier)) === commonNameId) commonName = readText(value)
    }
  }
  return commonName
}

function readText({ tag, content }: DerElement): string {
  switch (tag) {
    case derTag.utf8String:
      try {
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
      } catch (cause) {
        throw new PkiError('BAD_DER', 'a name that is not UTF-8', { cause })
      }
    case derTag.bmpString:
      if (content.length % 2 !== 0) throw new PkiError('BAD_DER', 'a two-octet name of odd length')
      return Buffer.from(content).swap16().toString('utf16le')
    case derTag.printableString:
    case derTag.ia5String:
    case derTag.teletexString:
      return content.toString('latin1')
    default:
      throw new PkiError('BAD_DER', `a name of type 0x${tag.toString(16)}`)
  }
}

function readNames(extension: Extension | undefined): AlternativeNames {
  const names = { dns: [] as string[], ip: [] as string[], email: [] as string[], uri: [] as string[] }
  if (extension === undefined) return names
  for (const { tag, content } of readElements(expectTag(readElement(extension.value), derTag.sequence), maxNames)) {
    if (tag === generalNameTag.dns) names.dns.push(readAscii(content))
    else if (tag === generalNameTag.email) names.email.push(readAscii(content))
    else if (tag === generalNameTag.uri) names.uri.push(readAscii(content))
    else if (tag === generalNameTag.ip) names.ip.push(readIp(content))
  }
  return names
}

function readAscii(content: Buffer): string {
  if (content.some((octet) => octet > 0x7f || octet === 0)) {
    throw new PkiError('BAD_DER', 'an alternative name that is not ASCII')
  }
  return content.toString('latin1')
}

function readIp(content: Buffer): string {
  if (content.length !== 4 && content.length !== 16) {
    throw new PkiError('BAD_DER', `an IP address of ${content.length} octets`)
  }
  return formatIpAddress(content)
}

function readBasicConstraints(extension: Extension | undefined): { isCa: boolean; pathLength: number | undefined } {
  if (extension === undefined) return { isCa: false, pathLength: undefined }
  const parts = readElements(expectTag(readElement(extension.value), derTag.sequence), 2)
  const isCa = parts[0]?.tag === derTag.boolean && parts[0].content[0] !== 0
  const limit = parts.find((part) => part.tag === derTag.integer)?.content
  if (limit === undefined) return { isCa, pathLength: undefined }
  if (limit.length === 0 || limit[0]! & 0x80) throw new PkiError('BAD_DER', 'a negative path length')
  // Chains end long before 127 authorities, so a larger limit is as good as that one.
  return { isCa, pathLength: limit.length === 1 ? limit[0]! : 127 }
}

function readKeyIdentifier(extension: Extension | undefined): Buffer | undefined {
  return extension === undefined ? undefined : expectTag(readElement(extension.value), keyIdentifierTag)
}
