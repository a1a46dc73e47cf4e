/**
 * What the platform's certificate object does not tell, or tells only as display text: the common name, the alternative
 * names one by one, the constraints, the key identifiers and which critical extensions nobody here understands.
 *
 * Read once from the DER when a certificate is made, so that a `Certificate` never fails later.
 */
import { contextTag, type DerElement, derTag, expectTag, readElement, readElements } from './der.ts'
import { type AlternativeNames, extensionId } from './extensions.ts'
import { PkiError } from './pki-error.ts'
import { type Extension, readExtensions } from './read-extensions.ts'
import { readAlternativeNames, readCommonName } from './read-names.ts'

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

const version = contextTag(0, 'constructed')
const extensionsTag = contextTag(3, 'constructed')
const keyIdentifierTag = derTag.octetString
const evaluated = new Set<string>(Object.values(extensionId))

/** Reads the DER of a certificate that the platform has already parsed. */
export function readCertificateContent(der: Buffer): CertificateContent {
  const [tbs] = readElements(expectTag(readElement(der), derTag.sequence), 3)
  const fields = readElements(expectTag(tbs, derTag.sequence), 10)
  // Version is left out in the oldest certificates; then everything stands one place further to the front.
  const first = fields[0]?.tag === version ? 1 : 0
  const subject = fields[first + 4]
  const [, publicKey] = readElements(expectTag(fields[first + 5], derTag.sequence), 2)
  const holder = fields.find((field) => field.tag === extensionsTag)
  const list = holder === undefined ? Buffer.alloc(0) : expectTag(readElement(holder.content), derTag.sequence)
  const extensions = readExtensions(list)
  return {
    subject: subjectBytes(subject),
    commonName: readCommonName(subject),
    names: readAlternativeNames(extensions.get(extensionId.subjectAltName)?.value),
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
