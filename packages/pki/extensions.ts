/**
 * The certificate extensions Weft writes and understands, by object identifier (RFC 5280, section 4.2).
 *
 * Reading lives in `certificate-content.ts`; here each function returns one complete Extension element.
 */
import { createHash } from 'node:crypto'
import { bitString, contextTag, derTag, element, integer, objectIdentifier, octetString, sequence } from './der.ts'
import { parseIpAddress } from './ip-address.ts'
import { PkiError } from './pki-error.ts'

/** Extensions by name. */
export const extensionId = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const

/** Bit numbers of the KeyUsage extension. */
const keyUsageBits = {
  digitalSignature: 0,
  contentCommitment: 1,
  keyEncipherment: 2,
  dataEncipherment: 3,
  keyCertSign: 5,
  cRLSign: 6,
} as const

/** What a key may be used for. */
export type KeyUsage = keyof typeof keyUsageBits

/** Purposes by name. */
export const extendedKeyUsageId = {
  any: '2.5.29.37.0',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const

/** What a leaf is for, in the words of the ExtendedKeyUsage extension. */
export type Purpose = 'serverAuth' | 'clientAuth'

/** Tags of the GeneralName choices Weft reads and writes. */
export const generalNameTag = {
  email: contextTag(1, 'primitive'),
  dns: contextTag(2, 'primitive'),
  uri: contextTag(6, 'primitive'),
  ip: contextTag(7, 'primitive'),
} as const

/** The names of a certificate beyond its subject. */
export interface AlternativeNames {
  readonly dns: readonly string[]
  /** In canonical text form. */
  readonly ip: readonly string[]
  readonly email: readonly string[]
  readonly uri: readonly string[]
}

/** Whether the subject is an authority, and how many authorities may stand below it. Critical. */
export function basicConstraints(role: { readonly isCa: boolean; readonly pathLength?: number }): Buffer {
  const parts: Buffer[] = []
  if (role.isCa) parts.push(element(derTag.boolean, Buffer.of(0xff)))
  if (role.pathLength !== undefined) parts.push(integer(Buffer.of(role.pathLength)))
  return extension(extensionId.basicConstraints, 'critical', sequence(...parts))
}

/** Critical. */
export function keyUsage(usages: readonly KeyUsage[]): Buffer {
  let bits = 0
  for (const usage of usages) bits |= 0x80 >> keyUsageBits[usage]
  let unused = 0
  while (unused < 8 && !(bits & (1 << unused))) unused++
  return extension(extensionId.keyUsage, 'critical', bitString(Buffer.of(bits), unused))
}

/** Not critical: peers that do not know a purpose pass over it. */
export function extendedKeyUsage(purposes: readonly Purpose[]): Buffer {
  const ids = purposes.map((purpose) => objectIdentifier(extendedKeyUsageId[purpose]))
  return extension(extensionId.extendedKeyUsage, 'not critical', sequence(...ids))
}

/** DNS names, then addresses, then e-mail, then URIs. */
export function subjectAltName(names: Partial<AlternativeNames>): Buffer {
  const parts = [
    ...(names.dns ?? []).map((name) => element(generalNameTag.dns, ia5(name))),
    ...(names.ip ?? []).map((address) => element(generalNameTag.ip, ipOctets(address))),
    ...(names.email ?? []).map((address) => element(generalNameTag.email, ia5(address))),
    ...(names.uri ?? []).map((uri) => element(generalNameTag.uri, ia5(uri))),
  ]
  return extension(extensionId.subjectAltName, 'not critical', sequence(...parts))
}

/** The name of the subject's key. */
export function subjectKeyIdentifier(identifier: Uint8Array): Buffer {
  return extension(extensionId.subjectKeyIdentifier, 'not critical', octetString(identifier))
}

/** The name of the issuer's key, by which it is found among authorities of one name. */
export function authorityKeyIdentifier(identifier: Uint8Array): Buffer {
  const keyIdentifier = element(contextTag(0, 'primitive'), identifier)
  return extension(extensionId.authorityKeyIdentifier, 'not critical', sequence(keyIdentifier))
}

/** RFC 5280, section 4.2.1.2, method 1: SHA-1 of the bits of the public key, without its algorithm. */
export function keyIdentifierOf(publicKeyBits: Uint8Array): Buffer {
  return createHash('sha1').update(publicKeyBits).digest()
}

function extension(id: string, criticality: 'critical' | 'not critical', value: Buffer): Buffer {
  const critical = criticality === 'critical' ? [element(derTag.boolean, Buffer.of(0xff))] : []
  return sequence(objectIdentifier(id), ...critical, octetString(value))
}

function ia5(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.some((octet) => octet > 0x7f || octet < 0x20)) {
    throw new PkiError('BAD_HOST', 'names in certificates are printable ASCII')
  }
  return bytes
}

function ipOctets(address: string): Buffer {
  const octets = parseIpAddress(address)
  if (octets === undefined) throw new PkiError('BAD_HOST', `"${address}" is not an IP address`)
  return octets
}
