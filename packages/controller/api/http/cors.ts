/**
 * Cross-origin rules of the JSON APIs.
 *
 * Any origin may call, with credentials: that is safe only because nothing here is authenticated by a cookie, and must
 * stay so. A preflight never reaches a route, and its answer carries none of the API's own headers.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'

/** The headers that every answer to a cross-origin request carries, as name, value, name, value. */
export const CROSS_ORIGIN_HEADERS: readonly string[] = [
  'access-control-allow-origin',
  '*',
  'access-control-allow-credentials',
  'true',
]

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
/** Allowed without being asked for, hence not echoed. */
const SIMPLE_METHODS = new Set(['GET', 'HEAD', 'POST'])
const SIMPLE_HEADERS = new Set(['accept', 'accept-language', 'content-language', 'origin'])
const HEADERS = new Map([
  ['content-type', 'Content-Type'],
  ['authorization', 'Authorization'],
  ['zt-session', 'Zt-Session'],
])

/** Answers an OPTIONS request: a preflight when it has an origin, an empty 200 when it has none. */
export function answerOptions(request: IncomingMessage, response: ServerResponse): void {
  const head: string[] = ['content-length', '0']
  response.writeHead(request.headers.origin === undefined ? 200 : preflight(request.headers, head), head)
  response.end()
}

/** The status of a preflight; the headers of a positive one are added to `head`. */
function preflight(headers: IncomingHttpHeaders, head: string[]): number {
  const method = headers['access-control-request-method']
  if (method === undefined) return 400
  if (!METHODS.has(method)) return 405
  const wanted = wantedHeaders(headers['access-control-request-headers'] ?? '')
  if (wanted === undefined) return 403
  head.push(...CROSS_ORIGIN_HEADERS)
  if (wanted.length > 0) head.push('access-control-allow-headers', wanted.join(','))
  if (!SIMPLE_METHODS.has(method)) head.push('access-control-allow-methods', method)
  return 200
}

/** The headers to allow by name; undefined when one of those asked for is not allowed. */
function wantedHeaders(list: string): readonly string[] | undefined {
  const wanted: string[] = []
  for (const item of list.split(',')) {
    const name = item.trim().toLowerCase()
    if (name === '' || SIMPLE_HEADERS.has(name)) continue
    const shown = HEADERS.get(name)
    if (shown === undefined) return undefined
    wanted.push(shown)
  }
  return wanted
}
