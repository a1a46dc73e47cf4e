/**
 * What must hold between the servers of `web`, and between them and the rest of the file.
 */
import {
  type Draft,
  type Findings,
  type HostPort,
  isLoopbackHost,
  isSameHostPort,
  type ValueOf,
} from '@weft/model/config-file'
import { tlsVersions, type webServerSection } from './web-section.ts'

type ServerDraft = Draft<ValueOf<typeof webServerSection.keys>>

/** Checks all servers as far as they could be read. */
export function checkWebServers(servers: readonly ServerDraft[], findings: Findings): void {
  const taken: { readonly address: HostPort; readonly server: string }[] = []
  for (const server of servers) {
    checkTlsVersions(server, findings)
    checkApis(server, findings)
    for (const bindPoint of server.bindPoints ?? []) {
      if (!('interface' in bindPoint) || bindPoint.interface === undefined) continue
      const { interface: address, plainHttp } = bindPoint
      const other = taken.find((earlier) => isSameHostPort(earlier.address, address))
      // A server that cannot listen does not keep the others from serving, so this is not a problem of the whole file.
      if (other) findings.warning(bindPoint, 'interface', `already taken by ${other.server}; it cannot be opened twice`)
      taken.push({ address, server: server.name ?? 'another server' })
      if (plainHttp && !isLoopbackHost(address.host)) {
        findings.problem(bindPoint, 'plainHttp', `plain HTTP is for loopback interfaces only, not for ${address.text}`)
      }
    }
  }
}

/** Whether some server serves the client API at the address that enrolling clients are sent to. */
export function servesClientsAt(servers: readonly ServerDraft[], address: HostPort): boolean {
  return servers.some((server) => {
    const isClientServer = (server.apis ?? []).some((api) => api.binding === 'edge-client')
    return isClientServer && advertised(server).some((served) => isSameHostPort(served, address))
  })
}

function advertised(server: ServerDraft): HostPort[] {
  return (server.bindPoints ?? []).flatMap((bindPoint) =>
    'address' in bindPoint && bindPoint.address !== undefined ? [bindPoint.address] : [],
  )
}

/** The client API takes whatever no other API of its server takes, and there can be only one such. */
function checkApis(server: ServerDraft, findings: Findings): void {
  let hasDefault = false
  for (const api of server.apis ?? []) {
    if (api.binding === 'zac') findings.warning(api, 'binding', 'is the former form of spa with path zac')
    if (api.binding !== 'edge-client') continue
    const message = 'a second edge-client: two APIs of one server would take all other paths'
    if (hasDefault) findings.problem(api, 'binding', message)
    hasDefault = true
  }
}

function checkTlsVersions({ options }: ServerDraft, findings: Findings): void {
  if (options?.minTlsVersion === undefined || options.maxTlsVersion === undefined) return
  const { minTlsVersion: min, maxTlsVersion: max } = options
  const rank = (version: (typeof tlsVersions)[number]) => tlsVersions.indexOf(version)
  if (rank(min) > rank(max)) findings.problem(options, 'maxTlsVersion', `wanted ${min} or newer, found ${max}`)
  else if (rank(max) < rank('TLS1.2'))
    findings.problem(options, 'maxTlsVersion', `wanted TLS1.2 or newer, found ${max}`)
  else if (rank(min) < rank('TLS1.2')) findings.warning(options, 'minTlsVersion', `${min} is not offered; TLS1.2 is`)
}
