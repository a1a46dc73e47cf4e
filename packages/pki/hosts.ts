/** The names under which a server is reached, checked and sorted into what certificates call DNS names and addresses. */
import { formatIpAddress, parseIpAddress } from './ip-address.ts'
import { PkiError } from './pki-error.ts'

/** Hosts by kind. */
export interface HostNames {
  readonly dns: readonly string[]
  /** In canonical text form. */
  readonly ip: readonly string[]
}

const maxHosts = 128
const maxNameLength = 253
const labelPattern = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/

/** Lower-cased, without repetitions; a first label `*` is allowed. International names come in their `xn--` form. */
export function sortHosts(hosts: readonly string[]): HostNames {
  if (hosts.length > maxHosts) throw new PkiError('BAD_HOST', `more than ${maxHosts} hosts`)
  const dns = new Set<string>()
  const ip = new Set<string>()
  for (const host of hosts) {
    const octets = parseIpAddress(host)
    if (octets !== undefined) ip.add(formatIpAddress(octets))
    else dns.add(checkedDnsName(host))
  }
  return { dns: [...dns], ip: [...ip] }
}

function checkedDnsName(host: string): string {
  const name = host.toLowerCase()
  const labels = name.split('.')
  if (labels[0] === '*' && labels.length > 2) labels.shift()
  // A name of digits and dots is a mistyped address; no DNS name ends in a number.
  const isNumeric = /^\d+$/.test(labels.at(-1) ?? '')
  if (name.length > maxNameLength || isNumeric || !labels.every((label) => labelPattern.test(label))) {
    throw new PkiError('BAD_HOST', JSON.stringify(host.slice(0, 64)))
  }
  return name
}
