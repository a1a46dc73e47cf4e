/**
 * Every refusal the HTTP APIs can answer with: code, status and message, written once.
 *
 * Peers branch on `code` and compare some messages verbatim, so both are part of the contract. An expected refusal is an
 * `ApiError`; anything else that is thrown is a bug, is logged with its stack, and leaves as `UNHANDLED`.
 */
export const apiErrors = {
  NOT_FOUND: { status: 404, message: 'The resource requested was not found or is no longer available' },
  UNHANDLED: { status: 500, message: 'An unhandled error occurred' },
  INVALID_FIELD: { status: 400, message: 'The field contains an invalid value' },
  ENTITY_CAN_NOT_BE_DELETED: { status: 400, message: 'The entity requested for delete can not be deleted' },
  ENTITY_CAN_NOT_BE_UPDATED: { status: 400, message: 'The entity requested for update can not be updated' },
  COULD_NOT_VALIDATE: {
    status: 400,
    message: 'The supplied request contains an invalid document or no valid accept content were available, see cause',
  },
  UNAUTHORIZED: {
    status: 401,
    message: 'The request could not be completed. The session is not authorized or the credentials are invalid',
  },
  INVALID_FILTER: { status: 400, message: 'The filter query supplied is invalid' },
  INVALID_PAGINATION: { status: 400, message: 'The pagination properties provided are invalid' },
  INVALID_SORT_IDENTIFIER: { status: 400, message: 'The sort order supplied is invalid' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'The resource requested does not support this HTTP verb' },
  COULD_NOT_PARSE_BODY: { status: 400, message: 'The body of the request could not be parsed' },
  COULD_NOT_READ_BODY: { status: 500, message: 'The body of the request could not be read' },
  REQUEST_ENTITY_TOO_LARGE: { status: 413, message: 'The request body exceeds the maximum accepted size' },
  INVALID_AUTH: { status: 401, message: 'The authentication request failed' },
  INVALID_AUTH_METHOD: { status: 400, message: 'The supplied authentication method is not valid' },
  MFA_EXISTS: { status: 409, message: 'An MFA record already exists, try removing it' },
  MFA_NOT_ENROLLED: { status: 409, message: 'The current identity is not enrolled in MFA' },
  MFA_INVALID_TOKEN: { status: 400, message: 'An invalid token/code was provided' },
  INVALID_BACKING_TOKEN_TYPE: { status: 400, message: 'The backing token type is invalid' },
  RATE_LIMITED: {
    status: 429,
    message: 'The requested operation is rate limited and the rate limit has been exceeded. Please try again later',
  },
  SERVER_TOO_MANY_REQUESTS: {
    status: 429,
    message: 'Too many requests to alter state have been issued. Please slow your request rate or try again later.',
  },
  INVALID_POSTURE: { status: 409, message: 'Posture response data is missing or wrong' },
  NO_EDGE_ROUTERS_AVAILABLE: {
    status: 400,
    message: 'No edge routers are assigned and online to handle the requested connection',
  },
  CLUSTER_NO_LEADER: { status: 503, message: 'Cluster has no leader, unable to make model updates.' },
  SERVER_NOT_RUNNING_IN_HA_MODE: {
    status: 400,
    message: 'The server is not running in HA mode. HA operations are not permitted',
  },
  TRANSFER_LEADERSHIP_ERROR: { status: 500, message: 'Error while attempting to transfer leadership' },
  TIMEOUT: { status: 503, message: 'The requested operation took too much time to reply' },
  STORE_FAILED: { status: 503, message: 'The change could not be made durable and was not applied' },
  CAN_NOT_DELETE_REFERENCED_ENTITY: {
    status: 409,
    message: 'the entity cannot be deleted because it is referenced by another entity, see cause',
  },
  CAN_NOT_UPDATE_AUTHENTICATOR: { status: 409, message: 'The authenticator cannot be updated in this fashion' },
  MAX_AUTHENTICATOR_METHODS_REACHED: {
    status: 409,
    message: 'The identity already has the maximum authenticators of the specified method',
  },
  CAN_NOT_UPDATE_ROUTER: {
    status: 409,
    message: 'The router was not added via the Edge API and cannot be updated',
  },
  CA_ALREADY_VERIFIED: { status: 409, message: 'CA has already been verified' },
  EXPECTED_PEM_CERTIFICATE: { status: 400, message: "expected PEM block type 'CERTIFICATE'" },
  COULD_NOT_PARSE_DER_BLOCK: { status: 400, message: "The certificate's DER block could not be parsed" },
  COULD_NOT_PARSE_PEM_BLOCK: { status: 400, message: "The certificate's PEM block could not be parsed" },
  INVALID_COMMON_NAME: { status: 400, message: 'The common name of the supplied certificate is invalid' },
  CERTIFICATE_IS_NOT_CA: { status: 400, message: 'The certificate supplied is not a certificate authority' },
  CERTIFICATE_FAILED_VALIDATION: {
    status: 400,
    message: "The supplied certificate failed to validate against the CA's certificate chain",
  },
  INVALID_CLIENT_CERT: { status: 400, message: 'The provided client certificate is invalid' },
  INVALID_CERT_PEM: {
    status: 400,
    message: 'the supplied certificate PEM is either invalid or contains the incorrect number of certificates',
  },
  COULD_NOT_PROCESS_CSR: { status: 400, message: 'The supplied csr could not be processed' },
  FAILED_ER_REENROLLMENT: { status: 500, message: 'the edge router failed to be re-enrolled, see cause' },
  ENROLLMENT_EXISTS: { status: 409, message: 'ENROLLMENT_EXISTS' },
  INVALID_ENROLL_METHOD: { status: 400, message: 'The supplied enrollment method is not valid' },
  INVALID_ENROLLMENT_TOKEN: { status: 400, message: 'The supplied token is not valid' },
  ENROLLMENT_EXPIRED: { status: 400, message: 'The window for this enrollment has expired' },
  INVALID_ENROLLMENT_NOT_ALLOWED: { status: 409, message: 'The configuration does not allow this enrollment' },
  ENROLLMENT_IDENTITY_ALREADY_ENROLLED: {
    status: 409,
    message: 'The token supplied for this enrollment already has a matching identity, cannot enroll a new identity',
  },
  ENROLLMENT_CA_NOT_VALID: { status: 400, message: 'The CA tied to the supplied token is no longer valid' },
  MISSING_OR_INVALID_CSR: {
    status: 400,
    message: 'The supplied enrollment request is missing or contains an invalid CSR',
  },
  CERT_FAILED_VALIDATION: { status: 400, message: 'certificate failed to validate against CA' },
  CERT_IN_USE: { status: 409, message: 'The certificate supplied is already associated with another identity' },
  MISSING_CERT_CLAIM: {
    status: 400,
    message: 'The certificate is expected to contain and externalId, which was not found',
  },
  UNSUPPORTED_MEDIA: {
    status: 415,
    message: 'No suitable accept media types were detected, supports: application/json',
  },
} as const

