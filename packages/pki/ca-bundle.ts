/**
 * The trust bundle that clients fetch before they enroll: a PKCS#7 SignedData with certificates and no signature.
 *
 *     ContentInfo { signedData, [0] SignedData { 1, {}, { data }, [0] certificates…, [1] crls (empty), {} } }
 *
 * The empty crls element is not needed by the format; it is there because peers have always been sent it.
 */
import { type Certificate, uniqueCertificates } from './certificates.ts'
import { contextTag, element, integer, objectIdentifier, sequence, set } from './der.ts'
import { wrapBase64 } from './pem.ts'

const signedData = objectIdentifier('1.2.840.113549.1.7.2')
const data = objectIdentifier('1.2.840.113549.1.7.1')

/** DER of the bundle; certificates that are not authorities, and repetitions, are left out. */
export function encodeCaBundle(certificates: Iterable<Certificate>): Buffer {
  const authorities = uniqueCertificates(certificates).filter((certificate) => certificate.isCa)
  const content = sequence(
    integer(Buffer.of(1)),
    set(),
    sequence(data),
    element(contextTag(0, 'constructed'), ...authorities.map((certificate) => certificate.der)),
    element(contextTag(1, 'constructed')),
    set(),
  )
  return sequence(signedData, element(contextTag(0, 'constructed'), content))
}

/**
 * The bundle as the HTTP body: base64 in lines of 64 characters and no newline at the end. The C SDK decodes one long
 * line to nothing.
 */
export function encodeCaBundleText(certificates: Iterable<Certificate>): string {
  return wrapBase64(encodeCaBundle(certificates))
}
