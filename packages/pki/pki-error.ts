/**
 * Every refusal of this package, by code. Messages say what was wrong with the input and never repeat key material.
 */
export const pkiErrors = {
  INPUT_TOO_LARGE: 'the input is larger than allowed',
  TOO_MANY_BLOCKS: 'the input holds more PEM blocks than allowed',
  NOT_PEM: 'the input is not PEM',
  WRONG_BLOCK_TYPE: 'the PEM block is of another type than expected',
  BAD_DER: 'the bytes are not the DER of a certificate',
  BAD_CSR: 'the certificate request could not be read',
  CSR_NOT_SIGNED: 'the certificate request was not signed by the key it carries',
  CSR_NAMES_ANOTHER: 'the certificate request names someone else',
  UNSUPPORTED_SIGNATURE: 'signatures of this kind are not supported',
  BAD_CA_BUNDLE: 'the bytes are not a bundle of certificate authorities',
  BAD_IDENTITY_FILE: 'the identity file could not be read',
  BAD_KEY: 'the private key could not be read',
  ENCRYPTED_KEY: 'the private key is protected by a passphrase',
  UNSUPPORTED_KEY: 'keys of this kind are not supported',
  KEY_MISMATCH: 'the private key does not belong to the certificate',
  BAD_SPIFFE_ID: 'the SPIFFE id is malformed',
  BAD_TRUST_DOMAIN: 'the trust domain is malformed',
  BAD_HOST: 'neither a DNS name nor an IP address',
  NAME_TOO_LONG: 'a name in a certificate is longer than allowed',
  BAD_COUNTRY: 'a country is given by its two letters',
  NOT_A_CA: 'the certificate may not sign certificates',
  CA_EXPIRED: 'the certificate authority has expired',
  CA_NOT_YET_VALID: 'the certificate authority is not valid yet (is the clock right?)',
  PATH_TOO_LONG: 'the certificate authority allows fewer authorities below it',
  BAD_FILE_NAME: 'a name of files in a PKI is letters, digits, dots, dashes, underscores, and at most 64 of them',
  NAME_TAKEN: 'the PKI already holds something of that name',
  NO_SUCH_AUTHORITY: 'the PKI has no such certificate authority',
  NO_SUCH_CERTIFICATE: 'the PKI has no such certificate',
  NO_SUCH_KEY: 'the PKI has no such key',
  BAD_PKI_FILE: 'a file of the PKI could not be read',
  PKI_TOO_LARGE: 'the PKI holds more files than are looked at',
  PKI_INCOMPLETE: 'the PKI directory lacks a file of its certificate authorities',
  PKI_DIFFERENT: 'the PKI directory belongs to another network',
} as const

/** Never reused for another meaning. */
export type PkiErrorCode = keyof typeof pkiErrors

/** An expected refusal: match on `code`. */
export class PkiError extends Error {
  readonly code: PkiErrorCode

  constructor(code: PkiErrorCode, detail?: string, options?: { readonly cause?: unknown }) {
    super(detail === undefined ? pkiErrors[code] : `${pkiErrors[code]}: ${detail}`, options)
    this.name = 'PkiError'
    this.code = code
  }
}
