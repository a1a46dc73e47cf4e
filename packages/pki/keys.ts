/**
 * Private keys: making them, their PEM forms, and which JWT algorithm a key signs with.
 *
 * Keys are the platform's `KeyObject`s throughout; their bytes become text only in `encodePrivateKey`.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { Certificate } from './certificates.ts'
import { decodePem } from './pem.ts'
import { PkiError } from './pki-error.ts'

const generateKeyPairAsync = promisify(generateKeyPair)

/** The keys Weft makes. */
export const keyKinds = ['P-256', 'P-384', 'P-521', 'RSA-2048', 'RSA-3072', 'RSA-4096'] as const
export type KeyKind = (typeof keyKinds)[number]

/** On the platform's signer P-256 issues and verifies ten times as many certificates a second as P-384. */
export const defaultKeyKind: KeyKind = 'P-256'

/** The signature algorithms of the tokens peers verify. */
export type TokenAlgorithm = 'ES256' | 'ES384' | 'ES512' | 'RS256'

const derForms: Readonly<Record<string, 'pkcs8' | 'sec1' | 'pkcs1'>> = {
  'PRIVATE KEY': 'pkcs8',
  'EC PRIVATE KEY': 'sec1',
  'RSA PRIVATE KEY': 'pkcs1',
}

const curveAlgorithms: Readonly<Record<string, TokenAlgorithm>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
}

/** The digest behind each algorithm, for tokens and for certificates alike. */
export const digestOf: Readonly<Record<TokenAlgorithm, string>> = {
  ES256: 'sha256',
  ES384: 'sha384',
  ES512: 'sha512',
  RS256: 'sha256',
}

/** Made off the event loop: an RSA key takes up to seconds. */
export async function generatePrivateKey(kind: KeyKind): Promise<KeyObject> {
  if (kind.startsWith('RSA-')) {
    return (await generateKeyPairAsync('rsa', { modulusLength: Number(kind.slice('RSA-'.length)) })).privateKey
  }
  return (await generateKeyPairAsync('ec', { namedCurve: kind })).privateKey
}

/** PKCS#8 PEM, not encrypted: the caller guards the file. */
export function encodePrivateKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string
}

/** Reads the one key of a PEM text: PKCS#8, SEC1 (`EC`) or PKCS#1 (`RSA`). Other blocks around it are ignored. */
export function parsePrivateKey(pem: string): KeyObject {
  const blocks = decodePem(pem)
  const keys = blocks.filter((block) => block.label.endsWith('PRIVATE KEY'))
  if (keys.length > 1) throw new PkiError('TOO_MANY_BLOCKS', 'there is more than one private key')
  const [block] = keys
  if (block === undefined) {
    throw new PkiError('WRONG_BLOCK_TYPE', `expected a private key, found ${blocks.map((it) => it.label).join(', ')}`)
  }
  if (block.isEncrypted || block.label === 'ENCRYPTED PRIVATE KEY') throw new PkiError('ENCRYPTED_KEY')
  const type = derForms[block.label]
  if (type === undefined) throw new PkiError('UNSUPPORTED_KEY', block.label)
  try {
    return createPrivateKey({ key: block.der, format: 'der', type })
  } catch (cause) {
    throw new PkiError('BAD_KEY', undefined, { cause })
  }
}

/** The public half of a private key. */
export function publicKeyOf(privateKey: KeyObject): KeyObject {
  return createPublicKey(privateKey)
}

/** The algorithm a token is signed with under this key, private or public. */
export function tokenAlgorithmOf(key: KeyObject): TokenAlgorithm {
  if (key.asymmetricKeyType === 'rsa') return 'RS256'
  const curve = key.asymmetricKeyDetails?.namedCurve ?? ''
  const algorithm = key.asymmetricKeyType === 'ec' ? curveAlgorithms[curve] : undefined
  if (algorithm === undefined) {
    throw new PkiError('UNSUPPORTED_KEY', `${key.asymmetricKeyType} ${curve}`.trim())
  }
  return algorithm
}

/**
 * Whether what the key signs verifies under the certificate. Tried for real instead of comparing public halves: a
 * key file can name a public half that is not its own.
 */
export function keyMatchesCertificate(key: KeyObject, certificate: Certificate): boolean {
  if (key.asymmetricKeyType !== certificate.publicKey.asymmetricKeyType) return false
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  const probe = randomBytes(32)
  let signature: Buffer
  try {
    signature = sign(digest, probe, key)
  } catch (cause) {
    throw new PkiError('BAD_KEY', 'it does not sign', { cause })
  }
  return verify(digest, probe, certificate.publicKey, signature)
}
