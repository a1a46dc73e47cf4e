/**
 * The two shapes in which the provider refuses: OAuth's at the protocol's own endpoints, and the APIs' without an envelope
 * at the login endpoints.
 */
import { ApiError } from '../../operation/api-error.ts'

export type OAuthErrorCode =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid_scope'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'unauthorized_client'
  | 'unsupported_grant_type'

/** A refusal in OAuth's shape. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode
  readonly status: number

  constructor(code: OAuthErrorCode, description: string, status = 400) {
    super(description)
    this.name = 'OAuthError'
    this.code = code
    this.status = status
  }
}

/** A refusal of the login endpoints whose code no other API knows. */
export class LoginError extends Error {
  readonly code: string
  readonly status: number

  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = 'LoginError'
    this.status = status
    this.code = code
  }
}

export function invalidTotpCode(): LoginError {
  return new LoginError(400, 'INVALID TOTP CODE', 'an invalid TOTP code was supplied')
}

/** The answer to an expected refusal; undefined for anything else, which is a bug. */
export function refusalAnswer(error: unknown) {
  if (error instanceof OAuthError) {
    return { status: error.status, body: { error: error.code, error_description: error.message } }
  }
  if (error instanceof LoginError) {
    return { status: error.status, body: { code: error.code, message: error.message } }
  }
  if (error instanceof ApiError) {
    const { status, code, message, detail, headers } = error
    const body = { ...(detail !== undefined && { cause: detail }), code, message }
    return { status, body, ...(headers !== undefined && { headers }) }
  }
  return undefined
}
