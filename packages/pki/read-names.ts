/** The names in certificates and certificate requests: the common name of a subject, and the alternative names. */
import { type DerElement, derTag, expectTag, readElement, readElements, readObjectIdentifier } from './der.ts'
import { type AlternativeNames, generalNameTag } from './extensions.ts'
import { formatIpAddress } from './ip-address.ts'
import { PkiError } from './pki-error.ts'

const commonNameId = '2.5.4.3'
const maxNames = 1_000

/** Empty if there is none; the last one counts where there are several, as it does for the Go peers. */
export function readCommonName(subject: DerElement | undefined): string {
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

/** The value of a SubjectAltName extension; kinds of names that nobody here uses are passed over. */
export function readAlternativeNames(value: Buffer | undefined): AlternativeNames {
  const names = { dns: [] as string[], ip: [] as string[], email: [] as string[], uri: [] as string[] }
  if (value === undefined) return names
  for (const { tag, content } of readElements(expectTag(readElement(value), derTag.sequence), maxNames)) {
    if (tag === generalNameTag.dns) names.dns.push(readAscii(content))
    else if (tag === generalNameTag.email) names.email.push(readAscii(content))
    else if (tag === generalNameTag.uri) names.uri.push(readAscii(content))
    else if (tag === generalNameTag.ip) names.ip.push(readIp(content))
  }
  return names
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
