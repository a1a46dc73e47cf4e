/** Addresses to listen on, as configuration files write them: `127.0.0.1:1280`, `[::1]:1280`, `[::]:1280`, `:1280`. */
import { isIPv6 } from 'node:net'

export interface ListenAddress {
  /** A name, an IPv4 or a bare IPv6 address; empty means all addresses of the machine. */
  readonly host: string
  readonly port: number
}

/** Reads `host:port`; undefined when it is not that. */
export function parseListenAddress(text: string): ListenAddress | undefined {
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
  return host.includes(':') || host.includes(' ') ? undefined : { host, port }
}

const everywhere: ReadonlySet<string> = new Set(['', '0.0.0.0', '::'])

/** Whether who listens at the first address also gets what is sent to the second. Port 0 is a port of one's own. */
export function covers(listening: string, wanted: string): boolean {
  if (listening === wanted) return true
  const [here, there] = [parseListenAddress(listening), parseListenAddress(wanted)]
  if (here === undefined || there === undefined || here.port === 0 || here.port !== there.port) return false
  return here.host === there.host || everywhere.has(here.host)
}
