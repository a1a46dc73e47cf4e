/**
 * Puts a certificate together and signs it.
 *
 *     Certificate    = { tbs, algorithm, signature }
 *     tbs            = { [0] version 3, serial, algorithm, issuer, validity, subject, public key, [3] extensions }
 *
 * Synchronous, on the platform's signer and the DER writer beside it. What comes out has been parsed again, by
 * OpenSSL, before anyone gets it.
 */
import { type KeyObject, randomBytes, sign } from 'node:crypto'
import { Certificate } from './certificates.ts'
import { bitString, contextTag, element, integer, sequence, time } from './der.ts'
import { digestOf, tokenAlgorithmOf } from './keys.ts'
import { signatureIdentifiers } from './signature-algorithms.ts'

/** All that a certificate says, before it has a serial and a signature. */
export interface CertificateDraft {
  /** DER names: a subject taken from a request is copied as it is. */
  readonly issuer: Buffer
  readonly subject: Buffer
  readonly notBefore: number
  readonly notAfter: number
  /** DER SubjectPublicKeyInfo. */
  readonly publicKeyInfo: Buffer
  /** Complete Extension elements. */
  readonly extensions: readonly Buffer[]
}

const version3 = element(contextTag(0, 'constructed'), integer(Buffer.of(2)))

/** The finished certificate, with a random serial. */
export function signCertificate(draft: CertificateDraft, signingKey: KeyObject): Certificate {
  const algorithm = tokenAlgorithmOf(signingKey)
  const signatureAlgorithm = signatureIdentifiers[algorithm]
  const tbs = sequence(
    version3,
    integer(randomSerial()),
    signatureAlgorithm,
    draft.issuer,
    sequence(time(draft.notBefore), time(draft.notAfter)),
    draft.subject,
    draft.publicKeyInfo,
    element(contextTag(3, 'constructed'), sequence(...draft.extensions)),
  )
  const signature = sign(digestOf[algorithm], tbs, signingKey)
  return Certificate.fromDer(sequence(tbs, signatureAlgorithm, bitString(signature)))
}

/** Positive and at most 20 octets, as RFC 5280 asks: 158 random bits below a bit that is always set. */
function randomSerial(): Buffer {
  const serial = randomBytes(20)
  serial[0] = (serial[0]! & 0x7f) | 0x40
  return serial
}
