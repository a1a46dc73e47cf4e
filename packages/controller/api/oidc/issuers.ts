/**
 * Which hosts this provider is an issuer for.
 *
 * A client chooses the issuer by the Host it asks for, so only hosts that are known to be ours count: the addresses that
 * clients are told, and the names of the server certificates at the ports of the listeners. A name below a wildcard counts
 * when the configuration lists it.
 */
import { isIPv6 } from 'node:net'
import type { Identity } from '@weft/pki'

export interface IssuerOptions {
  readonly bindPoints: readonly { readonly interface: string; readonly address: string }[]
  readonly servers: Identity['servers']
  /** Names that a wildcard of a certificate covers and that are meant to be served. */
  readonly allowedHostnames: readonly string[]
}

/** The same of certificates that may be replaced meanwhile; worked out once for each of them. */
export function currentIssuerHosts(
  options: Omit<IssuerOptions, 'servers'>,
  servers: () => Identity['servers'],
): () => ReadonlySet<string> {
  let known: { readonly servers: Identity['servers']; readonly hosts: ReadonlySet<string> } | undefined
  return () => {
    const current = servers()
    if (known?.servers !== current) known = { servers: current, hosts: issuerHosts({ ...options, servers: current }) }
    return known.hosts
  }
}

/** The values of Host for which there is an issuer, in lower case. */
export function issuerHosts({ bindPoints, servers, allowedHostnames }: IssuerOptions): ReadonlySet<string> {
  const hosts = new Set<string>()
  const ports = new Set<string>()
  const certificates = servers.map(({ certificate }) => certificate)
  for (const { interface: listens, address } of bindPoints) {
    ports.add(portOf(listens)).add(portOf(address))
    hosts.add(hostOf(address))
  }
  for (const { names } of certificates) {
    for (const name of [...names.dns, ...names.ip]) if (!name.startsWith('*')) hosts.add(name.toLowerCase())
  }
  for (const name of allowedHostnames) {
    if (certificates.some((certificate) => certificate.coversHost(name))) hosts.add(name.toLowerCase())
  }
  const allowed = new Set<string>()
  for (const host of hosts) {
    const written = isIPv6(host) ? `[${host}]` : host
    for (const port of ports) {
      allowed.add(`${written}:${port}`)
      if (port === '443') allowed.add(written)
    }
  }
  return allowed
}

function portOf(address: string): string {
  return address.slice(address.lastIndexOf(':') + 1)
}

function hostOf(address: string): string {
  return address
    .slice(0, address.lastIndexOf(':'))
    .replace(/^\[|\]$/g, '')
    .toLowerCase()
}
