/** Subjects of certificates: the few attributes Weft writes, most general first as X.500 orders them. */
import { derTag, element, objectIdentifier, sequence, set } from './der.ts'
import { PkiError } from './pki-error.ts'

/** A subject; only the common name is required. */
export interface DistinguishedName {
  /** Two letters. */
  readonly country?: string
  readonly province?: string
  readonly locality?: string
  readonly organization?: string
  readonly organizationalUnit?: string
  readonly commonName: string
}

/** With the length at which X.520 ends each; peers built on OpenSSL refuse longer ones. */
const attributes = [
  ['country', '2.5.4.6', 2],
  ['province', '2.5.4.8', 128],
  ['locality', '2.5.4.7', 128],
  ['organization', '2.5.4.10', 64],
  ['organizationalUnit', '2.5.4.11', 64],
  ['commonName', '2.5.4.3', 64],
] as const

/** DER of a name. */
export function encodeName(name: DistinguishedName): Buffer {
  const parts: Buffer[] = []
  for (const [attribute, id, maxCharacters] of attributes) {
    const value = name[attribute]
    if (value === undefined || value === '') continue
    if (attribute === 'country' && !/^[A-Za-z]{2}$/.test(value)) throw new PkiError('BAD_COUNTRY')
    if ([...value].length > maxCharacters) {
      throw new PkiError('NAME_TOO_LONG', `${attribute}, at most ${maxCharacters} characters`)
    }
    const tag = attribute === 'country' ? derTag.printableString : derTag.utf8String
    parts.push(set(sequence(objectIdentifier(id), element(tag, Buffer.from(value, 'utf8')))))
  }
  return sequence(...parts)
}
