/**
 * Addresses of channels: `tls:router.example:6262`, `tls:[::1]:6262`, `tls::6262`. Types are lower case; the REST APIs
 * write `tls://host:port`, which is read as well.
 */
import { isIPv4, isIPv6 } from 'node:net'
import { TransportError } from './transport-error.ts'

/** The transports that carry channels here. */
export const transportTypes = ['tls', 'tcp', 'ws', 'wss'] as const
export type TransportType = (typeof transportTypes)[number]

export interface Address {
  readonly type: TransportType
  /** A name, an IPv4 or a bare IPv6 address; empty when left out, which means every address of the machine. */
  readonly host: string
  readonly port: number
}

const maxLength = 512
const unsupported: Readonly<Record<string, string>> = {
  dtls: 'dtls needs a DTLS library, and none is maintained for this runtime; use tls',
  udp: 'udp carries no channel',
  transwarp: 'transwarp no longer exists; use tls',
  transwarptls: 'transwarptls no longer exists; use tls',
  westworld: 'westworld no longer exists; use tls',
}

/** Throws `TransportError`: `BAD_ADDRESS`, or `UNSUPPORTED_TRANSPORT` for a type that exists and is not served. */
export function parseAddress(text: string): Address {
  if (text.length > maxLength) throw new TransportError('BAD_ADDRESS', `longer than ${maxLength} characters`)
  const colon = text.indexOf(':')
  const type = colon < 0 ? '' : text.slice(0, colon)
  const refusal = Object.hasOwn(unsupported, type) ? unsupported[type] : undefined
  if (refusal !== undefined) throw new TransportError('UNSUPPORTED_TRANSPORT', refusal)
  if (!isTransportType(type))
    throw bad(text, `wanted type:host:port with one of the types ${transportTypes.join(', ')}`)
  const rest = text.slice(colon + 1)
  const place = parseHostPort(rest.startsWith('//') ? rest.slice(2) : rest)
  if (place === undefined) throw bad(text, 'wanted type:host:port')
  return { type, ...place }
}

/** The form that `parseAddress` reads and peers write. */
export function formatAddress({ type, host, port }: Address): string {
  return `${type}:${formatHostPort(host, port)}`
}

export function formatHostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** `host:port`, IPv6 addresses in brackets; undefined for anything else. */
export function parseHostPort(text: string): { readonly host: string; readonly port: number } | undefined {
  const colon = text.lastIndexOf(':')
  if (colon < 0) return undefined
  const digits = text.slice(colon + 1)
  const port = Number(digits)
  if (!/^\d{1,5}$/.test(digits) || port > 65_535) return undefined
  const host = text.slice(0, colon)
  if (host.startsWith('[') && host.endsWith(']')) {
    const bare = host.slice(1, -1)
    return isIPv6(bare) ? { host: bare, port } : undefined
  }
  return host === '' || isIPv4(host) || isName(host) ? { host, port } : undefined
}

function isTransportType(type: string): type is TransportType {
  return (transportTypes as readonly string[]).includes(type)
}

function isName(host: string): boolean {
  return host.length <= 253 && /^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?$/.test(host)
}

function bad(text: string, why: string): TransportError {
  return new TransportError('BAD_ADDRESS', `${JSON.stringify(text.slice(0, 80))}, ${why}`)
}
