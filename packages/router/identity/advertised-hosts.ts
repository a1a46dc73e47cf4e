/**
 * Whether the server certificates of a router cover the hosts under which it is known: a client that is sent to a host
 * which no certificate covers refuses the connection, and nothing at the router says why.
 */
import { isIP } from 'node:net'
import type { Identity } from '@weft/pki'
import type { RouterConfig } from '../config/router-config.ts'

/** A host that no certificate covers, and the key of the file that advertises it. */
export interface UncoveredHost {
  readonly path: string
  readonly host: string
}

/** Every address that others are told, where TLS proves who answers. */
export function findUncoveredHosts(
  config: Pick<RouterConfig, 'link' | 'listeners'>,
  identity: Identity,
): readonly UncoveredHost[] {
  const links = config.link.listeners.map(({ advertise }, at) => ({
    path: `link.listeners[${at}].advertise`,
    host: advertise.protocol === 'tls' ? advertise.host : undefined,
  }))
  const clients = config.listeners.map((listener, at) => ({
    path: `listeners[${at}].options.advertise`,
    host: listener.binding === 'edge' ? listener.advertise.host : undefined,
  }))
  return [...links, ...clients].flatMap(({ path, host }) =>
    host === undefined || isCovered(host, identity) ? [] : [{ path, host }],
  )
}

/** Whether a client that was sent to this host believes whoever answers there. */
export function isCovered(host: string, { servers }: Identity): boolean {
  return servers.some(({ certificate }) => {
    const { x509 } = certificate
    // A subject says who somebody is, not where.
    return isIP(host) === 0
      ? x509.checkHost(host, { subject: 'never' }) !== undefined
      : x509.checkIP(host) !== undefined
  })
}

/** The router may not start: nobody could connect to it under the name it gives. */
export class UncoveredHostsError extends Error {
  readonly code = 'UNCOVERED_HOSTS'
  readonly hosts: readonly UncoveredHost[]

  constructor(hosts: readonly UncoveredHost[]) {
    const lines = hosts.map(({ path, host }) => `${path}: no server certificate covers ${host}`)
    super([...lines, 'Add what is missing to csr.sans and enroll again, or advertise another host.'].join('\n'))
    this.name = 'UncoveredHostsError'
    this.hosts = hosts
  }
}
