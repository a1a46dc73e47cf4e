/**
 * What every binding of a web server is: a function over a request whose target has been read once.
 *
 * The target travels beside the request, because the client API rewrites paths and the request object must keep what
 * was really asked for.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../../log/logger.ts'

/** Where a request goes. `path` is as sent (percent-encoded, not cleaned); `search` comes without its question mark. */
export interface RequestTarget {
  readonly path: string
  readonly search: string
}

/** Answers a request, now or later; must not throw. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse, target: RequestTarget) => void

/** What the HTTP layer writes its lines with. */
export type HttpLog = Pick<Logger, 'debug' | 'warn' | 'error'>

/** Reads the request target in origin form (`/a?b`), absolute form (`https://host/a?b`) or asterisk form (`*`). */
export function readTarget(url: string): RequestTarget {
  const origin = url.charCodeAt(0) === 0x2f ? url : originForm(url)
  const mark = origin.indexOf('?')
  return mark < 0 ? { path: origin, search: '' } : { path: origin.slice(0, mark), search: origin.slice(mark + 1) }
}

function originForm(url: string): string {
  const scheme = url.indexOf('://')
  if (scheme < 0) return url
  const authority = scheme + 3
  const path = url.indexOf('/', authority)
  const query = url.indexOf('?', authority)
  if (path >= 0 && (query < 0 || path < query)) return url.slice(path)
  return query < 0 ? '/' : `/${url.slice(query)}`
}
