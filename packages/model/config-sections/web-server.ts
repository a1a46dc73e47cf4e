/**
 * What web servers of every program have in common: time limits and TLS versions, and what must hold between servers.
 */
import {
  type Draft,
  duration,
  type Findings,
  type HostPort,
  isLoopbackHost,
  isSameHostPort,
  oneOf,
  second,
  section,
  type ValueOf,
  withDefault,
} from '../config-file/index.ts'
import type { BindPoint } from './web-bind-point.ts'

/** TLS versions by the names of the file. The first two are accepted there and never offered. */
const tlsVersions = ['TLS1.0', 'TLS1.1', 'TLS1.2', 'TLS1.3'] as const
type TlsVersion = (typeof tlsVersions)[number]

/** Time limits and TLS versions of a web server. */
export const webOptionsSection = section({
  keys: {
    readTimeout: withDefault(duration({ min: 1 }), 5 * second, 'How long a request may take to arrive.'),
    idleTimeout: withDefault(duration({ min: 1 }), 5 * second, 'How long a connection may wait for the next request.'),
    writeTimeout: withDefault(duration({ min: 1 }), 10 * second, 'How long an answer may take.'),
    minTlsVersion: withDefault(oneOf(tlsVersions), 'TLS1.2', 'The oldest TLS version offered; TLS1.2 at least.', {
      name: 'minTLSVersion',
    }),
    maxTlsVersion: withDefault(oneOf(tlsVersions), 'TLS1.3', 'The newest TLS version offered.', {
      name: 'maxTLSVersion',
    }),
  },
})

type OptionsFile = ValueOf<typeof webOptionsSection.keys>

/** The options with TLS versions by Node's names; older ones than 1.2 are not offered. */
export function assembleWebOptions(options: OptionsFile) {
  const named = (version: TlsVersion) => (version === 'TLS1.3' ? ('TLSv1.3' as const) : ('TLSv1.2' as const))
  return {
    ...options,
    minTlsVersion: named(options.minTlsVersion),
    maxTlsVersion: named(options.maxTlsVersion),
  }
}

export type WebOptions = ReturnType<typeof assembleWebOptions>

/** An interface that a server has taken, for those after it. */
export interface TakenInterface {
  readonly address: HostPort
  readonly server: string
}

/** Checks the bind points of one server and adds the interfaces that they take. */
export function checkUnderlays(
  bindPoints: readonly Draft<BindPoint>[],
  server: string,
  taken: TakenInterface[],
  findings: Findings,
): void {
  for (const bindPoint of bindPoints) {
    if (!('interface' in bindPoint) || bindPoint.interface === undefined) continue
    const { interface: address, plainHttp } = bindPoint
    const other = taken.find((earlier) => isSameHostPort(earlier.address, address))
    // A server that cannot listen does not keep the others from serving, so this is not a problem of the whole file.
    if (other) findings.warning(bindPoint, 'interface', `already taken by ${other.server}; it cannot be opened twice`)
    taken.push({ address, server })
    if (plainHttp && !isLoopbackHost(address.host)) {
      findings.problem(bindPoint, 'plainHttp', `plain HTTP is for loopback interfaces only, not for ${address.text}`)
    }
  }
}

/** The versions must be in order, and one that is offered must remain. */
export function checkTlsVersions(options: Draft<OptionsFile> | undefined, findings: Findings): void {
  if (options?.minTlsVersion === undefined || options.maxTlsVersion === undefined) return
  const { minTlsVersion: min, maxTlsVersion: max } = options
  const rank = (version: TlsVersion) => tlsVersions.indexOf(version)
  if (rank(min) > rank(max)) findings.problem(options, 'maxTlsVersion', `wanted ${min} or newer, found ${max}`)
  else if (rank(max) < rank('TLS1.2'))
    findings.problem(options, 'maxTlsVersion', `wanted TLS1.2 or newer, found ${max}`)
  else if (rank(min) < rank('TLS1.2')) findings.warning(options, 'minTlsVersion', `${min} is not offered; TLS1.2 is`)
}
