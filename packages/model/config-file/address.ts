/**
 * Network addresses as configuration files write them: `host:port`, with IPv6 hosts in brackets, and the same behind a
 * protocol (`tls:host:port`).
 */
import { isIPv4, isIPv6 } from 'node:net'

/** A host and a port. The host stands without brackets, as `net.connect` wants it. */
export interface HostPort {
  readonly host: string
  readonly port: number
  /** As written, brackets included: what is compared, advertised and shown. */
  readonly text: string
}

/** A host and a port behind a protocol; `text` has all three. */
export interface ProtocolAddress extends HostPort {
  readonly protocol: string
}

/** Why a text is no address, in words that follow "found". */
export class AddressFault {
  readonly found: string

  constructor(found: string) {
    this.found = found
  }
}

export interface HostPortRules {
  /** The lowest port; 0 lets the system choose one. */
  readonly lowestPort: 0 | 1
  /** Whether the host may be left out, for "every interface". */
  readonly hostMayBeEmpty: boolean
}

const forbiddenInHost = /[\s/\\@?#[\]"'<>,;%]/u

/** Splits `host:port`. */
export function parseHostPort(written: string, rules: HostPortRules): HostPort | AddressFault {
  const text = written.trim()
  if (text === '') return new AddressFault('nothing')
  if (text.includes('://')) return new AddressFault('a URL')
  const bracketed = /^\[([^\]]*)\](.*)$/u.exec(text)
  const bare = /^([^:]*)(?::([^:]*))?$/u.exec(text)
  if (!bracketed && !bare) {
    return new AddressFault(isIPv6(text) ? 'no port' : 'too many colons; an IPv6 address wants brackets: [::1]:1280')
  }
  const host = bracketed ? bracketed[1]! : bare![1]!
  const port = bracketed ? /^:(.*)$/u.exec(bracketed[2]!)?.[1] : bare![2]
  if (bracketed && !isIPv6(host)) return new AddressFault('brackets around something that is no IPv6 address')
  if (host === '' && !rules.hostMayBeEmpty) return new AddressFault('no host')
  if (!bracketed && forbiddenInHost.test(host)) return new AddressFault('a sign that no host name has')
  if (port === undefined || port === '') return new AddressFault('no port')
  if (!/^[0-9]{1,5}$/u.test(port) || Number(port) > 65_535 || Number(port) < rules.lowestPort) {
    return new AddressFault(`port ${port.slice(0, 20)}, which is not from ${rules.lowestPort} to 65535`)
  }
  return { host, port: Number(port), text }
}

/** Splits `protocol:host:port`. */
export function parseProtocolAddress(
  written: string,
  protocols: readonly string[],
  rules: HostPortRules,
): ProtocolAddress | AddressFault {
  const text = written.trim()
  if (text.includes('://')) return new AddressFault('a URL')
  const colon = text.indexOf(':')
  const protocol = colon === -1 ? '' : text.slice(0, colon)
  if (!protocols.includes(protocol)) {
    const looksLikeHost = protocol === '' || /[.[]/u.test(protocol) || /^[0-9]+$/u.test(text.slice(colon + 1))
    return new AddressFault(looksLikeHost ? 'no protocol' : `protocol ${protocol}`)
  }
  const rest = parseHostPort(text.slice(colon + 1), rules)
  return rest instanceof AddressFault ? rest : { ...rest, protocol, text }
}

/** Whether two addresses name the same host and port; case and the spelling of an IPv6 address do not matter. */
export function isSameHostPort(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && canonicalHost(a.host) === canonicalHost(b.host)
}

/** Whether a host can only be reached from this machine. */
export function isLoopbackHost(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.')
  const canonical = canonicalHost(host)
  return canonical === 'localhost' || canonical === '::1'
}

function canonicalHost(host: string): string {
  if (!isIPv6(host) || host.includes('%')) return host.toLowerCase()
  return new URL(`http://[${host}]`).hostname.slice(1, -1)
}
