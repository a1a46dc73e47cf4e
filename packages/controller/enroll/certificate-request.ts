/**
 * Certificate requests on their way in: whatever is wrong with one is the asker's mistake and answered as such.
 */
import { type CertificateRequest, PkiError, type PkiErrorCode, parseCertificateRequest } from '@weft/pki'
import { ApiError, refusal } from '../operation/api-error.ts'

/** What can be wrong with a request. Everything else is wrong with us. */
const ofTheAsker: ReadonlySet<PkiErrorCode> = new Set<PkiErrorCode>([
  'INPUT_TOO_LARGE',
  'TOO_MANY_BLOCKS',
  'NOT_PEM',
  'WRONG_BLOCK_TYPE',
  'BAD_DER',
  'BAD_CSR',
  'CSR_NOT_SIGNED',
  'CSR_NAMES_ANOTHER',
  'UNSUPPORTED_SIGNATURE',
  'UNSUPPORTED_KEY',
  'BAD_HOST',
  'NAME_TOO_LONG',
])

/** Says in words what is wrong. */
type Wording = (error: PkiError) => string

/** Of the one request of an identity or a session. */
const ofIdentity: Wording = ({ code, message }) => (code === 'NOT_PEM' ? 'could not decode csrPem as PEM' : message)

/** Reads a request, or refuses it. */
export function readCertificateRequest(pem: string | undefined, wording = ofIdentity): CertificateRequest {
  if (pem === undefined || pem === '') throw refusal('COULD_NOT_PROCESS_CSR', 'csrPem must not be null or empty')
  return answeringFor(() => parseCertificateRequest(pem), wording)
}

/** Runs what reads or fulfils a request, and answers for what is wrong with it. */
export function answeringFor<T>(run: () => T, wording = ofIdentity): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof PkiError) || !ofTheAsker.has(error.code)) throw error
    const cause = { code: 'UNHANDLED', message: wording(error) }
    throw new ApiError('COULD_NOT_PROCESS_CSR', { cause, origin: error })
  }
}
