/**
 * Which media type a body has, and whether the client takes JSON.
 *
 * The peers look at Accept only when a request has no body; a body with an acceptable type decides the type of the answer.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { ApiError } from '../../operation/api-error.ts'

export const JSON_TYPE = 'application/json'

/** What a body without a content type counts as. */
const NO_TYPE = 'application/octet-stream'

/** The media type of a body, without parameters; throws 415 when it is none of `consumes`. */
export function bodyType(headers: IncomingHttpHeaders, consumes: readonly string[]): string {
  const type = mediaType(headers['content-type'] ?? NO_TYPE)
  if (consumes.includes(type)) return type
  throw new ApiError('COULD_NOT_VALIDATE', {
    status: 415,
    cause: {
      field: 'Content-Type',
      reason: `unsupported media type ${JSON.stringify(type)}, only [${consumes.join(' ')}] are allowed`,
      value: type,
    },
  })
}

/** Throws 406 when the client excludes JSON. */
export function checkAcceptsJson(headers: IncomingHttpHeaders): void {
  const { accept = '' } = headers
  if (acceptsJson(accept)) return
  throw new ApiError('COULD_NOT_VALIDATE', {
    status: 406,
    cause: {
      field: 'Accept',
      reason: `unsupported media type requested, only [${JSON_TYPE}] are available`,
      value: accept,
    },
  })
}

/** Whether a client that sends this Accept header takes JSON. */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === JSON_TYPE || accept === '*/*' || accept.trim() === '') return true
  for (const item of accept.split(',')) {
    const type = mediaType(item)
    if ((type === JSON_TYPE || type === '*/*' || type === 'application/*') && !isExcluded(item)) return true
  }
  return false
}

function isExcluded(item: string): boolean {
  for (const parameter of item.split(';').slice(1)) {
    const [name = '', value = ''] = parameter.split('=')
    if (name.trim().toLowerCase() === 'q') return Number(value.trim()) === 0
  }
  return false
}

function mediaType(value: string): string {
  if (value === JSON_TYPE) return value
  const end = value.indexOf(';')
  return (end < 0 ? value : value.slice(0, end)).trim().toLowerCase()
}
