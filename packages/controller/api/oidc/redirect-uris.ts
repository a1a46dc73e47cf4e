/**
 * Where a login may return to.
 *
 * URIs are compared exactly. A pattern may leave the port open by a star: native applications
 * listen where there is room, but always at some port.
 */
const OPEN_PORT = ':*'
const HIGHEST_PORT = 65_535

/** Where the SDKs and the command line return to, whatever else is registered. */
export const nativeRedirectUris: readonly string[] = [
  'openziti://auth/callback',
  'https://127.0.0.1:*/auth/callback',
  'http://127.0.0.1:*/auth/callback',
  'https://localhost:*/auth/callback',
  'http://localhost:*/auth/callback',
]

/** Where they end up after a logout. The peers accept no port of the loopback here unless it is registered. */
export const nativeLogoutUris: readonly string[] = ['openziti://auth/logout']

export function isRegistered(uri: string, patterns: Iterable<string>): boolean {
  for (const pattern of patterns) if (matches(pattern, uri)) return true
  return false
}

function matches(pattern: string, uri: string): boolean {
  const at = pattern.indexOf(OPEN_PORT)
  if (at < 0) return uri === pattern
  const head = `${pattern.slice(0, at)}:`
  const tail = pattern.slice(at + OPEN_PORT.length)
  if (!uri.startsWith(head) || !uri.endsWith(tail) || uri.length < head.length + tail.length) return false
  const port = uri.slice(head.length, uri.length - tail.length)
  return /^[1-9][0-9]{0,4}$/.test(port) && Number(port) <= HIGHEST_PORT
}

/** The URI with further parameters, those without a value left out. The first one stays the first. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.append(name, value)
  if (query.size === 0) return uri
  return `${uri}${uri.includes('?') ? '&' : '?'}${query}`
}
