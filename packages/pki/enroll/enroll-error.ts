/** Why an enrollment or its extension did not come about, by code. Messages never repeat tokens, passwords or keys. */
export const enrollErrors = {
  BAD_TOKEN: 'the enrollment token could not be read',
  UNKNOWN_METHOD: 'the enrollment token is for something else',
  WRONG_SIGNER: 'the enrollment token was not signed by the controller it leads to',
  TOKEN_EXPIRED: 'the enrollment token has expired',
  TOKEN_NOT_YET_VALID: 'the enrollment token is not valid yet (is the clock right?)',
  MISSING_INPUT: 'this enrollment needs more than its token',
  UNREACHABLE: 'the controller could not be reached',
  SERVER_CHANGED: 'another server answers now than the one that signed the enrollment token',
  SERVER_UNTRUSTED: 'the server could not be recognised by the authorities of the network',
  NOT_EXTENDABLE: 'the certificate was not issued by the network, which cannot extend it',
  REFUSED: 'the controller refused',
  BAD_ANSWER: 'the answer of the controller could not be used',
} as const

/** Never reused for another meaning. */
export type EnrollErrorCode = keyof typeof enrollErrors

/** What a controller said when it refused. */
export interface Refusal {
  readonly status: number
  /** Such as `INVALID_ENROLLMENT_TOKEN`; empty if the answer had none. */
  readonly code: string
  readonly message: string
  /** Milliseconds to wait, where the controller is only busy. */
  readonly retryAfter: number | undefined
}

/** An expected failure: match on `code`. */
export class EnrollError extends Error {
  readonly code: EnrollErrorCode
  /** Present with `REFUSED`. */
  readonly refusal: Refusal | undefined

  constructor(
    code: EnrollErrorCode,
    detail?: string,
    options: { readonly cause?: unknown; readonly refusal?: Refusal } = {},
  ) {
    super(detail === undefined ? enrollErrors[code] : `${enrollErrors[code]}: ${detail}`, { cause: options.cause })
    this.name = 'EnrollError'
    this.code = code
    this.refusal = options.refusal
  }
}
