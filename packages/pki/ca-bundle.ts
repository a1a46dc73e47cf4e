/**
 * The trust bundle that clients fetch before they enroll: a PKCS#7 SignedData with certificates and no signature.
 *
 *     ContentInfo { signedData, [0] SignedData { 1, {}, { data }, [0] certificates…, [1] crls (empty), {} } }
 *
 * The empty crls element is not needed by the format; it is there because peers have always been sent it.
 */
import { Certificate, uniqueCertificates } from './certificates.ts'
import {
  contextTag,
  derTag,
  element,
  expectTag,
  integer,
  objectIdentifier,
  readElement,
  readElements,
  sequence,
  set,
} from './der.ts'
import { wrapBase64 } from './pem.ts'
import { PkiError } from './pki-error.ts'

const signedData = objectIdentifier('1.2.840.113549.1.7.2')
const data = objectIdentifier('1.2.840.113549.1.7.1')
const constructed = (number: number) => contextTag(number, 'constructed')

/** Room for a full public trust store. */
const maxBundleBytes = 1024 * 1024
const maxBundleCertificates = 512

/** DER of the bundle; certificates that are not authorities, and repetitions, are left out. */
export function encodeCaBundle(certificates: Iterable<Certificate>): Buffer {
  const authorities = uniqueCertificates(certificates).filter((certificate) => certificate.isCa)
  const content = sequence(
    integer(Buffer.of(1)),
    set(),
    sequence(data),
    element(constructed(0), ...authorities.map((certificate) => certificate.der)),
    element(constructed(1)),
    set(),
  )
  return sequence(signedData, element(constructed(0), content))
}

/**
 * The bundle as the HTTP body: base64 in lines of 64 characters and no newline at the end. The C SDK decodes one long
 * line to nothing.
 */
export function encodeCaBundleText(certificates: Iterable<Certificate>): string {
  return wrapBase64(encodeCaBundle(certificates))
}

/**
 * The authorities of a bundle that a controller has sent, in order and without repetitions; at least one. Certificates
 * that are not authorities are left out: nothing could be trusted because of them.
 */
export function parseCaBundle(der: Uint8Array): Certificate[] {
  if (der.length > maxBundleBytes) throw new PkiError('INPUT_TOO_LARGE', `at most ${maxBundleBytes} bytes`)
  let certificates: Certificate[]
  try {
    certificates = readBundle(Buffer.from(der))
  } catch (error) {
    if (!(error instanceof PkiError)) throw error
    throw new PkiError('BAD_CA_BUNDLE', undefined, { cause: error })
  }
  const authorities = uniqueCertificates(certificates).filter((certificate) => certificate.isCa)
  if (authorities.length === 0) throw new PkiError('BAD_CA_BUNDLE', 'there is no certificate authority in it')
  return authorities
}

/** The same from an HTTP body: base64, in lines of any length. */
export function parseCaBundleText(text: string): Certificate[] {
  if (text.length > 2 * maxBundleBytes)
    throw new PkiError('INPUT_TOO_LARGE', `at most ${2 * maxBundleBytes} characters`)
  const flat = text.replace(/\s+/g, '')
  if (flat.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(flat)) throw new PkiError('BAD_CA_BUNDLE', 'not base64')
  return parseCaBundle(Buffer.from(flat, 'base64'))
}

/** What else a signed message may carry (content, revocation lists, signatures) is not looked at. */
function readBundle(der: Buffer): Certificate[] {
  const whole = readElement(der)
  if (whole.bytes.length !== der.length) throw new PkiError('BAD_DER', 'there are bytes after the bundle')
  const [type, holder] = readElements(expectTag(whole, derTag.sequence), 2)
  if (!type?.bytes.equals(signedData)) throw new PkiError('BAD_DER', 'it is no signed message')
  const parts = readElements(expectTag(readElement(expectTag(holder, constructed(0))), derTag.sequence), 6)
  const list = parts.find((part, index) => index >= 3 && part.tag === constructed(0))
  if (list === undefined) return []
  return readElements(list.content, maxBundleCertificates).map((entry) => Certificate.fromDer(entry.bytes))
}
