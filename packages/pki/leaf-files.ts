/**
 * The leaf certificates of a controller on disk: loading them, saying why one must be replaced, replacing it.
 *
 * A renewal keeps the key. Enrollment tokens are verified with the key of the server certificate that a client meets,
 * so a new key would make every token that is still out worthless. Only a key that cannot be read is replaced.
 */
import type { KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { CertificateAuthority, IssuedCertificate } from './authority.ts'
import { parseCertificates } from './certificates.ts'
import {
  encodePrivateKey,
  generatePrivateKey,
  type KeyKind,
  keyMatchesCertificate,
  parsePrivateKey,
  publicKeyOf,
} from './keys.ts'
import { PkiError } from './pki-error.ts'
import { certificateFileMode, guardKeyFile, keyFileMode } from './pki-files.ts'
import { writeFileAtomic } from './write-file-atomic.ts'

/** The three files of one leaf. */
export interface LeafFiles {
  readonly key: string
  readonly cert: string
  readonly chain: string
}

/** A leaf, its chain without the root, and its key. */
export interface Leaf extends IssuedCertificate {
  readonly key: KeyObject
}

/** What the leaf on disk must be to stay. */
export interface LeafWanted {
  readonly commonName: string
  readonly dns: readonly string[]
  readonly ip: readonly string[]
  readonly spiffeId: string
}

/** Why a leaf was issued again. */
export type RenewalReason =
  | 'missing'
  | 'damaged'
  | 'issued by another authority'
  | 'names changed'
  | 'expires soon'
  | 'not valid yet'

/** A leaf that can stay, or the reason to replace it and the key to keep. */
export type LoadedLeaf =
  | { readonly leaf: Leaf; readonly renewal: undefined }
  | { readonly key: KeyObject | undefined; readonly renewal: RenewalReason }

/** Reads the leaf's files and compares them with what is wanted. */
export async function loadLeaf(
  files: LeafFiles,
  wanted: LeafWanted,
  signer: CertificateAuthority,
  time: { readonly now: number; readonly renewalWindow: number },
): Promise<LoadedLeaf> {
  const key = await readIfSound(files.key, parsePrivateKey)
  if (typeof key === 'string') return { key: undefined, renewal: key }
  await guardKeyFile(files.key)
  const chain = await readIfSound(files.chain, (pem) => ({ pem, certificates: parseCertificates(pem) }))
  const alone = await readIfSound(files.cert, (pem) => parseCertificates(pem)[0]!)
  if (typeof chain === 'string') return { key, renewal: chain }
  if (typeof alone === 'string') return { key, renewal: alone }
  const [certificate, ...issuers] = chain.certificates
  if (!certificate!.equals(alone) || !keyMatchesCertificate(key, alone)) return { key, renewal: 'damaged' }
  const isOurs =
    issuers.length === signer.chain.length &&
    issuers.every((issuer, index) => issuer.equals(signer.chain[index]!)) &&
    alone.x509.verify(signer.certificate.publicKey)
  if (!isOurs) return { key, renewal: 'issued by another authority' }
  const hasNames =
    alone.commonName === wanted.commonName &&
    sameMembers(alone.names.dns, wanted.dns) &&
    sameMembers(alone.names.ip, wanted.ip) &&
    sameMembers(alone.names.uri, [wanted.spiffeId])
  if (!hasNames) return { key, renewal: 'names changed' }
  // What ends together with its issuer would gain nothing from being issued again.
  const isLast = alone.notAfter >= signer.certificate.notAfter
  if (alone.notAfter <= time.now + time.renewalWindow && !isLast) return { key, renewal: 'expires soon' }
  // Made while the clock was ahead, and put right since.
  if (alone.notBefore > time.now) return { key, renewal: 'not valid yet' }
  return { leaf: { certificate: alone, chain: chain.certificates, chainPem: chain.pem, key }, renewal: undefined }
}

/** Makes the leaf, for the key that is there if there is one, and writes its files: the key before what refers to it. */
export async function writeLeaf(
  files: LeafFiles,
  existingKey: KeyObject | undefined,
  keyKind: KeyKind,
  issue: (publicKey: KeyObject) => IssuedCertificate,
): Promise<Leaf> {
  const key = existingKey ?? (await generatePrivateKey(keyKind))
  const issued = issue(publicKeyOf(key))
  if (existingKey === undefined) await writeFileAtomic(files.key, encodePrivateKey(key), keyFileMode)
  await writeFileAtomic(files.chain, issued.chainPem, certificateFileMode)
  await writeFileAtomic(files.cert, issued.certificate.pem, certificateFileMode)
  return { ...issued, key }
}

async function readIfSound<T extends object>(
  path: string,
  parse: (text: string) => T,
): Promise<T | 'missing' | 'damaged'> {
  try {
    return parse(await readFile(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'missing'
    // What was wrong is told by the reason of the renewal that follows.
    if (error instanceof PkiError) return 'damaged'
    throw error
  }
}

function sameMembers(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && new Set([...some, ...others]).size === new Set(some).size
}
