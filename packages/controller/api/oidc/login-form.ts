/**
 * What a client sends to the login endpoints, as a form or as JSON.
 *
 * Peers differ in the case of names (`appID`, `sdkAppId`), so it does not count; what is not known is ignored.
 */
import type { ClientInfo } from '../../auth/open-session.ts'
import { ApiError } from '../../operation/api-error.ts'
import type { OidcBody, OidcCall } from './oidc-call.ts'
import { LoginError } from './oidc-error.ts'

export interface LoginForm {
  /** The auth request. */
  readonly id: string | undefined
  readonly username: string | undefined
  readonly password: string | undefined
  readonly code: string | undefined
  readonly csrPem: string | undefined
  readonly info: ClientInfo
}

type Values = ReadonlyMap<string, unknown>

const sdkFields = ['type', 'version', 'branch', 'revision', 'appId', 'appVersion'] as const
const envFields = ['os', 'arch', 'osRelease', 'osVersion', 'domain', 'hostname'] as const

const LONGEST_INFO = 253
/** Of a user name or a password. */
export const LONGEST_CREDENTIAL = 100
const LONGEST_REQUEST = 16_384
const MOST_CONFIG_TYPES = 1_000

export function readLoginForm({ http, body }: OidcCall): LoginForm {
  const values = valuesOf(body)
  const isForm = body.kind === 'form'
  return {
    id: text(values, 'id', 64) ?? (http.query.get('authRequestID') || http.query.get('id') || undefined),
    username: text(values, 'username', LONGEST_CREDENTIAL),
    password: text(values, 'password', LONGEST_CREDENTIAL),
    code: text(values, 'code', 32),
    csrPem: text(values, 'csrPem', LONGEST_REQUEST),
    info: {
      configTypes: isForm ? body.form.getAll('configTypes').slice(0, MOST_CONFIG_TYPES) : list(values, 'configTypes'),
      sdkInfo: isForm ? info(values, sdkFields, 'sdk') : nestedInfo(values, 'sdkInfo', sdkFields),
      envInfo: isForm ? info(values, envFields, 'env') : nestedInfo(values, 'envInfo', envFields),
    },
  }
}

function valuesOf(body: OidcBody): Values {
  if (body.kind === 'form') return lowerCased([...body.form].reverse())
  if (body.kind === 'json') return lowerCased(Object.entries(body.json))
  if (body.kind === 'none') return new Map()
  throw unsupportedMediaType(body.mediaType)
}

/** The refusal of a body that is neither a form nor JSON. */
export function unsupportedMediaType(mediaType: string): LoginError {
  const supported = '(supported: application/x-www-form-urlencoded, application/json)'
  const message = `the content type: ${mediaType}, is not supported ${supported}`
  return new LoginError(415, 'UNSUPPORTED_MEDIA_TYPE', message)
}

function lowerCased(entries: Iterable<readonly [string, unknown]>): Values {
  const values = new Map<string, unknown>()
  for (const [name, value] of entries) values.set(name.toLowerCase(), value)
  return values
}

/** A text that is too long cannot be right, and is not cut to something else. */
function text(values: Values, name: string, longest: number): string | undefined {
  const value = values.get(name.toLowerCase())
  if (typeof value !== 'string' || value === '') return undefined
  if (value.length > longest) throw new ApiError('COULD_NOT_VALIDATE')
  return value
}

function list(values: Values, name: string): readonly string[] {
  const value = values.get(name.toLowerCase())
  if (!Array.isArray(value)) return []
  return value.filter((item): item is string => typeof item === 'string').slice(0, MOST_CONFIG_TYPES)
}

function nestedInfo(values: Values, name: string, fields: readonly string[]) {
  const nested = values.get(name.toLowerCase())
  if (typeof nested !== 'object' || nested === null) return undefined
  return info(lowerCased(Object.entries(nested)), fields, '')
}

/** What a client says of itself is cut where it is too long. A form always says it, be it nothing, as the peers read it. */
function info(values: Values, fields: readonly string[], prefix: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const field of fields) {
    const value = values.get(`${prefix}${field}`.toLowerCase())
    if (typeof value === 'string' && value !== '') found[field] = value.slice(0, LONGEST_INFO)
  }
  return found
}
