/**
 * A JSON Web Token in its compact form, as far as it can be read without knowing who has signed it, and the check of its
 * signature.
 *
 * The key decides which algorithms there are, never the token: each algorithm takes one kind of key and each curve one
 * algorithm. There is no `none`, and nothing in which the secret of the signer would be the public key of somebody.
 */
import { constants, type KeyObject, verify } from 'node:crypto'

/** Not verified by anybody yet. */
export interface ReadToken {
  readonly algorithm: string
  readonly keyId: string | undefined
  readonly claims: Readonly<Record<string, unknown>>
  readonly signed: Buffer
  readonly signature: Buffer
}

/** Checked before anything is decoded. */
const LONGEST_TOKEN = 8_192
const SMALLEST_MODULUS = 2_048

interface Algorithm {
  readonly digest: string | undefined
  readonly fits: (key: KeyObject) => boolean
  readonly options: Readonly<Record<string, unknown>>
}

const isRsa = (key: KeyObject) =>
  key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= SMALLEST_MODULUS

const withPadding = (bits: number): Algorithm => ({ digest: `sha${bits}`, fits: isRsa, options: {} })

const withSalt = (bits: number): Algorithm => ({
  digest: `sha${bits}`,
  fits: isRsa,
  options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
})

const onCurve = (namedCurve: string, bits: number): Algorithm => ({
  digest: `sha${bits}`,
  fits: (key) => key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === namedCurve,
  options: { dsaEncoding: 'ieee-p1363' },
})

const edwards: Algorithm = {
  digest: undefined,
  fits: ({ asymmetricKeyType }) => asymmetricKeyType === 'ed25519' || asymmetricKeyType === 'ed448',
  options: {},
}

const algorithms: ReadonlyMap<string, Algorithm> = new Map([
  ['RS256', withPadding(256)],
  ['RS384', withPadding(384)],
  ['RS512', withPadding(512)],
  ['PS256', withSalt(256)],
  ['PS384', withSalt(384)],
  ['PS512', withSalt(512)],
  ['ES256', onCurve('prime256v1', 256)],
  ['ES384', onCurve('secp384r1', 384)],
  ['ES512', onCurve('secp521r1', 512)],
  ['EdDSA', edwards],
])

/** Undefined for what is no token, or one that asks for something that is not understood here. */
export function readToken(text: string): ReadToken | undefined {
  if (text.length > LONGEST_TOKEN) return undefined
  const [head, body, mark, ...rest] = text.split('.')
  if (head === undefined || body === undefined || mark === undefined || rest.length > 0) return undefined
  const header = objectFrom(head)
  const claims = objectFrom(body)
  const signature = bytesFrom(mark)
  if (header === undefined || claims === undefined || signature === undefined) return undefined
  const { alg, kid, crit } = header
  // What is marked as critical must be understood, and nothing that can be marked so is.
  if (typeof alg !== 'string' || crit !== undefined) return undefined
  const keyId = typeof kid === 'string' && kid !== '' ? kid : undefined
  return { algorithm: alg, keyId, claims, signed: Buffer.from(`${head}.${body}`, 'latin1'), signature }
}

/** Whether the key has signed the token, by an algorithm that is meant for such a key. */
export function isSignedBy({ algorithm, signed, signature }: ReadToken, key: KeyObject): boolean {
  const known = algorithms.get(algorithm)
  if (known === undefined || key.type !== 'public' || !known.fits(key)) return false
  return verify(known.digest, signed, { key, ...known.options }, signature)
}

function objectFrom(part: string): Readonly<Record<string, unknown>> | undefined {
  const bytes = bytesFrom(part)
  if (bytes === undefined) return undefined
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined
    throw error
  }
}

/** Exactly one text for the same bytes: base64url without padding and without stray bits at the end. */
function bytesFrom(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url')
  return part !== '' && bytes.toString('base64url') === part ? bytes : undefined
}
