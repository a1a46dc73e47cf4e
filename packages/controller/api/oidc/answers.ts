/** The shapes of the provider's answers. */
import type { Answer } from '../../operation/operation.ts'

const PLAIN = 'text/plain; charset=utf-8'
const HTML = 'text/html; charset=utf-8'

/** Tokens and codes must not stay in any cache. */
const UNCACHED = { 'cache-control': 'no-store', pragma: 'no-cache' }

export function json(body: unknown, headers: Answer['headers'] = {}, status = 200): Answer {
  return { status, body, headers }
}

/** An answer with secrets in it. */
export function secretJson(body: unknown): Answer {
  return { status: 200, body, headers: UNCACHED }
}

export function plain(status: number, text: string, headers: Answer['headers'] = {}): Answer {
  return { status, body: text, contentType: PLAIN, headers }
}

export function html(status: number, page: string, headers: Answer['headers'] = {}): Answer {
  return { status, body: page, contentType: HTML, headers: { ...UNCACHED, ...headers } }
}

/** Sends the client on; nothing of what it carries is to be kept. */
export function redirect(location: string): Answer {
  return { status: 302, body: undefined, headers: { ...UNCACHED, location } }
}

export const notFound: Answer = plain(404, '404 page not found\n')

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** What may stand in HTML, between tags and in quotes. */
export function asHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign)
}
