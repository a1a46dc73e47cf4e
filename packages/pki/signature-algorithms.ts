/**
 * The signature algorithms of certificates and requests: how ours are written, and how one that came with its object
 * identifier is checked. The identifier is taken at its word only if it fits the key.
 */
import { type KeyObject, verify } from 'node:crypto'
import {
  type DerElement,
  derTag,
  element,
  expectTag,
  objectIdentifier,
  readElements,
  readObjectIdentifier,
} from './der.ts'
import type { TokenAlgorithm } from './keys.ts'
import { PkiError } from './pki-error.ts'

interface SignatureAlgorithm {
  readonly keyType: 'rsa' | 'ec' | 'ed25519'
  /** Null where the algorithm has a digest of its own. */
  readonly digest: string | null
}

const algorithms: Readonly<Record<string, SignatureAlgorithm>> = {
  '1.2.840.113549.1.1.11': { keyType: 'rsa', digest: 'sha256' },
  '1.2.840.113549.1.1.12': { keyType: 'rsa', digest: 'sha384' },
  '1.2.840.113549.1.1.13': { keyType: 'rsa', digest: 'sha512' },
  '1.2.840.10045.4.3.2': { keyType: 'ec', digest: 'sha256' },
  '1.2.840.10045.4.3.3': { keyType: 'ec', digest: 'sha384' },
  '1.2.840.10045.4.3.4': { keyType: 'ec', digest: 'sha512' },
  '1.3.101.112': { keyType: 'ed25519', digest: null },
}

/** AlgorithmIdentifiers of what this package signs, by the algorithm its key has for tokens. */
export const signatureIdentifiers: Readonly<Record<TokenAlgorithm, Buffer>> = {
  ES256: element(derTag.sequence, objectIdentifier('1.2.840.10045.4.3.2')),
  ES384: element(derTag.sequence, objectIdentifier('1.2.840.10045.4.3.3')),
  ES512: element(derTag.sequence, objectIdentifier('1.2.840.10045.4.3.4')),
  RS256: element(derTag.sequence, objectIdentifier('1.2.840.113549.1.1.11'), element(derTag.null)),
}

/** Whether `key` made the signature over `signed`; refuses algorithms that are outdated, unknown or not the key's. */
export function verifySignature(
  identifier: DerElement | undefined,
  signed: Buffer,
  signature: Buffer,
  key: KeyObject,
): boolean {
  const [id, parameters] = readElements(expectTag(identifier, derTag.sequence), 2)
  const name = readObjectIdentifier(expectTag(id, derTag.objectIdentifier))
  const algorithm = algorithms[name]
  if (algorithm === undefined) throw new PkiError('UNSUPPORTED_SIGNATURE', name)
  if (algorithm.keyType !== key.asymmetricKeyType) {
    throw new PkiError('UNSUPPORTED_SIGNATURE', `${name} under a key of type ${key.asymmetricKeyType}`)
  }
  const isPlain = parameters === undefined || (algorithm.keyType === 'rsa' && parameters.bytes.equals(nothing))
  if (!isPlain) throw new PkiError('UNSUPPORTED_SIGNATURE', `${name} with parameters`)
  return verify(algorithm.digest, signed, key, signature)
}

const nothing = element(derTag.null)
