/**
 * What must hold between the servers of `web`, and between them and the rest of the file.
 */
import { type Draft, type Findings, type HostPort, isSameHostPort, type ValueOf } from '@weft/model/config-file'
import { checkTlsVersions, checkUnderlays, type TakenInterface } from '@weft/model/config-sections'
import type { webServerSection } from './web-section.ts'

type ServerDraft = Draft<ValueOf<typeof webServerSection.keys>>

/** Checks all servers as far as they could be read. */
export function checkWebServers(servers: readonly ServerDraft[], findings: Findings): void {
  const taken: TakenInterface[] = []
  for (const server of servers) {
    checkTlsVersions(server.options, findings)
    checkApis(server, findings)
    checkUnderlays(server.bindPoints ?? [], server.name ?? 'another server', taken, findings)
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
