/**
 * An enrollment token as someone receives it: read first, to learn which controller it leads to, then verified with the
 * key of the TLS certificate that is met there.
 *
 * That is all the trust there is at this point: the token came by a way the operator chose, and only the holder of the
 * server's key can have signed it. The algorithm follows from the key; the token's own claim about it must agree.
 */
import { type KeyObject, verify } from 'node:crypto'
import type { Certificate } from '../certificates.ts'
import type { Clock } from '../clock.ts'
import type { EnrollmentMethod } from '../enrollment-token.ts'
import { digestOf, tokenAlgorithmOf } from '../keys.ts'
import { isRecord } from '../section-reader.ts'
import { EnrollError } from './enroll-error.ts'

/** What the holder is invited to: an enrollment of someone in particular, of whoever a CA vouches for, or to look. */
export type ReceivedMethod = EnrollmentMethod | 'ca' | 'network'

/** Read, not verified. */
export interface ReceivedToken {
  /** Where the controller is: `https:`, without a slash at the end. */
  readonly controllerUrl: string
  readonly method: ReceivedMethod
  /** The identity or router that enrolls; a CA's id; the controller's address. */
  readonly subjectId: string
  /** What the controller knows the enrollment by. */
  readonly token: string
  /** Milliseconds. */
  readonly expiresAt: number | undefined
  readonly notBefore: number | undefined
  /** Control-channel addresses of all controllers; for routers. */
  readonly controllerAddresses: readonly string[]
  readonly algorithm: string
  readonly signed: Buffer
  readonly signature: Buffer
}

/** How far the clocks of controller and client may be apart. */
export const clockSkew = 60_000

const maxTokenLength = 8 * 1024
const maxTextLength = 256
const maxAddresses = 64
const methods = new Set<string>(['ott', 'ottca', 'updb', 'erott', 'trott', 'ca', 'network'] satisfies ReceivedMethod[])
const partPattern = /^[A-Za-z0-9_-]+$/

/** Reads the compact form; blanks around it are forgiven, because it comes from a file. */
export function readToken(text: string): ReceivedToken {
  const compact = text.trim()
  if (compact.length > maxTokenLength) throw new EnrollError('BAD_TOKEN', `longer than ${maxTokenLength} characters`)
  const parts = compact.split('.')
  const [header = '', payload = '', signature = ''] = parts
  if (parts.length !== 3 || !parts.every((part) => partPattern.test(part))) {
    throw new EnrollError('BAD_TOKEN', 'it is not a signed JWT')
  }
  const { alg } = decodePart(header)
  const claims = decodePart(payload)
  const method = claims['em']
  if (typeof method !== 'string' || !methods.has(method)) throw new EnrollError('UNKNOWN_METHOD')
  return {
    controllerUrl: readIssuer(claims['iss']),
    method: method as ReceivedMethod,
    subjectId: readText(claims, 'sub'),
    token: readText(claims, 'jti'),
    expiresAt: readTime(claims, 'exp'),
    notBefore: readTime(claims, 'nbf'),
    controllerAddresses: readAddresses(claims),
    algorithm: typeof alg === 'string' ? alg : '',
    signed: Buffer.from(`${header}.${payload}`, 'latin1'),
    signature: Buffer.from(signature, 'base64url'),
  }
}

/** Refuses a token that the holder of this certificate has not signed, or that is out of its time. */
export function verifyToken(token: ReceivedToken, leaf: Certificate, clock: Clock): void {
  if (!isSignedBy(leaf.publicKey, token)) throw new EnrollError('WRONG_SIGNER', token.controllerUrl)
  const now = clock.now()
  if (token.expiresAt !== undefined && now > token.expiresAt + clockSkew) {
    throw new EnrollError('TOKEN_EXPIRED', `at ${new Date(token.expiresAt).toISOString()}`)
  }
  if (token.notBefore !== undefined && now < token.notBefore - clockSkew) {
    throw new EnrollError('TOKEN_NOT_YET_VALID', `before ${new Date(token.notBefore).toISOString()}`)
  }
}

function isSignedBy(key: KeyObject, { algorithm, signed, signature }: ReceivedToken): boolean {
  if (key.asymmetricKeyType !== 'rsa' && key.asymmetricKeyType !== 'ec') return false
  const expected = tokenAlgorithmOf(key)
  if (algorithm !== expected) return false
  return verify(digestOf[expected], signed, { key, dsaEncoding: 'ieee-p1363' }, signature)
}

function decodePart(part: string): Record<string, unknown> {
  let decoded: unknown
  try {
    decoded = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url')))
  } catch (cause) {
    throw new EnrollError('BAD_TOKEN', 'it does not hold JSON', { cause })
  }
  if (!isRecord(decoded)) throw new EnrollError('BAD_TOKEN', 'it does not hold an object')
  return decoded
}

function readIssuer(value: unknown): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  const isPlain = url?.protocol === 'https:' && url.username + url.password + url.search + url.hash === ''
  if (!isPlain) throw new EnrollError('BAD_TOKEN', 'its issuer is not an https address')
  return url.href.replace(/\/+$/, '')
}

function readText(claims: Record<string, unknown>, name: string): string {
  const value = claims[name]
  if (typeof value !== 'string' || value === '' || value.length > maxTextLength) {
    throw new EnrollError('BAD_TOKEN', `its claim "${name}" is not a text of at most ${maxTextLength} characters`)
  }
  return value
}

function readTime(claims: Record<string, unknown>, name: string): number | undefined {
  const seconds = claims[name]
  if (seconds === undefined || seconds === null) return undefined
  // The last moment a Date can tell.
  if (typeof seconds !== 'number' || !(Math.abs(seconds) <= 8.64e12)) {
    throw new EnrollError('BAD_TOKEN', `its claim "${name}" is not a time`)
  }
  return Math.floor(seconds * 1000)
}

/** `ctrl` is how a single address was written before there were several. */
function readAddresses({ ctrls, ctrl }: Record<string, unknown>): string[] {
  const listed = ctrls === undefined || ctrls === null ? [] : ctrls
  const isList = Array.isArray(listed) && listed.length <= maxAddresses
  const addresses: unknown[] = isList ? listed : [undefined]
  if (addresses.length === 0 && typeof ctrl === 'string' && ctrl !== '') addresses.push(ctrl)
  if (!addresses.every((it) => typeof it === 'string' && it.length <= maxTextLength)) {
    throw new EnrollError('BAD_TOKEN', 'its claim "ctrls" is not a list of addresses')
  }
  return addresses as string[]
}
