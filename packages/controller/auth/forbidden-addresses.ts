/**
 * Addresses that no URL in the configuration may make the controller talk to: cloud metadata services, link-local neighbours
 * and the unspecified address. Checked when such a URL is written, and again when it is dialled, because names can be
 * pointed elsewhere in between.
 */
import { BlockList, isIP } from 'node:net'

const forbidden = new BlockList()
forbidden.addSubnet('0.0.0.0', 8, 'ipv4')
forbidden.addSubnet('169.254.0.0', 16, 'ipv4')
forbidden.addSubnet('224.0.0.0', 24, 'ipv4')
forbidden.addAddress('::', 'ipv6')
forbidden.addSubnet('fe80::', 10, 'ipv6')
forbidden.addSubnet('ff02::', 16, 'ipv6')
forbidden.addAddress('fd00:ec2::254', 'ipv6')
// The same IPv4 ranges behind a NAT64 gateway.
forbidden.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6')
forbidden.addSubnet('64:ff9b::', 104, 'ipv6')

/** Whether an IP address, in any notation, is one of those. A name is none. */
export function isForbiddenAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 0) return false
  return forbidden.check(address, version === 4 ? 'ipv4' : 'ipv6')
}

/** The address in a URL's host, without the brackets of IPv6; the URL parser has normalised odd notations of IPv4. */
export function hostAddress(url: URL): string {
  const { hostname } = url
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}
