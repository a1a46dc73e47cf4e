/** Makes a certificate request (PKCS#10) for a key: the form is drawn in `certificate-request.ts`. */
import { type KeyObject, sign } from 'node:crypto'
import { extensionRequestId } from './certificate-request.ts'
import { bitString, contextTag, element, integer, objectIdentifier, sequence, set } from './der.ts'
import { type DistinguishedName, encodeName } from './distinguished-name.ts'
import { type AlternativeNames, subjectAltName } from './extensions.ts'
import { digestOf, publicKeyOf, tokenAlgorithmOf } from './keys.ts'
import { encodePem } from './pem.ts'
import { signatureIdentifiers } from './signature-algorithms.ts'

/** What the certificate should say; the issuer decides. */
export interface RequestedCertificate {
  readonly subject: DistinguishedName
  /** Private; signs the request, and its public half goes into it. */
  readonly key: KeyObject
  readonly names?: Partial<AlternativeNames>
}

/** The request as PEM. */
export function signCertificateRequest({ subject, key, names = {} }: RequestedCertificate): string {
  const algorithm = tokenAlgorithmOf(key)
  const hasNames = Object.values(names).some((list) => list.length > 0)
  const extensions = sequence(objectIdentifier(extensionRequestId), set(sequence(subjectAltName(names))))
  const info = sequence(
    integer(Buffer.of(0)),
    encodeName(subject),
    publicKeyOf(key).export({ type: 'spki', format: 'der' }),
    element(contextTag(0, 'constructed'), ...(hasNames ? [extensions] : [])),
  )
  const signature = sign(digestOf[algorithm], info, key)
  return encodePem('CERTIFICATE REQUEST', sequence(info, signatureIdentifiers[algorithm], bitString(signature)))
}
