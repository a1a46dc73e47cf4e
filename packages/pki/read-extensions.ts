/** Extensions as certificates and certificate requests carry them, by object identifier; each may stand there once. */
import { derTag, expectTag, readElements, readObjectIdentifier } from './der.ts'
import { PkiError } from './pki-error.ts'

/** The value is the DER inside the octet string. */
export interface Extension {
  readonly isCritical: boolean
  readonly value: Buffer
}

/** Reads the content of a SEQUENCE OF Extension. */
export function readExtensions(list: Buffer): Map<string, Extension> {
  const extensions = new Map<string, Extension>()
  for (const entry of readElements(list)) {
    const parts = readElements(expectTag(entry, derTag.sequence), 3)
    const id = readObjectIdentifier(expectTag(parts[0], derTag.objectIdentifier))
    if (extensions.has(id)) throw new PkiError('BAD_DER', `extension ${id} stands there twice`)
    const isCritical = parts.length === 3 && expectTag(parts[1], derTag.boolean)[0] !== 0
    extensions.set(id, { isCritical, value: expectTag(parts.at(-1), derTag.octetString) })
  }
  return extensions
}
