/**
 * A certificate request (PKCS#10), read and verified: one that exists was signed by the key it carries, and that key is
 * strong enough to be certified.
 *
 *     CertificationRequest = { info, algorithm, signature }
 *     info                 = { version 0, subject, public key, [0] attributes }
 *     attribute            = { extensionRequest, { { extensions… } } }
 *
 * What it asks for is a wish. Whoever issues decides which of it goes into the certificate.
 */
import { createPublicKey, type KeyObject } from 'node:crypto'
import {
  contextTag,
  type DerElement,
  derTag,
  expectTag,
  readElement,
  readElements,
  readObjectIdentifier,
} from './der.ts'
import { type AlternativeNames, extensionId } from './extensions.ts'
import { keyWeakness } from './key-strength.ts'
import { decodePem } from './pem.ts'
import { PkiError } from './pki-error.ts'
import { readExtensions } from './read-extensions.ts'
import { readAlternativeNames, readCommonName } from './read-names.ts'
import { verifySignature } from './signature-algorithms.ts'

const label = 'CERTIFICATE REQUEST'
const attributesTag = contextTag(0, 'constructed')

/** The attribute that carries extensions. */
export const extensionRequestId = '1.2.840.113549.1.9.14'

/** Room for the largest key, its signature and a hundred long names. */
export const maxRequestBytes = 32 * 1024
/** A subject goes into the certificate, and with it into every handshake. */
export const maxSubjectBytes = 2 * 1024

/** Made by `fromDer` or `parseCertificateRequest`. */
export class CertificateRequest {
  readonly der: Buffer
  /** The DER of the name asked for. */
  readonly subject: Buffer
  readonly commonName: string
  readonly names: AlternativeNames
  readonly publicKey: KeyObject

  private constructor(der: Buffer, subject: DerElement, names: AlternativeNames, publicKey: KeyObject) {
    this.der = der
    this.subject = subject.bytes
    this.commonName = readCommonName(subject)
    this.names = names
    this.publicKey = publicKey
  }

  /** Refuses what is not exactly one request, a signature that does not fit, and keys that carry no trust. */
  static fromDer(bytes: Uint8Array): CertificateRequest {
    if (bytes.length > maxRequestBytes) {
      throw new PkiError('INPUT_TOO_LARGE', `${bytes.length} bytes, at most ${maxRequestBytes}`)
    }
    const der = Buffer.from(bytes)
    try {
      return CertificateRequest.#read(der)
    } catch (error) {
      if (error instanceof PkiError && error.code === 'BAD_DER') {
        throw new PkiError('BAD_CSR', undefined, { cause: error })
      }
      throw error
    }
  }

  static #read(der: Buffer): CertificateRequest {
    const whole = readElement(der)
    if (whole.bytes.length !== der.length) throw new PkiError('BAD_CSR', 'there are bytes after the request')
    const [info, algorithm, signature, ...rest] = readElements(expectTag(whole, derTag.sequence), 4)
    const [version, subject, publicKeyInfo, attributes] = readElements(expectTag(info, derTag.sequence), 4)
    if (rest.length > 0 || !expectTag(version, derTag.integer).equals(Buffer.of(0))) {
      throw new PkiError('BAD_CSR', 'it is of an unknown version')
    }
    const publicKey = readPublicKey(publicKeyInfo)
    const bits = expectTag(signature, derTag.bitString)
    if (bits[0] !== 0) throw new PkiError('BAD_CSR', 'the signature is not a number of whole octets')
    if (!verifySignature(algorithm, info!.bytes, bits.subarray(1), publicKey)) throw new PkiError('CSR_NOT_SIGNED')
    if (subject!.bytes.length > maxSubjectBytes) {
      throw new PkiError('INPUT_TOO_LARGE', `a subject of ${subject!.bytes.length} bytes, at most ${maxSubjectBytes}`)
    }
    return new CertificateRequest(der, subject!, readWantedNames(attributes), publicKey)
  }
}

/** Reads PEM that holds one request and nothing else. */
export function parseCertificateRequest(pem: string): CertificateRequest {
  const [block] = decodePem(pem, { bytes: 2 * maxRequestBytes, blocks: 1 })
  if (block!.label !== label) throw new PkiError('WRONG_BLOCK_TYPE', `expected ${label}, found ${block!.label}`)
  return CertificateRequest.fromDer(block!.der)
}

function readPublicKey(info: DerElement | undefined): KeyObject {
  const [algorithm, bits] = readElements(expectTag(info, derTag.sequence), 2)
  let key: KeyObject
  try {
    key = createPublicKey({ key: info!.bytes, format: 'der', type: 'spki' })
  } catch (cause) {
    throw new PkiError('BAD_CSR', 'its public key could not be read', { cause })
  }
  const weakness = keyWeakness(key)
  if (weakness !== undefined) throw new PkiError('UNSUPPORTED_KEY', weakness)
  if (key.asymmetricKeyType === 'ec') {
    // The Go peers read curves by name and points in full only; a certificate for any other form would be lost on them.
    const [, curve] = readElements(expectTag(algorithm, derTag.sequence), 2)
    const isPlain = curve?.tag === derTag.objectIdentifier && expectTag(bits, derTag.bitString)[1] === 4
    if (!isPlain) throw new PkiError('UNSUPPORTED_KEY', 'an EC key that is not a full point on a named curve')
  }
  return key
}

function readWantedNames(attributes: DerElement | undefined): AlternativeNames {
  let names: AlternativeNames | undefined
  for (const attribute of attributes === undefined ? [] : readElements(expectTag(attributes, attributesTag))) {
    const [id, values] = readElements(expectTag(attribute, derTag.sequence), 2)
    if (readObjectIdentifier(expectTag(id, derTag.objectIdentifier)) !== extensionRequestId) continue
    if (names !== undefined) throw new PkiError('BAD_CSR', 'it asks for extensions twice')
    const [list, ...more] = readElements(expectTag(values, derTag.set), 2)
    if (more.length > 0) throw new PkiError('BAD_CSR', 'it asks for extensions twice')
    const extensions = readExtensions(expectTag(list, derTag.sequence))
    names = readAlternativeNames(extensions.get(extensionId.subjectAltName)?.value)
  }
  return names ?? { dns: [], ip: [], email: [], uri: [] }
}
