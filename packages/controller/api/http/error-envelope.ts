/** The shape in which every refusal leaves an API. */
import type { ApiError } from '../../operation/api-error.ts'

/** Peers read both members, and only from refusals. */
const META = { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' }

/** The text of an error envelope, ending with a newline as all JSON answers do. */
export function errorEnvelope(error: ApiError, requestId: string): string {
  const { code, message, detail } = error
  // Refused before any API is asked: the peers send it without an envelope, and their clients look for it there.
  if (code === 'REQUEST_ENTITY_TOO_LARGE') return `${JSON.stringify({ code, message, cause: null })}\n`
  return `${JSON.stringify({ error: { cause: detail, code, message, requestId }, meta: META })}\n`
}