export type ApiErrorCode = keyof typeof apiErrors

/** The flat object that says why: a field, a nested error, or plain text. */
export type Cause =
  | { readonly field: string; readonly reason: string; readonly value: string }
  | { readonly code: string; readonly message: string }
  | { readonly message?: string; readonly data: Readonly<Record<string, unknown>> }

export interface ApiErrorOptions {
  readonly cause?: Cause
  /** Differs from the table's status only where one code stands for several (`COULD_NOT_VALIDATE` as 406 or 415). */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** What was caught, for the log; never sent. */
  readonly origin?: unknown
}

/** An expected refusal of an HTTP API. */
export class ApiError extends Error {
  readonly code: ApiErrorCode
  readonly status: number
  readonly detail: Cause | undefined
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(code: ApiErrorCode, options: ApiErrorOptions = {}) {
    super(apiErrors[code].message, options.origin === undefined ? undefined : { cause: options.origin })
    this.name = 'ApiError'
    this.code = code
    this.status = options.status ?? apiErrors[code].status
    this.detail = options.cause
    this.headers = options.headers
  }
}

/** A refusal that names one field; `value` is shown as text, so never pass a secret. */
export function fieldError(field: string, reason: string, value: unknown = ''): ApiError {
  return new ApiError('COULD_NOT_VALIDATE', { cause: { field, reason, value: shown(value) } })
}

/** A refusal whose cause is plain text. */
export function refusal(code: ApiErrorCode, message: string, status?: number): ApiError {
  return new ApiError(code, { cause: { code: 'UNHANDLED', message }, ...(status === undefined ? {} : { status }) })
}

/** The refusal of a body that is not JSON, or not JSON of the right types. `reason` must not quote the body. */
export function unparsableBody(name: string, reason: string): ApiError {
  return refusal('COULD_NOT_PARSE_BODY', `parsing ${name} body from "" failed, because ${reason}`)
}

/** The refusal of what would wait too long: the client is to come back. `origin` is kept for the log. */
export function tooManyRequests(origin?: unknown): ApiError {
  return new ApiError('SERVER_TOO_MANY_REQUESTS', { headers: { 'retry-after': '1' }, origin })
}

/** The refusal for an entity that is not there. */
export function notFound(singular: string, id: string): ApiError {
  return refusal('NOT_FOUND', `${singular} with id ${id} not found`)
}

const LONGEST_SHOWN_VALUE = 64

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > LONGEST_SHOWN_VALUE ? `${text.slice(0, LONGEST_SHOWN_VALUE)}...` : text
}
