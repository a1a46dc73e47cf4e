/**
 * Which interface of the machine a connection leaves by: named by the interface, by one of its addresses, or by a whole
 * address whose host is one.
 */
import { isIP } from 'node:net'
import type { NetworkInterfaceInfo } from 'node:os'
import { custom, type Kind } from '@weft/model/config-file'

/** The interfaces of a machine, as `os.networkInterfaces` gives them. */
export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>

/** What a connection is bound to. */
export interface LocalBinding {
  readonly interfaceName: string
  readonly address: string
}

/** A local binding as written; whether the machine has it is another question. */
export function localBinding(): Kind<string> {
  return custom('an interface, an IP address or an address of this machine', (written) =>
    /^[^\s/\\]{1,255}$/u.test(written) ? written : undefined,
  )
}

/** Finds the interface. An interface that is named stands for its first address. */
export function resolveLocalBinding(written: string, interfaces: Interfaces): LocalBinding | undefined {
  const [first] = Object.hasOwn(interfaces, written) ? (interfaces[written] ?? []) : []
  if (first !== undefined) return { interfaceName: written, address: first.address }
  const host = hostOf(written)
  const interfaceName = host === undefined ? undefined : interfaceOwning(host, interfaces)
  return host === undefined || interfaceName === undefined ? undefined : { interfaceName, address: host }
}

/** The name of the interface that has an address; none for names and for "every interface". */
export function interfaceOwning(host: string, interfaces: Interfaces): string | undefined {
  const entries = Object.entries(interfaces)
  return entries.find(([, addresses]) => addresses?.some(({ address }) => address === host))?.[0]
}

/** The IP address in `10.0.0.1`, `10.0.0.1:0`, `[::1]:0`, `tls:10.0.0.1:0` and the like. */
function hostOf(written: string): string | undefined {
  if (isIP(written) !== 0) return written
  const found = /^(?:[a-z]+:)?(?:\[([^\]]+)\]|([0-9.]+))(?::[0-9]{1,5})?$/u.exec(written)
  const host = found?.[1] ?? found?.[2] ?? ''
  return isIP(host) === 0 ? undefined : host
}
