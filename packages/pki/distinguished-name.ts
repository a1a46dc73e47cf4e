/** Subjects of certificates: the few attributes Weft writes, most general first as X.500 orders them. */
import { derTag, element, objectIdentifier, sequence, set } from './der.ts'
import { PkiError } from './pki-error.ts'

/** A subject; only the common name is required. */
export interface DistinguishedName {
  readonly organization?: string
  readonly organizationalUnit?: string
  readonly commonName: string
}

const attributes = [
  ['organization', '2.5.4.10'],
  ['organizationalUnit', '2.5.4.11'],
  ['commonName', '2.5.4.3'],
] as const

/** X.520 ends these attributes at 64 characters, and peers built on OpenSSL refuse longer ones. */
const maxCharacters = 64

/** DER of a name. */
export function encodeName(name: DistinguishedName): Buffer {
  const parts: Buffer[] = []
  for (const [attribute, id] of attributes) {
    const value = name[attribute]
    if (value === undefined || value === '') continue
    if ([...value].length > maxCharacters) throw new PkiError('NAME_TOO_LONG', attribute)
    parts.push(set(sequence(objectIdentifier(id), element(derTag.utf8String, Buffer.from(value, 'utf8')))))
  }
  return sequence(...parts)
}
